"""The worker: one call on standard input, progress and the answer on standard output.

It ends, with all it started, as soon as its input does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import BinaryIO

from forsooth.git.scratch import enter
from forsooth.judge.sandbox.runner import interrupt
from forsooth.mcp.acts import Asked, perform

STDIN = 0
CHUNK = 1 << 16


def main() -> int:
    """Perform one call."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever else is printed must not be taken for an answer
    enter()
    asked = Asked(**json.loads(_line()))
    signal.signal(signal.SIGINT, _interrupted)
    threading.Thread(target=_watch, daemon=True).start()
    try:
        told = perform(asked, lambda says: _say(out, {"says": says}))
    except KeyboardInterrupt:
        return 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is to answer and clean up
    _say(out, told._asdict())
    return 0


def _say(out: BinaryIO, told: object) -> None:
    out.write(json.dumps(told).encode() + b"\n")


def _line() -> bytes:
    """The call; read without a buffer, which a thread that waits at the end would hold locked."""
    read = b""
    while not read.endswith(b"\n") and (part := os.read(STDIN, CHUNK)):
        read += part
    return read


def _watch() -> None:
    """Wait for the end of the input, and then end."""
    while os.read(STDIN, CHUNK):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def _interrupted(*_: object) -> None:
    interrupt()
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
