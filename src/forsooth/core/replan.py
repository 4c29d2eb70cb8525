"""A brief edited after its plan was sealed: what is proposed, and what that changes.

Steering a person accepted stays; an agent's supersession that nobody confirmed ends when a person
seals a brief that still names the goal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from forsooth.core.assignment import quoted
from forsooth.core.facets import checked, criterion_facets, goal_facets, policy_facets, turns
from forsooth.core.plan import Criterion, Goal, Plan
from forsooth.core.policy import Policy
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
        unedited = goal.is_steered or one.goal == goal
        if unedited and (gone.confirmed or gone.replacements):
            set_aside.append(goal.id)
        else:
            dropped.update(_descendants(state, gone.replacements))
    return wanted.but(
        goals=tuple(g for g in wanted.goals if g.id not in dropped or not g.is_steered),
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
    kept = [id_ for id_ in old if id_ in new]
    if kept != [id_ for id_ in new if id_ in old]:
        found.append(Change("~", f"order: {', '.join(new)}"))
    return tuple(found)


def policy_changes(before: Policy, after: Policy) -> tuple[Change, ...]:
    """What a new seal would hold the plan to instead."""
    found = turns(policy_facets(before), policy_facets(after))
    return tuple(Change("~", f"policy {turn.says}", turn.loosens) for turn in found)


def _header(before: Plan, after: Plan) -> Iterator[Change]:
    pairs = (
        ("binds every goal", quoted(before.preamble), quoted(after.preamble)),
        ("stays green", _suite(before), _suite(after)),
        ("delivered", before.deliver, after.deliver),
        ("upstream", before.upstream or "", after.upstream or ""),
    )
    loosens = {"stays green": before.suite is not None, "upstream": after.upstream is not None}
    for name, old, new in pairs:
        if old != new:
            says = f"{name}: {old or 'none'} → {new or 'none'}"
            yield Change("~", says, loosens.get(name, False))
    if before.preamble != after.preamble and quoted(before.preamble) == quoted(after.preamble):
        yield Change("~", "binds every goal: said otherwise further down")


def _suite(plan: Plan) -> str:
    return checked(plan.suite) if plan.suite else ""


def _goal(before: Goal, after: Goal) -> Iterator[Change]:
    for turn in turns(goal_facets(before), goal_facets(after)):
        yield Change("~", f"{after.id} {turn.says}", turn.loosens)
    yield from _criteria(after.id, before.entry + before.criteria, after.entry + after.criteria)


def _criteria(
    goal: str, before: tuple[Criterion, ...], after: tuple[Criterion, ...]
) -> Iterator[Change]:
    """A claim under a new id is shown as the old one changed, when it is still the same claim."""
    old = {criterion.id: criterion for criterion in before}
    new = {criterion.id: criterion for criterion in after}
    gone = [one for id_, one in old.items() if id_ not in new]
    for id_, criterion in new.items():
        was = old.get(id_) or next((one for one in gone if one.says == criterion.says), None)
        if was is None:
            yield Change("+", f"{id_} {criterion.says}")
            continue
        gone = [one for one in gone if one.id != was.id]
        named = id_ if was.id == id_ else f"{was.id} → {id_}"
        for turn in turns(criterion_facets(was), criterion_facets(criterion)):
            yield Change("~", f"{named} {turn.says}", turn.loosens)
    yield from (Change("-", f"{one.id} {one.says}", True) for one in gone)
    if old == new and tuple(old) != tuple(new):
        yield Change("~", f"{goal} order of its criteria")
