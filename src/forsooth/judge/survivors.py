"""Mutants that a criterion's own tests missed, tried with everything else that is judged.

A line that one criterion's tests do not cover may well be covered by the suite, or by another
criterion. So a mutant is told to a person only with the names of what really ran with it and did
not catch it. The runs are few and in a time box: about one run of the suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from forsooth.core.ids import SUITE
from forsooth.judge.disbelief.colour import Colour
from forsooth.judge.disbelief.mutation import Spot, SpotMutant

MOST = 3
LONGEST = 60.0
BRIEFEST = 2.0


class Noticing(NamedTuple):
    """A criterion that passes, what it tried already, and how it is run with one more mutant."""

    criterion: str
    took: float
    spot: Spot | None
    tried: Callable[[SpotMutant], Colour]

    @property
    def name(self) -> str:
        """The criterion as a sentence names it."""
        return "the suite" if self.criterion == SUITE else self.criterion


def uncaught(tests: list[Noticing]) -> tuple[str, ...]:
    """Mutants that nothing caught, each with what ran with it; those caught elsewhere are not."""
    return tuple(islice(_uncaught(tests), MOST))


def _uncaught(tests: list[Noticing]) -> Iterator[str]:
    ordered = sorted(tests, key=lambda test: (test.criterion != SUITE, test.criterion))
    spots = {test.name: test.spot for test in ordered if test.spot}
    caught = {mutant for spot in spots.values() for mutant in spot.caught}
    missed: dict[SpotMutant, list[str]] = {}
    for name, spot in spots.items():
        for mutant in spot.survived:
            missed.setdefault(mutant, []).append(name)
    box = min(LONGEST, max([BRIEFEST, *(test.took for test in tests if test.criterion == SUITE)]))
    spent = 0.0
    for mutant, names in missed.items():
        seen = mutant in caught
        for test in ordered:
            if seen or test.name in names or test.took > LONGEST or spent >= box:
                continue
            spent += max(test.took, 0.1)
            colour = test.tried(mutant)
            seen = colour == "red"
            if colour == "green":
                names.append(test.name)
        if not seen:
            yield f"{mutant}: not caught by {_listed(names)}"


def _listed(names: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
