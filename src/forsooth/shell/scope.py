"""What a command line knows at one point of it: its folder, its variables, its functions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from forsooth.shell.marks import MADE, UNKNOWN, has_glob, is_known

DEEPEST = 40  # scripts inside scripts
TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108


class Place(NamedTuple):
    """Where a command would run, and whether the strict rules of a session specification hold."""

    cwd: str
    root: str
    home: str
    strict: bool = False
    temporary: str = TEMPORARY[0]


class Body(NamedTuple):
    """A function's body, with the script it stands in."""

    node: Node
    source: bytes


class Budget:
    """How much may still be looked at; a command line cannot make reading it endless."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Take from what is left."""
        self.left -= steps
        if self.left < 0:
            raise Exhausted


class Decided(Exception):
    """A rule is broken; nothing after it can change that."""


class Exhausted(Exception):
    """The command line is too involved to be read within bounds."""


class Scope:
    """One shell's state; a subshell works on its own copy."""

    def __init__(self, place: Place, budget: Budget) -> None:
        self.place, self.budget, self.cwd = place, budget, place.cwd
        self.values: dict[str, str] = {"IFS": " ", "HOME": place.home, "TMPDIR": place.temporary}
        self.functions: dict[str, Body] = {}
        self.feeds: dict[str, str] = {}
        self.stdin: str | None = None
        self.depth = 0
        self.piped = False  # the script came through a pipe
        self.away = False  # it runs on another machine

    @classmethod
    def at(cls, place: Place, steps: int) -> Scope:
        """A fresh shell in a place."""
        return cls(place, Budget(steps))

    def beside(self) -> Scope:
        """The same shell with an input of its own."""
        made = Scope(self.place, self.budget)
        made.values, made.functions, made.feeds = self.values, self.functions, dict(self.feeds)
        made.cwd, made.stdin, made.depth = self.cwd, self.stdin, self.depth
        made.piped, made.away = self.piped, self.away
        return made

    def inner(self) -> Scope:
        """What a subshell starts with."""
        made = self.beside()
        made.values, made.functions = dict(self.values), dict(self.functions)
        made.depth += 1
        return made

    def value(self, name: str) -> str:
        """A variable, as far as this command line itself says."""
        if name == "PWD":
            return self.cwd
        return self.values.get(name, UNKNOWN)

    def feed(self, text: str) -> str:
        """A path from which another command's output is read."""
        path = f"/dev/fd/{63 - len(self.feeds)}"
        self.feeds[path] = text
        return path


def is_made(path: str) -> bool:
    """Whether mktemp made it, in this same command line."""
    return path.startswith(MADE)


def is_scratch(path: str, place: Place) -> bool:
    """Whether a path surely lies below a temporary folder and takes nothing else with it."""
    if (
        not is_known(path)
        or has_glob(path)
        or any(_is_in(one, path) for one in (place.root, place.home))
    ):
        return False
    return any(path != one and _is_in(path, one) for one in _temporary(path, place))


def _temporary(path: str, place: Place) -> Iterator[str]:
    """The folders for scratch files; a home inside one is not scratch, nor is all around a home."""
    system = [os.path.realpath(one) for one in TEMPORARY]
    yield from (one for one in system if not (_is_in(place.home, one) and _is_in(path, place.home)))
    named = os.path.realpath(place.temporary)
    if os.path.isabs(place.temporary) and not _is_in(place.home, named):  # noqa: PTH117
        yield named


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
