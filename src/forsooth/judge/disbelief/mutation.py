"""Code put wrong on purpose: a test that stays green then says nothing about that code.

Mutants a plan declares decide; those made here from the changed lines are a measure, and decide
only where nothing else has shown that the tests can fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import NamedTuple

from forsooth.core.assignment import quoted
from forsooth.core.plan import Mutant
from forsooth.git.trees import Change
from forsooth.judge.checks.recipes.recipe import Edit
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Room, Trial
from forsooth.judge.disbelief.bodies.body import put_in
from forsooth.judge.disbelief.colour import Colour, colour
from forsooth.judge.disbelief.sites import Site, sites
from forsooth.judge.reports.report import Report

_FEW = 3  # so many must be tried before their survival says anything
_FALLBACK = 6


class SpotMutant(NamedTuple):
    """A changed line with one thing in it put wrong."""

    path: str
    site: Site

    def __str__(self) -> str:
        return f"{self.path}:{self.site.line} {self.site.says}"


class Spot(NamedTuple):
    """What a spot check found: which mutants were caught, and which were not."""

    caught: tuple[SpotMutant, ...] = ()
    survived: tuple[SpotMutant, ...] = ()
    left: int = 0

    @property
    def tried(self) -> int:
        """How many mutants came to anything."""
        return len(self.caught) + len(self.survived)

    @property
    def doubted(self) -> Doubted:
        """A word for the strength; never a refusal."""
        if not self.tried:
            return Lacking("mutants", "no changed line could be mutated")
        if not self.caught:
            return Lacking("mutants", f"{self.tried} tried")
        return Held("mutants", (len(self.caught), self.tried))

    def demanded(self) -> Flaw | None:
        """The refusal, asked for only where neither base nor counterfactual showed a real red."""
        if self.tried < _FEW or self.caught:
            return None
        said = f"none of {self.tried} mutants of the changed lines is noticed: {self.survived[0]}"
        return Flaw("cannot-fail", said)


def declared(
    room: Room, tree: str, mutants: tuple[Mutant, ...], *, report: Report | None = None
) -> tuple[Doubted, ...]:
    """Each declared mutant in a tree of its own; where none can be made, some of our own."""
    found = tuple(
        _declared(room, tree, mutant, number=number, report=report)
        for number, mutant in enumerate(mutants, 1)
    )
    if not found or any(not isinstance(one, Lacking) for one in found):
        return found
    return (*found, _fallback(room, tree, mutants, report=report))


def _declared(
    room: Room, tree: str, mutant: Mutant, *, number: int, report: Report | None
) -> Doubted:
    look = room.look(tree)
    now, old = look.read(mutant.path), mutant.replace.encode()
    if now is None or old not in now:
        return Lacking("mutant", f"number {number} does not apply to {mutant.path}")
    edit = Edit(now.replace(old, mutant.by.encode(), 1), look.mode(mutant.path) or "100644")
    match colour(room.tried(room.edited(tree, {mutant.path: edit})), report):
        case "green":
            said = f"{quoted(mutant.replace, 60)} by {quoted(mutant.by, 60)} in {mutant.path}"
            return Flaw("cannot-fail", f"mutant {number} is not noticed: {said}")
        case "red":
            return Held("mutant", (number,))
        case _:
            return Lacking("mutant", f"with number {number} the check does not start")


def _fallback(
    room: Room, tree: str, mutants: tuple[Mutant, ...], *, report: Report | None
) -> Doubted:
    """Mutants of our own in the files the declared ones name: one must be noticed."""
    look = room.look(tree)
    paths = dict.fromkeys(mutant.path for mutant in mutants)
    read = [(path, now) for path in paths if (now := look.read(path)) is not None]
    made = _by_turns((path, sites(path, None, now)) for path, now in read)[:_FALLBACK]
    seen: list[Colour] = []
    for one in made:
        seen.append(mutated(room, tree, one, report=report))
        if seen[-1] == "red":
            return Held("fallback-mutant")
    if "green" not in seen:
        return Lacking("mutants", "none could be made in the files that the plan names")
    return Flaw("cannot-fail", f"none of {seen.count('green')} mutants in {read[0][0]} is noticed")


def spot_check(
    room: Room,
    tree: str,
    *,
    changes: tuple[Change, ...],
    test_side: Callable[[str], bool],
    seconds: float,
    clock: Callable[[], float],
    base: str | None = None,
    report: Report | None = None,
    most: int = 24,
) -> Spot:
    """Mutants of changed product lines by turns, until the time is up; at least one is tried."""
    made = _mutants(room, tree, base, [one for one in changes if not test_side(one.path)])
    until = clock() + seconds
    caught: list[SpotMutant] = []
    survived: list[SpotMutant] = []
    for number, one in enumerate(made):
        if number >= most or (number and clock() >= until):
            break
        match mutated(room, tree, one, report=report):
            case "red":
                caught.append(one)
            case "green":
                survived.append(one)
            case _:
                pass
    left = len(made) - len(caught) - len(survived)
    return Spot(tuple(caught), tuple(survived), left)


def _mutants(
    room: Room, tree: str, base: str | None, changes: Iterable[Change]
) -> list[SpotMutant]:
    now, old = room.look(tree), room.look(base) if base else None
    found: list[tuple[str, tuple[Site, ...]]] = []
    for change in changes:
        data = now.read(change.path) if change.new_mode.startswith("100") else None
        if data is not None:
            before = old.read(change.path) if old and change.status != "A" else None
            found.append((change.path, sites(change.path, before, data)))
    return _by_turns(found)


def _by_turns(found: Iterable[tuple[str, tuple[Site, ...]]]) -> list[SpotMutant]:
    """One mutant of each function, then a second of each: no function takes all the time."""
    rows: dict[tuple[str, str], list[SpotMutant]] = {}
    for path, listed in found:
        for site in listed:
            rows.setdefault((path, site.within), []).append(SpotMutant(path, site))
    return [one for turn in zip_longest(*rows.values()) for one in turn if one]


def mutated(room: Room, tree: str, one: SpotMutant, *, report: Report | None) -> Colour:
    """How a criterion ends with a mutant in place."""
    look = room.look(tree)
    data = put_in(look.read(one.path) or b"", [one.site.put])
    trial: Trial = room.tried(
        room.edited(tree, {one.path: Edit(data, look.mode(one.path) or "100644")})
    )
    return colour(trial, report)
