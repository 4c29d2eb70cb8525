"""A program's arguments told apart: flags, flags with a value, and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from forsooth.shell.marks import plain


class Options(NamedTuple):
    """What was switched on, with which values, and what is left; `at` is where the rest begins."""

    flags: frozenset[str]
    values: dict[str, str]
    rest: list[str]
    at: int

    def any(self, *names: str) -> bool:
        """Whether one of several flags is on; a long one may be cut short, as GNU programs allow.

        A short name is one letter; with or without a value does not matter.
        """
        given = self.flags | self.values.keys()
        longs = [name for name in given if len(name) > 1]
        return any(
            name in given or (len(name) > 1 and any(name.startswith(one) for one in longs))
            for name in names
        )

    def value(self, *names: str) -> str:
        """The value of the first flag that has one."""
        return next((self.values[name] for name in names if name in self.values), "")


def options(args: Sequence[str], *, valued: Iterable[str] = (), leading: bool = False) -> Options:
    """Read arguments as most programs do; `leading` stops at the first that is no flag."""
    takes, flags, values, rest = set(valued), set[str](), dict[str, str](), list[str]()
    at, count = 0, len(args)
    while at < count:
        word = args[at]
        at += 1
        if word == "--":
            rest += args[at:]
            break
        if word.startswith("--"):
            name, has, value = word[2:].partition("=")
            if not has and name in takes and at < count:
                value, at, has = args[at], at + 1, "="
            values.update({name: value} if has else {})
            flags.update(() if has else (name,))
        elif word.startswith("-") and word != "-":
            at = _cluster(word[1:], args, at, takes=takes, flags=flags, values=values)
        elif leading:
            return Options(frozenset(flags), values, list(args[at - 1 :]), at - 1)
        else:
            rest.append(word)
    return Options(frozenset(flags), values, rest, at)


def _cluster(
    letters: str,
    args: Sequence[str],
    at: int,
    *,
    takes: set[str],
    flags: set[str],
    values: dict[str, str],
) -> int:
    """Letters after one dash; the first that takes a value takes what follows it."""
    for place, letter in enumerate(letters):
        if letter in takes:
            value = letters[place + 1 :]
            if not value and at < len(args):
                value, at = args[at], at + 1
            values[letter] = value
            break
        flags.add(letter)
    return at


def base(word: str) -> str:
    """A program's name without its folder, in small letters as some file systems see it."""
    return plain(word).rstrip("/").rpartition("/")[2].casefold()
