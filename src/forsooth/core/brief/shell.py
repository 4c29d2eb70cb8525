"""How a command written in a brief becomes an argv, and which test runner it calls.

A command that needs a shell gets one openly (ruling: `bash -o pipefail -c`); nothing else does.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

BASH = ("bash", "-o", "pipefail", "-c")

_META = frozenset("|&;<>$*?~`(){}[]!\n")
_ASSIGNS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_PYTHON = re.compile(r"python(?:3(?:\.[0-9]+)?)?")
# Words that only a shell knows: as an argv they would be looked up as programs and not be found.
_SHELL_WORDS = frozenset(
    ". cd declare eval exec exit export local pushd popd read set shift shopt source "
    "trap type ulimit umask unset wait".split()
)
_WRAPPERS = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("pnpm", "exec"),
    ("npx",),
    ("yarn",),
    ("bunx",),
)
# Options of those wrappers that take the next word with them.
_TAKES_WORD = frozenset(
    "--with --extra --group --only-group --no-group --package --python --project --directory "
    "--env-file -p -C --filter".split()
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


def runner_of(argv: Sequence[str]) -> str | None:
    """The known test runner an argv calls, directly or through a wrapper."""
    words = _unwrapped(list(argv))
    as_module = len(words) > 1 and bool(_PYTHON.fullmatch(_name(words[0]))) and words[1] == "-m"
    if as_module:
        words = words[2:]
    match [_name(words[0]) if words else "", *words[1:]]:
        case ["pytest" | "py.test", *_]:
            return "pytest"
        case ["unittest", *_] if as_module:
            return "unittest"
        case [("vitest" | "jest") as name, *_] if not as_module:
            return name
        case ["go", "test", *_] if not as_module:
            return "go"
        case ["cargo", *rest] if not as_module:
            return _cargo(rest)
        case _:
            return None


def _cargo(words: list[str]) -> str | None:
    match words[1:] if words and words[0].startswith("+") else words:
        case ["test" | "t", *_]:
            return "cargo"
        case ["nextest", "run" | "r", *_]:
            return "nextest"
        case _:
            return None


def _unwrapped(words: list[str]) -> list[str]:
    """The words after every wrapper and the wrapper's own options."""
    while wrapper := next((w for w in _WRAPPERS if tuple(words[: len(w)]) == w), None):
        words = words[len(wrapper) :]
        while words and words[0].startswith("-"):
            words = words[2 if words[0] in _TAKES_WORD else 1 :]
    return words


def _name(program: str) -> str:
    return program.rpartition("/")[2]
