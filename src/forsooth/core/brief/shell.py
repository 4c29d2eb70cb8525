"""How a command written in a brief becomes an argv.

A command that needs a shell gets one openly (ruling: `bash -o pipefail -c`); nothing else does.
"""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

BASH = ("bash", "-o", "pipefail", "-c")

_META = frozenset("|&;<>$*?~`(){}[]!\n")
_ASSIGNS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
# Words that only a shell knows: as an argv they would be looked up as programs and not be found.
_SHELL_WORDS = frozenset(
    ". cd declare eval exec exit export local pushd popd read set shift shopt source "
    "trap type ulimit umask unset wait".split()
)

# Programs a person may name without backticks and be understood.
PROGRAMS = frozenset(
    "bash bun bunx cargo curl deno docker dotnet go gradle grep hatch jest just make mvn mypy node "
    "npm npx pdm pnpm poetry pyright pytest python python3 ruff sh test tox uv vitest yarn".split()
)


class Unbalanced(ValueError):
    """A quote is opened and never closed."""


class _Scan(NamedTuple):
    needs_shell: bool
    open_quote: bool


def argv_of(command: str) -> tuple[str, ...]:
    """The argv of a command line; empty when there is no command in it."""
    scan = _scan(command)
    if scan.open_quote:
        raise Unbalanced(command)
    if scan.needs_shell:
        return (*BASH, command)
    words = tuple(shlex.split(command))
    if words and (_ASSIGNS.match(words[0]) or words[0] in _SHELL_WORDS):
        return (*BASH, command)
    return words


def _scan(command: str) -> _Scan:
    """Whether a shell would do something with the command that splitting words would not."""
    needs_shell, quote, previous, escaped = False, "", " ", False
    for char in command:
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "#" and previous.isspace():
            return _Scan(needs_shell=True, open_quote=False)
        elif char in _META:
            needs_shell = True
        if quote == '"' and char in "$`":
            needs_shell = True
        previous = char
    return _Scan(needs_shell, open_quote=bool(quote) or escaped)


def is_program(command: str) -> bool:
    """Whether text without backticks surely begins with a program: a known one, or a path."""
    first = command.split(maxsplit=1)[0]
    return first in PROGRAMS or "/" in first
