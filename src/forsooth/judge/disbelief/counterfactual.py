"""New tests must notice that the work is missing, or they prove nothing by passing with it.

1. The new tests over the sources of the base. 2. Where they cannot even load there: over the
delivered sources, made hollow. Only a test that fails by itself counts; a suite that no longer
loads is split until one does, and where none does nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from forsooth.git.trees import SUBMODULE, Change
from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.recipe import Edit, Edits
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Room
from forsooth.judge.disbelief.bodies import bodies
from forsooth.judge.disbelief.bodies.body import Body, filled
from forsooth.judge.disbelief.colour import Colour, colour
from forsooth.judge.disbelief.sites import literals
from forsooth.judge.reports.report import Report


class Limit(NamedTuple):
    """How many runs may be spent on one criterion, and how many seconds of running."""

    runs: int = 12
    seconds: float = 300.0


LIMIT = Limit()


def all_new(report: Report, known: Iterable[str]) -> bool:
    """Whether no test that was run is one the seal knew: only then is this ward asked."""
    before = set(known)
    return bool(report.tests) and not any(test.id in before for test in report.tests)


def counterfactual(
    room: Room,
    *,
    base: str,
    delivered: str,
    changes: tuple[Change, ...],
    test_side: Callable[[str], bool],
    report: Report | None,
    limit: Limit = LIMIT,
) -> Doubted:
    """Whether the tests can tell the work from none. Without a report the exit status is asked."""
    tests = tuple(change for change in changes if test_side(change.path))
    product = tuple(change for change in changes if not test_side(change.path))
    purse = _Purse(room, report, limit)
    over = purse.tried(base, _delivered(room.look(delivered), tests), bare=True)
    if over == "green":
        return Flaw("green-before", "the tests that are run pass without the work")
    if over == "red":
        return Held("counterfactual")
    work = _Work(room.look(base), room.look(delivered), product)
    return _hollowed(purse, delivered, work)


def over_base(
    room: Room, *, base: str, delivered: str, tests: Iterable[Change], report: Report | None
) -> Doubted:
    """Whether tests that were let change still tell the work from none."""
    edits = _delivered(room.look(delivered), tuple(tests))
    if colour(room.tried(room.edited(base, edits)), report, bare=True) == "green":
        return Flaw("green-before", "as they were changed, the tests pass without the work")
    return Held("counterfactual")


def _hollowed(purse: _Purse, tree: str, work: _Work) -> Doubted:
    """Every way to spoil the work, mildest first: one red holds, and all green is a flaw."""
    seen: list[Colour] = []
    for part in work.parts():
        if not part:
            continue
        seen += _split(purse, tree, part)
        if "red" in seen:
            return Held("counterfactual")
    if purse.empty:
        return Lacking("counterfactual", f"{purse.runs} runs showed nothing")
    if not seen:
        return Lacking("counterfactual", "no changed function could be stubbed")
    if "weak" in seen or "broken" in seen:
        return Lacking("counterfactual", "with the changed functions stubbed the tests do not load")
    return Flaw("cannot-fail", "the new tests still pass when every changed function does nothing")


def _split(purse: _Purse, tree: str, part: tuple[Spoilt, ...]) -> list[Colour]:
    """A part at once; if nothing loads then, its files one by one, then each thing in them."""
    first = purse.tried(tree, _edits(part))
    if first in ("red", "green"):
        return [first]
    seen: list[Colour] = [first]
    files = list(dict.fromkeys(one.path for one in part))
    groups = [tuple(one for one in part if one.path == path) for path in files]
    smaller = groups if len(groups) > 1 else [(one,) for one in part if len(part) > 1]
    for group in smaller:
        if purse.empty or "red" in seen:
            break
        seen += _split(purse, tree, group)
    return seen


class Spoilt(NamedTuple):
    """One thing of the work that is taken back: a body, literals, or a whole file."""

    path: str
    mode: str
    now: bytes
    body: Body | None = None
    was: Edit | None = None


def _edits(part: tuple[Spoilt, ...]) -> Edits:
    made: dict[str, Edit | None] = {}
    for path in dict.fromkeys(one.path for one in part):
        here = [one for one in part if one.path == path]
        found = [one.body for one in here if one.body]
        made[path] = Edit(filled(here[0].now, found), here[0].mode) if found else here[0].was
    return made


class _Work(NamedTuple):
    """What was delivered of the product, beside what was there."""

    before: Look
    now: Look
    changes: tuple[Change, ...]

    def parts(self) -> Iterator[tuple[Spoilt, ...]]:
        """Plain bodies; constructors and scripts too; literals; files that are no code."""
        found = tuple(self._bodies())
        plain = tuple(one for one in found if one.body and not one.body.rough)
        yield plain
        yield found if len(found) > len(plain) else ()
        yield tuple(self._literals())
        yield tuple(self._others())

    def _bodies(self) -> Iterator[Spoilt]:
        for change, was, now in self._files():
            for body in bodies(change.path, was, now) or ():
                yield Spoilt(change.path, change.new_mode, now, body)

    def _literals(self) -> Iterator[Spoilt]:
        for change, was, now in self._files():
            for site in literals(change.path, was, now):
                body = Body(site.within, site.line, (site.put,))
                yield Spoilt(change.path, change.new_mode, now, body)

    def _others(self) -> Iterator[Spoilt]:
        for change, was, now in self._files():
            if bodies(change.path, was, now) is None:
                old = None if was is None else Edit(was, change.old_mode)
                yield Spoilt(change.path, change.new_mode, now, was=old)

    def _files(self) -> Iterator[tuple[Change, bytes | None, bytes]]:
        for change in self.changes:
            if change.new_mode.startswith("100"):
                now = self.now.read(change.path)
                was = self.before.read(change.path) if change.status != "A" else None
                if now is not None:
                    yield change, was, now


class _Purse:
    """Runs, as long as there are some left."""

    def __init__(self, room: Room, report: Report | None, limit: Limit) -> None:
        self._room, self._report, self._limit = room, report, limit
        self.runs, self._seconds = 0, 0.0

    @property
    def empty(self) -> bool:
        return self.runs >= self._limit.runs or self._seconds >= self._limit.seconds

    def tried(self, tree: str, edits: Edits, *, bare: bool = False) -> Colour:
        if self.empty:
            return "weak"
        self.runs += 1
        trial = self._room.tried(self._room.edited(tree, edits))
        self._seconds += trial.ran.took
        return colour(trial, self._report, bare=bare)


def _delivered(look: Look, tests: tuple[Change, ...]) -> Edits:
    """The tests as they were delivered, onto a tree that has them otherwise or not at all."""
    made: dict[str, Edit | None] = {}
    for change in tests:
        if SUBMODULE in (change.old_mode, change.new_mode):
            continue
        data = look.read(change.path) if change.status != "D" else None
        made[change.path] = None if data is None else Edit(data, change.new_mode)
    return made
