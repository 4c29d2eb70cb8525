"""`forsooth status`: where are we, and the one next command."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from forsooth.cli import options, show
from forsooth.core.blocker import Blocker
from forsooth.core.state import GoalState, State
from forsooth.core.status import counted, is_done, obstacles, plan_status, shown_status, waits_for
from forsooth.core.why import why
from forsooth.errors import UsageError
from forsooth.project import Project


@click.command()
@click.option("--all", "everything", is_flag=True, help="List every plan of the repository.")
@options.which
@options.as_json
def command(*, everything: bool = False, plan: str = "", as_json: bool = False) -> None:
    """Say where the plan stands and the one command that comes next."""
    project = options.project()
    if everything:
        _list(project, as_json=as_json)
        return
    try:
        id_ = project.which(plan)
    except UsageError as error:
        if error.code != "no-plan":
            raise
        _nothing(as_json=as_json)
        return
    state, now = project.state(id_), project.now()
    if as_json:
        show.data(described(id_, state, now))
    else:
        show.lines(_rows(id_, state, now))


def _nothing(*, as_json: bool) -> None:
    says, command = "no plan here yet", "forsooth plan BRIEF.md"
    if as_json:
        show.data({"plan": None, "goals": [], "next": {"says": says, "command": command}})
    else:
        show.lines([says, f"next: {command}"])


def _list(project: Project, *, as_json: bool) -> None:
    found = project.plans()
    if as_json:
        show.data({"plans": [one._asdict() for one in found]})
    else:
        rows = [f"{one.id}  {one.status:8} {one.goals:3} goals  {one.source}" for one in found]
        show.lines(rows or ["no plan here yet"])


def described(id_: str, state: State, now: datetime) -> dict[str, Any]:
    """The whole status as one object."""
    plan = state.definition or state.proposal
    told = why(state, now)
    return {
        "plan": {
            "id": id_,
            "status": plan_status(state, now),
            "source": plan.source if plan else "",
            "digest": state.plan_digest,
            "sealed": state.seal_channel or None,
            "draft": bool(state.proposal and state.sealed),
            "seq": state.seq,
            "void": state.void,
            "unknown": state.unknown,
            "repairs": state.repairs,
        },
        "goals": [_goal(state, one, now) for one in _goals(state)],
        "next": {"says": told.says if told else "", "command": told.command if told else ""},
    }


def _goals(state: State) -> list[GoalState]:
    if state.goals or state.proposal is None:
        return list(state.goals.values())
    return [GoalState(goal=goal) for goal in state.proposal.goals]


def _goal(state: State, one: GoalState, now: datetime) -> dict[str, Any]:
    goal = one.goal
    return {
        "id": goal.id,
        "title": goal.title,
        "status": shown_status(state, one, now),
        "contract": "weak" if goal.is_weak else "strong",
        "attempt": one.attempt.id if one.attempt else None,
        "attempts": one.spent,
        "depends_on": list(goal.depends_on),
        "blockers": [blocker.plain() for blocker in obstacles(one, now)],
        "criteria": [
            {
                "id": criterion.id,
                "says": criterion.shown,
                "status": one.standing(criterion.id).status,
                "streak": one.standing(criterion.id).streak,
                "check": criterion.check.kind,
                "guard": criterion.guard,
            }
            for criterion in goal.criteria
        ],
    }


def _rows(id_: str, state: State, now: datetime) -> list[show.Line]:
    plan = state.definition or state.proposal
    goals = counted(state)
    proven = sum(is_done(one, now) for one in goals)
    source = f"  {plan.source}" if plan and plan.source else ""
    tally = f"  {proven} of {len(goals)} goals proven" if state.sealed else ""
    rows: list[show.Line] = [(f"plan {id_}{source}  {plan_status(state, now)}{tally}", "bold")]
    for one in _goals(state):
        rows += _goal_rows(state, one, now)
    if state.proposal and state.sealed:
        rows.append(("  a new draft waits for your seal: forsooth seal", "yellow"))
    told = why(state, now)
    if told:
        rows += ["", f"{told.says}", f"next: {told.command}"]
    return rows


def _goal_rows(state: State, one: GoalState, now: datetime) -> list[show.Line]:
    status = shown_status(state, one, now)
    mark, style = show.MARKS.get(status, show.BLOCKED)
    notes = [f"{one.attempt.id} open"] if one.attempt else []
    waiting = waits_for(state, one, now)
    if waiting and status == "pending":
        notes.append(f"waits for {', '.join(waiting)}")
    notes += [_told(blocker) for blocker in obstacles(one, now)]
    note = f"  ({'; '.join(notes)})" if notes else ""
    rows: list[show.Line] = [(f"  {mark} {one.goal.id} {status:8} {one.goal.title}{note}", style)]
    if status in ("superseded", "done"):
        return rows
    for criterion in one.goal.criteria:
        standing = one.standing(criterion.id)
        streak = f" ×{standing.streak}" if standing.streak > 1 else ""
        rows.append(f"      {criterion.id} {standing.status}{streak}: {criterion.shown}")
    return rows


def _told(blocker: Blocker) -> str:
    return f"{blocker.id} needs {blocker.needs}: {blocker.why}"
