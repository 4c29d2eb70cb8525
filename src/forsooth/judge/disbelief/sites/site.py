"""One place that can be put wrong, and which lines of a file are new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from forsooth.git.trees import Change
from forsooth.judge.checker import Look
from forsooth.judge.disbelief.bodies.body import Put

LONGEST = 512 << 10


class Site(NamedTuple):
    """One mutant: how telling (0 most), where, in which function, and what it changes.

    `value` is a plain number, text or truth value: many of these can be wrong at once.
    """

    rank: int
    line: int
    within: str
    says: str
    put: Put
    value: bool = False


def changed(before: bytes | None, now: bytes) -> frozenset[int]:
    """The numbers of lines that are not in the old file."""
    new = now.splitlines()
    if before is None:
        return frozenset(range(1, len(new) + 1))
    matcher = SequenceMatcher(None, before.splitlines(), new, autojunk=False)
    return frozenset(
        number + 1
        for word, _, _, start, end in matcher.get_opcodes()
        if word in ("insert", "replace")
        for number in range(start, end)
    )


class Touched(NamedTuple):
    """A changed file as it is now, and the numbers of its new lines."""

    path: str
    text: str
    lines: frozenset[int]

    def new(self) -> Iterator[tuple[int, str]]:
        """Each new line by its number."""
        for number, line in enumerate(self.text.splitlines(), 1):
            if number in self.lines:
                yield number, line


def touched(changes: Iterable[Change], look: Look, before: Look | None) -> Iterator[Touched]:
    """Every plain file of a change that is not too long to be read."""
    for change in changes:
        now = look.read(change.path) if change.new_mode.startswith("100") else None
        if now is not None and len(now) <= LONGEST:
            old = before.read(change.path) if before and change.status != "A" else None
            yield Touched(change.path, now.decode("utf-8", "replace"), changed(old, now))
