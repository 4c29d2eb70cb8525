"""Asks a second process what a shell command would do; only there is a real parser loaded.

That process ends itself when it takes too long. No answer is an error, and whoever asked goes on.
"""

from __future__ import annotations

import json
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST = 1 << 18
_START = (
    "import sys; sys.path.append(sys.argv.pop(1)); from forsooth.shell.__main__ import main; main()"
)


def read(command: str, *, cwd: str, root: str, home: str, strict: bool) -> dict[str, Any]:
    """What is refused (`refuse`, `code`) and what is written (`writes`)."""
    asked = {"cwd": cwd, "root": root, "home": home, "strict": strict}
    asked["temporary"] = os.environ.get("TMPDIR", "")
    theirs, question = os.pipe()
    answer, told = os.pipe()
    pid = _spawn(theirs, told)
    os.close(theirs)
    os.close(told)
    try:
        with open(question, "wb") as stream:
            stream.write(json.dumps({**asked, "command": command[:LONGEST]}).encode())
        with open(answer, "rb", buffering=0) as stream:
            return json.loads(stream.readall() or b"")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _spawn(stdin: int, stdout: int) -> int:
    library = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    actions: list[tuple[object, ...]] = [
        (os.POSIX_SPAWN_DUP2, stdin, 0),
        (os.POSIX_SPAWN_DUP2, stdout, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    argv = [sys.executable, "-I", "-c", _START, library]
    return os.posix_spawn(sys.executable, argv, os.environ, file_actions=actions)
