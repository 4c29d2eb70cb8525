"""What the plan's other goals may have changed of the files that a criterion is judged by.

A permission (`May change`, `May move`, `May remove`) is given to one goal and serves all of them,
because all are proven in one tree. Which part of it counts depends on how far that goal is:

- Proven: its files are taken as its receipt's tree has them. They stand in the place of the sealed
  ones; the tests in them are then known from the run itself. A file that was changed again since is
  put back as the proven goal left it, not as it was sealed.
- Open, begun or not: only what was green before any work is judged with its files as they are, and
  the finding says so. For a criterion that was red they are as sealed: else the permission of one
  goal would let another edit what it is proven by.

New test files of a proven goal are sealed in this sense, too: where the work changed or removed one
without a permission, everything must also hold with that file as the proven goal left it. One that
the criteria of the judged goal or of an open one name, and its own do not, is that goal's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from forsooth.core.plan import Goal
from forsooth.git.edit import Put, edited
from forsooth.git.trees import Change
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.trial import Flaw, Trial
from forsooth.judge.court import Asked, Court
from forsooth.judge.disbelief.inventory import Sealed
from forsooth.judge.disbelief.leave import is_held_by
from forsooth.judge.ground import Record
from forsooth.judge.neighbour import Neighbour
from forsooth.judge.novelty import named_paths
from forsooth.judge.oracles import is_code
from forsooth.judge.reports.report import Report
from forsooth.judge.sides import Sides, is_test
from forsooth.judge.views import let_changes, named_in

Edits = Mapping[str, Put | None]
Tried = Callable[[str], tuple[Trial, Flaw | None]]


class Accepted(NamedTuple):
    """What counts of other goals' work for one criterion.

    `base` is the base with the files that proven goals had permission to change as they left them:
    these are `paths`, and `same` those of them that the judged tree has so. `fresh` are new tests
    of theirs, as they left them, that the judged tree has not.
    """

    base: str | None
    paths: frozenset[str] = frozenset()
    same: frozenset[str] = frozenset()
    fresh: Edits = {}

    def known(self, tests: Sealed, told: Report | None, theirs: Collection[str]) -> Sealed:
        """The tests that must be there: those of accepted files as the first run tells them.

        Nothing is asked of the tests in `theirs`, which came with the upstream.
        """
        kept = tests.without({*theirs, *self.paths})
        if not self.paths or told is None:
            return kept
        rows = [test for test in told.tests if is_held_by(self.paths, test.id)]
        return kept._replace(tests={**kept.tests, **{test.id: test.outcome for test in rows}})

    def kept(self, court: Court, last: Trial, tried: Tried) -> Iterator[Flaw]:
        """Why work does not hold that changed the new tests of a proven goal.

        It is tried with these as they were left: that must hold, and each test that passes then
        must be in `last`, the run as delivered.
        """
        if not self.fresh:
            return
        trial, flaw = tried(edited(court.rooms.repo, court.tree, self.fresh))
        if wrong := self._missed(trial, flaw, last):
            yield wrong

    def _missed(self, kept: Trial, flaw: Flaw | None, last: Trial) -> Flaw | None:
        names = shown(sorted(self.fresh))
        if flaw:
            says = f"passes only with {names} as changed; as another goal was proven with it"
            return Flaw("oracle-changed", f"{says}: {flaw.says}")
        if kept.told is None or last.told is None:
            return None
        ran = {test.id for test in last.told.tests if test.outcome not in ("skipped", "xfailed")}
        gone = [
            test.id
            for test in kept.told.tests
            if is_held_by(self.fresh.keys(), test.id)
            and test.outcome == "passed"
            and test.id not in ran
        ]
        if not gone:
            return None
        says = f"{len(gone)} tests that another goal was proven with no longer run"
        return Flaw("inventory", f"{says}: {shown(sorted(gone))}")


def accepted_work(asked: Asked, court: Court, record: Record) -> Accepted:
    """What counts of the work of goals that are proven and whose work is here."""
    here = [one for one in asked.beside if one.tree and one.is_here]
    if court.base is None or not here:
        return Accepted(court.base)
    changed = {change.path for change in court.rooms.look(court.tree).changes}
    left: dict[str, Put | None] = {}
    same: set[str] = set()
    for one in here:
        for path, put in _let(one, asked, court, record).items():
            if path not in changed or (path in same and path not in one.same):
                continue
            left[path] = put
            if path in one.same:
                same.add(path)
    base = edited(court.rooms.repo, court.base, left) if left else court.base
    return Accepted(base, frozenset(left), frozenset(same), dict(_fresh(here, asked, court)))


def _let(one: Neighbour, asked: Asked, court: Court, record: Record) -> dict[str, Put | None]:
    """What a proven goal had permission to change, as it left it."""
    named = {change.path for change in one.changed}.intersection(one.goal.fence.touch)
    goal = one.goal
    if not (goal.may_change or goal.may_move or goal.may_remove or named):
        return {}
    return let_changes(
        court.rooms.repo,
        (str(court.base), str(one.tree)),
        one.changed,
        criterion=asked.criterion,
        goal=goal,
        tests=[*record.tests.tests] if record.tests else None,
        oracles=record.oracles,
    )


def _fresh(here: list[Neighbour], asked: Asked, court: Court) -> Iterator[tuple[str, Put | None]]:
    """New tests of proven goals that the tree has otherwise, without a permission for that."""
    goal = asked.goal
    let = (*goal.may_change, *goal.may_move, *goal.may_remove) if goal else ()
    touch = goal.fence.touch if goal else ()
    same = frozenset(path for one in asked.beside for path in one.same)
    open_ = _run_by(filter(None, (goal, *(one.goal for one in asked.beside if one.is_open))))
    sides = Sides(court.rooms.look(court.tree).paths())
    for one in here:
        others = open_ - _run_by([one.goal])
        for change in one.changed:
            path = change.path
            is_free = path in same or path in touch or path in others or named_in(let, path)
            if _is_new_test(change, sides) and not is_free:
                yield path, Put(change.new_mode, id=change.new_id)


def _run_by(goals: Iterable[Goal]) -> frozenset[str]:
    """The files that the criteria of some goals name."""
    return frozenset(path for goal in goals for one in goal.criteria for path in named_paths(one))


def _is_new_test(change: Change, sides: Sides) -> bool:
    path = change.path
    return change.status == "A" and sides.holds(path) and (is_code(path) or is_test(path))


def widened(asked: Asked) -> Goal | None:
    """The goal with the permissions of those that are not proven yet."""
    goal, others = asked.goal, [one.goal for one in asked.beside if one.is_open]
    if goal is None or not others:
        return goal
    every = (goal, *others)
    return goal.but(
        may_change=tuple(path for one in every for path in one.may_change),
        may_move=tuple(path for one in every for path in one.may_move),
        may_remove=tuple(path for one in every for path in one.may_remove),
    )


def unproven_changes(asked: Asked, court: Court) -> Iterator[str]:
    """What differs by the permission of a goal that is not proven, for a person to see."""
    changes = court.rooms.look(court.tree).changes
    for one in asked.beside:
        goal = one.goal
        let = (*goal.may_change, *goal.may_move, *goal.may_remove)
        paths = [c.path for c in changes if named_in(let, c.path) and c.path not in one.same]
        if one.is_open and paths:
            yield f"{shown(paths)}: as changed for {goal.id}, which is not proven yet"


def still_named(
    argv: Iterable[str], asked: Asked, goal: Goal | None, paths: Collection[str]
) -> tuple[str, ...]:
    """An argv without the files that the plan lets move, and that did."""
    goals = (goal, *(one.goal for one in asked.beside if one.is_here))
    moves = [path for one in goals if one for path in one.may_move]
    return tuple(word for word in argv if word in paths or not named_in(moves, word))
