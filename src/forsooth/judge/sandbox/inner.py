"""The few lines of shell that run inside every sandbox, just before the command.

They tell apart "the sandbox failed", "a service did not start", "no such program" and "it ran":
only the last of these is about the judged work. They must not touch the command itself.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable

SHELL = "/bin/sh"

# Standard input is the write end of a pipe to the runner until the command takes its place.
_BEFORE = "{command} </dev/null || {{ echo before {index} $? >&0; exit 125; }}\n"
_COMMAND = """\
command -v "$1" >/dev/null || { echo absent >&0; exit 127; }
echo ready >&0
exec "$@" </dev/null
"""


def wrapped(argv: tuple[str, ...], before: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The argv that runs `before`, one after another, says `ready`, and becomes the command."""
    lines = [
        _BEFORE.format(command=shlex.join(command), index=index)
        for index, command in enumerate(before)
    ]
    return (SHELL, "-c", "".join(lines) + _COMMAND, "sh", *argv)


def told(line: str, argv: tuple[str, ...], *, before: tuple[tuple[str, ...], ...]) -> str:
    """What the first line from inside says went wrong; empty when the command was started."""
    words = line.split()
    match words:
        case ["ready"]:
            return ""
        case ["absent"]:
            return f"{argv[0]} was not found in the sandbox"
        case ["before", index, code]:
            command = shlex.join(before[int(index)])
            return f"{command} exited with {code} before the check could start"
        case _:
            return "the sandbox could not be set up"
