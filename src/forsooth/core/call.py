"""Where in an argv the test runner is called, so that options can be added to it.

The wrappers people use are looked through; everything a person wrote stays, in its order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_ASSIGNS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_WRAPPERS = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("pipenv", "run"),
    ("pnpm", "exec"),
    ("npm", "exec"),
    ("yarn", "run"),
    ("bun", "x"),
    ("npx",),
    ("yarn",),
    ("pnpm",),
    ("bunx",),
    ("env",),
    ("coverage", "run"),
)
# Options of those wrappers, and of interpreters, that take the next word with them.
_TAKES_WORD = frozenset(
    "--with --extra --group --only-group --no-group --package --python --project --directory "
    "--env-file -p -C --filter -u --unset --rcfile --source --omit --include --data-file -w "
    "-X -W -r --require --import --loader --conditions".split()
)
_MODULES = ("pytest", "unittest")
RUNNERS = (*_MODULES, *"vitest jest mocha node go cargo nextest bats maven".split())
_SCRIPTS = {
    "vitest": ("vitest", "vitest.mjs"),
    "jest": ("jest", "jest.js"),
    "mocha": ("mocha", "_mocha", "mocha.js", "_mocha.js"),
    "pytest": ("pytest", "py.test"),
    "unittest": ("manage.py",),
    "bats": ("bats",),
    "maven": ("mvn", "mvnw"),
}
_MAVEN_TESTS = frozenset({"test", "surefire:test"})


class Call(NamedTuple):
    """An argv and where in it the runner's own options begin; `module` is where `-m` stands."""

    argv: tuple[str, ...]
    at: int | None = None
    module: int | None = None

    def adding(self, *options: str) -> tuple[str, ...]:
        """The argv with options put first among the runner's own."""
        at = len(self.argv) if self.at is None else self.at
        return (*self.argv[:at], *options, *self.argv[at:])

    def ending(self, *options: str) -> tuple[str, ...]:
        """The argv with options put last, before any `--`."""
        start = self.at or 0
        at = next((n for n in range(start, len(self.argv)) if self.argv[n] == "--"), None)
        at = len(self.argv) if at is None else at
        return (*self.argv[:at], *options, *self.argv[at:])


def call_of(argv: Sequence[str], runner: str) -> Call:
    """The call of a runner in an argv; without a place when another program makes it."""
    words = tuple(argv)
    at = _unwrapped(words, 0)
    name = _name(words, at)
    if runner in ("go", "cargo", "nextest"):
        return Call(words, _subcommand(words, at, runner))
    if _PYTHON.fullmatch(name):
        return _module(words, at + 1, runner)
    if name == "node":
        return Call(words, _node(words, at + 1, runner))
    if words[at - 1 : at] == ("-m",) and at > 0:
        return _module(words, at - 1, runner)
    return Call(words, at + 1 if name in _SCRIPTS.get(runner, ()) else None)


def runner_of(argv: Sequence[str]) -> str | None:
    """The known test runner an argv calls, directly or through a wrapper."""
    found = ((runner, call_of(argv, runner)) for runner in RUNNERS)
    return next((runner for runner, call in found if _is_tests(runner, call)), None)


def _is_tests(runner: str, call: Call) -> bool:
    """Only Python's own runners are modules; `manage.py` and `mvn` do more than test."""
    if call.at is None or (call.module is not None and runner not in _MODULES):
        return False
    if call.argv[call.at - 1].rpartition("/")[2] == "manage.py":
        return call.argv[call.at : call.at + 1] == ("test",)
    if runner == "maven":
        return not _MAVEN_TESTS.isdisjoint(call.argv[call.at :])
    return True


def program_at(argv: Sequence[str]) -> int:
    """Where in an argv the program itself stands, behind the wrappers people use."""
    return _unwrapped(tuple(argv), 0)


def _name(words: tuple[str, ...], at: int) -> str:
    return words[at].rpartition("/")[2] if at < len(words) else ""


def _unwrapped(words: tuple[str, ...], at: int) -> int:
    """The place after every wrapper and its own options."""
    while wrapper := next((w for w in _WRAPPERS if _starts(words, at, w)), None):
        at = _options(words, at + len(wrapper))
        while wrapper == ("env",) and at < len(words) and _ASSIGNS.match(words[at]):
            at += 1
    return at


def _starts(words: tuple[str, ...], at: int, wrapper: tuple[str, ...]) -> bool:
    return _name(words, at) == wrapper[0] and words[at + 1 : at + len(wrapper)] == wrapper[1:]


def _options(words: tuple[str, ...], at: int) -> int:
    """The place after options; `-m` ends them, for what follows is the program."""
    while at < len(words) and words[at].startswith("-"):
        if words[at] in ("-m", "--"):
            return at + 1
        at += 2 if words[at] in _TAKES_WORD else 1
    return at


def _module(words: tuple[str, ...], at: int, runner: str) -> Call:
    """The call behind `python -m NAME`, also when coverage stands between."""
    at = _options(words, at)
    if words[at - 1] != "-m":
        return Call(words, at + 1 if _name(words, at) in _SCRIPTS.get(runner, ()) else None)
    name = words[at] if at < len(words) else ""
    if name == "coverage" and words[at + 1 : at + 2] == ("run",):
        return _module(words, at + 2, runner)
    return Call(words, at + 1, at - 1) if name == runner else Call(words)


def _node(words: tuple[str, ...], at: int, runner: str) -> int | None:
    if runner == "node":
        return at if "--test" in words[at:] else None
    at = _options(words, at)
    return at + 1 if _name(words, at) in _SCRIPTS.get(runner, ()) else None


def _subcommand(words: tuple[str, ...], at: int, runner: str) -> int | None:
    program = "go" if runner == "go" else "cargo"
    if _name(words, at) != program:
        return None
    at += 1
    if program == "cargo" and at < len(words) and words[at].startswith("+"):
        at += 1
    at = _options(words, at)
    wanted = {"go": [("test",)], "cargo": [("test",), ("t",)]}.get(
        runner, [("nextest", "run"), ("nextest", "r")]
    )
    found = next((w for w in wanted if words[at : at + len(w)] == w), None)
    return at + len(found) if found else None
