"""One place that can be put wrong, and which lines of a file are new."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import NamedTuple

from forsooth.judge.disbelief.bodies.body import Put


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
