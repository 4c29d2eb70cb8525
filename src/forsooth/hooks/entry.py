"""The way in for hosts: `forsooth-hook HOST EVENT`, with the payload on standard input.

Exits 0 whatever happens, within its own time limit; what it could not do is recorded.
"""

from __future__ import annotations

import os
import sys
import time

from forsooth.hooks import log
from forsooth.hooks.answer import answered
from forsooth.hooks.board import find
from forsooth.hooks.hosts import EVENTS, HOSTS, Event, spoken
from forsooth.hooks.notation import parsed, table
from forsooth.hooks.prompts import KEYWORDS
from forsooth.hooks.sessions import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal

    from forsooth.hooks.board import Board
else:
    import _signal as signal  # the public one loads enumerations, as the json package does

SECONDS = 4.0  # of the five that a host is promised; the interpreter has had its share
LARGEST = 16 << 20
CHUNK = 1 << 16


class Late(BaseException):
    """The time is up."""


def main() -> int:
    """Answer one event."""
    host, name = (*sys.argv[1:3], "", "")[:2]
    said = ""
    try:
        signal.signal(signal.SIGALRM, _late)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        said = reply(host, name)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _give_way(host, name, error)
    _write(said or spoken(host, name))
    return 0


def _late(*_: object) -> None:
    raise Late(f"no answer within {SECONDS} seconds")


def reply(host: str, name: str) -> str:
    """What is printed for the event on standard input."""
    payload = parsed(_payload())
    if host not in HOSTS or name not in EVENTS:
        raise ValueError("not an event of a host known here")
    event = Event(host, name, table(payload))
    board = _found(event.cwd)
    if board is None:
        return spoken(host, name)
    keywords = os.environ.get("FORSOOTH_KEYWORDS") or KEYWORDS
    return spoken(host, name, answered(event, board, now=time.time(), keywords=keywords))


def _found(folder: str) -> Board | None:
    """The board of where the agent is, or of where its session began."""
    begun = os.environ.get("CLAUDE_PROJECT_DIR")
    return find(folder or os.getcwd()) or (find(begun) if begun else None)


def _payload() -> bytes:
    """Standard input to its end, since a host calls a closed pipe an error."""
    parts: list[bytes] = []
    size = 0
    while part := os.read(0, CHUNK):
        size += len(part)
        if size <= LARGEST:
            parts.append(part)
    if size > LARGEST:
        raise ValueError("the payload is too large")
    return b"".join(parts)


def _give_way(host: str, name: str, error: BaseException) -> None:
    """Record that the agent goes on because a hook could not work."""
    try:
        board = _found("")
        if board is not None and os.path.isdir(board.folder):
            why = f"{type(error).__name__}: {error}"[:200]
            told = {"at": instant(time.time()), "host": host, "event": name}
            log.record(board.folder, {**told, "what": log.FAILED, "why": why})
    except Exception:
        pass


def _write(said: str) -> None:
    data = said.encode(errors="replace")
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass
