"""Where a plan stands in a few hundred characters, for an agent that has forgotten or must go on.

Made from the state alone, so that it reads the same after every compaction.
"""

from __future__ import annotations

from datetime import datetime

from forsooth.core.assignment import quoted
from forsooth.core.next import next_steps
from forsooth.core.plan import Criterion
from forsooth.core.state import GoalState, State
from forsooth.core.status import goal_status, plan_status, weak_goals
from forsooth.core.why import why

LONGEST = 600
ORDER = ("regressed", "failing", "untested", "passing")


def recap(state: State, now: datetime) -> str:
    """The goal, what is proven, what is missing, the next command and the last checks."""
    plan, told = state.definition or state.proposal, why(state, now)
    if plan is None or told is None:
        return ""
    proven = [one.goal.id for one in state.live if goal_status(one, now) == "done"]
    of = f"{len(proven)} of {len(state.live) or len(plan.goals)} goals proven"
    shown = f" ({quoted(', '.join(proven), 40)})" if proven else ""
    weak = [id_ for id_ in weak_goals(state) if id_ in proven]
    shown += f", weak contract: {quoted(', '.join(weak), 40)}" if weak else ""
    lines = [f"Forsooth plan {plan.id}: {plan_status(state, now)}, {of}{shown}."]
    one = _current(state, now)
    if one is not None:
        lines.append(f"Goal {one.goal.id}: {quoted(one.goal.title, 60)}.")
        rows = missing(one)
        lines += [f"Missing: {quoted('; '.join(rows), 130)}."] if rows else []
    lines.append(f"{quoted(told.says, 70)}. Next: {quoted(told.command, 70)}")
    lines += [f"Last checks: {', '.join(state.crumbs)}."] if state.crumbs else []
    text = "\n".join(lines)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def unproven(state: State, now: datetime) -> str:
    """The criterion that most wants mending, in one line; empty when no goal is open."""
    one = _current(state, now)
    return next(iter(missing(one)), "") if one else ""


def missing(one: GoalState) -> tuple[str, ...]:
    """The criteria of a goal that are not proven, what regressed first."""
    rows = [c for c in one.goal.criteria if one.standing(c.id).status != "passing"]
    rows.sort(key=lambda criterion: ORDER.index(one.standing(criterion.id).status))
    return tuple(_row(one, criterion) for criterion in rows)


def _row(one: GoalState, criterion: Criterion) -> str:
    standing = one.standing(criterion.id)
    seen = "" if criterion.hidden else quoted(standing.reason or standing.code, 60)
    told = f" ({seen})" if seen else ""
    return f"{criterion.id} {standing.status}: {quoted(criterion.shown, 80)}{told}"


def _current(state: State, now: datetime) -> GoalState | None:
    """The goal the next step is about, else the first that is not proven."""
    for step in next_steps(state, now):
        one = state.goals.get(getattr(step, "goal", "") or getattr(step, "subject", ""))
        if one is not None:
            return one
    open_ = (one for one in state.live if goal_status(one, now) != "done")
    return next(open_, None)
