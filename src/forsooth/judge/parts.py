"""A suite that only tells whether all of it passed, and did not: the parts of it that did.

make and npm stop at the first script that fails. What the base's own scripts say by themselves is
kept: one that passed there must pass on the work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from forsooth.core.plan import Criterion
from forsooth.judge.checker import Look
from forsooth.judge.checks.trial import Flaw, Trial
from forsooth.judge.mentions import is_code
from forsooth.judge.oracles import LOOKING, reading_of
from forsooth.judge.words import resolved

_NO_SCRIPT = LOOKING | {".", "source", "cd", "for"}
_MOST = 12


class Part(NamedTuple):
    """One script of a suite: how it is started, and where."""

    argv: tuple[str, ...]
    cwd: str
    path: str

    @property
    def shown(self) -> str:
        """The part as one would type it."""
        said = " ".join(self.argv)
        return f"(cd {self.cwd} && {said})" if self.cwd else said


Tried = Callable[[Part], Trial]


def parts(suite: Criterion, look: Look, rests: Collection[str]) -> Iterator[Part]:
    """The scripts that a suite comes to behind make, npm or a script of its own."""
    seen: set[str] = set()
    for said in reading_of(suite, look).spoken:
        paths = [resolved(word, said.cwd) for word in said.words[:2]]
        path = next((p for p in paths if p and p in rests and is_code(p)), None)
        if path is None or not said.source or said.program in _NO_SCRIPT or path in seen:
            continue
        if any("$" in word for word in said.words) or len(seen) == _MOST:
            continue
        seen.add(path)
        yield Part(said.words, said.cwd, path)


def lost(were: Collection[Part], look: Look, tried: Tried) -> Flaw | None:
    """The first part that passed on the base and does not now; none that may go, and went."""
    there = frozenset(look.paths())
    for part in were:
        if part.path in there and not (trial := tried(part)).passed:
            why = trial.end.reason if trial.end else ""
            return Flaw("failed", f"`{part.shown}` of the suite passed on the base: {why}")
    return None
