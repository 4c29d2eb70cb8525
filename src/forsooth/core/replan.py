"""A brief edited after its plan was sealed: what is proposed, and what that changes.

Steering a person accepted stays; an agent's supersession that nobody confirmed ends when a person
seals a brief that still names the goal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from forsooth.core.plan import Criterion, Goal, Plan
from forsooth.core.state import State


class Change(NamedTuple):
    """One difference between two plans; `loosens` when less would have to be proven."""

    sign: str
    says: str
    loosens: bool = False


def propose(state: State, wanted: Plan) -> Plan:
    """The plan a brief asks for, with what steering has made of it since.

    A goal that was set aside stays so while the brief says of it what it said then. Edited, it is
    wanted again, and what agents had put in its place goes.
    """
    set_aside: list[str] = []
    dropped: set[str] = set()
    for goal in wanted.goals:
        one = state.goals.get(goal.id)
        gone = one.superseded if one else None
        if one is None or gone is None:
            continue
        if one.goal == goal and (gone.confirmed or gone.replacements):
            set_aside.append(goal.id)
        else:
            dropped.update(_descendants(state, gone.replacements))
    return wanted.but(
        goals=tuple(g for g in wanted.goals if g.id not in dropped or g.by == "person"),
        superseded=tuple(id_ for id_ in set_aside if id_ not in dropped),
    )


def _descendants(state: State, ids: Iterable[str]) -> Iterator[str]:
    for id_ in ids:
        yield id_
        one = state.goals.get(id_)
        if one and one.superseded:
            yield from _descendants(state, one.superseded.replacements)


def changes(before: Plan | None, after: Plan) -> tuple[Change, ...]:
    """Everything that differs, goal by goal, for the person who is asked to confirm it."""
    if before is None:
        return tuple(Change("+", f"{goal.id} {goal.title}") for goal in after.goals)
    found = list(_header(before, after))
    old = {g.id: g for g in before.goals if g.id not in before.superseded}
    new = {g.id: g for g in after.goals if g.id not in after.superseded}
    for id_, goal in new.items():
        if id_ not in old:
            found.append(Change("+", f"{id_} {goal.title}"))
        elif old[id_] != goal:
            found += _goal(old[id_], goal)
    found += [Change("-", f"{i} {g.title}", True) for i, g in old.items() if i not in new]
    if not found and tuple(old) != tuple(new):
        found.append(Change("~", f"order: {', '.join(new)}"))
    return tuple(found)


def _header(before: Plan, after: Plan) -> Iterator[Change]:
    if before.preamble != after.preamble:
        yield Change("~", "the constraints that bind every goal")
    if before.suite != after.suite:
        yield Change("~", "the suite that stays green", before.suite is not None)
    if before.deliver != after.deliver or before.upstream != after.upstream:
        yield Change("~", f"delivered: {after.deliver}")


def _goal(before: Goal, after: Goal) -> Iterator[Change]:
    id_ = after.id
    if before.title != after.title:
        yield Change("~", f"{id_} title: {after.title}")
    if before.objective != after.objective:
        yield Change("~", f"{id_} objective")
    if before.intent != after.intent:
        yield Change("~", f"{id_} intent: {after.intent}", True)
    if before.depends_on != after.depends_on:
        yield Change("~", f"{id_} after: {', '.join(after.depends_on) or 'nothing'}")
    if before.fence != after.fence:
        yield Change("~", f"{id_} fence: {_fence(after)}", True)
    yield from _permissions(before, after)
    yield from _criteria(id_, before.entry + before.criteria, after.entry + after.criteria)


def _fence(goal: Goal) -> str:
    touch = f"only {', '.join(goal.fence.touch)}" if goal.fence.touch else "anywhere"
    return f"{touch}, never {', '.join(goal.fence.never)}" if goal.fence.never else touch


def _permissions(before: Goal, after: Goal) -> Iterator[Change]:
    for name in ("may_change", "may_move", "may_remove", "expects", "cadence"):
        if getattr(before, name) != getattr(after, name):
            yield Change("~", f"{after.id} {name.replace('_', ' ')}", True)


def _criteria(
    goal: str, before: tuple[Criterion, ...], after: tuple[Criterion, ...]
) -> Iterator[Change]:
    old = {criterion.id: criterion for criterion in before}
    new = {criterion.id: criterion for criterion in after}
    for id_, criterion in new.items():
        if id_ not in old:
            yield Change("+", f"{id_} {criterion.says}")
        elif old[id_] != criterion:
            yield Change("~", f"{id_} {criterion.says}", True)
    for id_, criterion in old.items():
        if id_ not in new:
            yield Change("-", f"{id_} {criterion.says}", True)
    if old == new and tuple(old) != tuple(new):
        yield Change("~", f"{goal} order of its criteria")
