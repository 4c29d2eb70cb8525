"""Questions asked of a state: what is done, blocked, ready. Nobody can set the answers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from forsooth.core.blocker import SHOWN, Blocker
from forsooth.core.cadence import is_due
from forsooth.core.state import GoalState, State

GoalStatus = Literal["superseded", "blocked", "expired", "done", "active", "pending"]
PlanStatus = Literal["dropped", "draft", "done", "paused", "active"]


def obstacles(one: GoalState, now: datetime) -> tuple[Blocker, ...]:
    """The blockers that stand in a goal's way at this time."""
    return tuple(blocker for blocker in one.blockers if blocker.holds_at(now))


def goal_status(one: GoalState, now: datetime) -> GoalStatus:
    """The first line of the table that holds."""
    if one.superseded:
        return "superseded"
    if obstacles(one, now):
        return "blocked"
    if one.expired:
        return "expired"
    if is_done(one, now):
        return "done"
    return "active" if one.attempt else "pending"


def is_done(one: GoalState, now: datetime) -> bool:
    """A fresh receipt; for a goal that comes round again, one within its interval."""
    cadence = one.goal.cadence
    return one.is_proven and (cadence is None or not is_due(cadence, one.achieved, now=now))


def shown_status(state: State, one: GoalState, now: datetime) -> str:
    """The status as people read it: blocked by its kind, pending or ready."""
    status = goal_status(one, now)
    if status == "blocked":
        return SHOWN[obstacles(one, now)[0].kind]
    if status == "pending" and state.sealed and not waits_for(state, one, now):
        return "ready"
    return status


def is_settled(state: State, goal: str, now: datetime) -> bool:
    """Whether goals that depend on this one may start."""
    one = state.goals.get(goal)
    if one is None:
        return False
    if one.superseded:
        return all(is_settled(state, id_, now) for id_ in one.superseded.replacements)
    return goal_status(one, now) == "done"


def waits_for(state: State, one: GoalState, now: datetime) -> tuple[str, ...]:
    """The dependencies that are not settled yet."""
    return tuple(id_ for id_ in one.goal.depends_on if not is_settled(state, id_, now))


def awaiting(state: State) -> tuple[str, ...]:
    """The criteria that wait for a person's agreement, each once."""
    asked = (id_ for one in state.live if not one.is_proven for id_ in one.awaiting)
    return tuple(dict.fromkeys((*asked, *state.awaiting)))


def counted(state: State) -> tuple[GoalState, ...]:
    """The goals whose proof completes the plan."""
    return tuple(one for one in state.live if one.goal.cadence is None)


def weak_goals(state: State) -> tuple[str, ...]:
    """Live goals that no criterion of a person proves: whatever says proven says so of them."""
    return tuple(one.goal.id for one in state.live if one.goal.is_weak)


def unconfirmed(state: State) -> tuple[str, ...]:
    """Goals an agent set aside without a replacement, which no person has confirmed."""
    return tuple(
        id_
        for id_, one in state.goals.items()
        if one.superseded and not one.superseded.confirmed and not one.superseded.replacements
    )


def plan_status(state: State, now: datetime) -> PlanStatus:
    """The first line of the table that holds; `dropped` is asked before `draft`."""
    if state.dropped:
        return "dropped"
    if not state.sealed:
        return "draft"
    if state.is_proven and all(goal_status(one, now) == "done" for one in counted(state)):
        return "done"
    return "paused" if state.paused else "active"
