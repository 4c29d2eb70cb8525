"""`forsooth status`: where the plan stands, and the next command."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import click

from forsooth.cli import options, show
from forsooth.core.blocker import Blocker
from forsooth.core.ids import SUITE
from forsooth.core.state import GoalState, State
from forsooth.core.status import (
    awaiting,
    counted,
    is_done,
    obstacles,
    plan_status,
    shown_status,
    waits_for,
)
from forsooth.core.why import Answer, why
from forsooth.errors import UsageError
from forsooth.project import Project, telling

NAMED = 3
Since = Mapping[str, tuple[str, ...]]


@click.command()
@click.option("--all", "everything", is_flag=True, help="List every plan of the repository.")
@options.which
@options.as_json
def command(*, everything: bool = False, plan: str = "", as_json: bool = False) -> None:
    """Show where the plan stands and the next command."""
    project = options.project()
    if everything:
        _list(project, as_json=as_json)
        return
    try:
        id_ = project.which(plan)
    except UsageError as error:
        if error.code != "no-plan":
            raise
        _nothing(project, as_json=as_json)
        return
    state, now = project.state(id_), project.now()
    since = project.changed_since(state)
    sealing = project.seal_told(id_, state) or telling.moved_on(state, now, since)
    unheard = project.unheard(id_, state)
    if as_json:
        told = telling.standing(id_, state, now, sealing=sealing, since=since, unheard=unheard)
        show.data(told)
    else:
        rows = _rows(id_, state, now, sealing=sealing, since=since)
        show.lines([*rows[:1], *show.unheard(unheard), *rows[1:]])


def _nothing(project: Project, *, as_json: bool) -> None:
    told = telling.nothing(command=project.begin_command, has_receipts=project.has_receipts())
    if as_json:
        show.data(told)
    else:
        show.lines([told["next"]["says"], f"next: {told['next']['command']}"])


def _list(project: Project, *, as_json: bool) -> None:
    found = project.plans()
    if as_json:
        show.data({"plans": [one._asdict() for one in found]})
    else:
        rows = [f"{one.id}  {one.status:8} {one.goals:3} goals  {one.source}" for one in found]
        show.lines(rows or ["no plan here yet"])


def _rows(
    id_: str, state: State, now: datetime, *, sealing: Answer | None, since: Since
) -> list[show.Line]:
    plan = state.definition or state.proposal
    goals = counted(state)
    proven = sum(is_done(one, now) for one in goals)
    source = f"  {plan.source}" if plan and plan.source else ""
    tally = f"  {proven} of {len(goals)} goals proven" if state.sealed else ""
    weak = [one.goal.id for one in goals if one.goal.is_weak and is_done(one, now)]
    tally += f" (weak contract: {', '.join(weak)})" if weak else ""
    rows: list[show.Line] = [(f"plan {id_}{source}  {plan_status(state, now)}{tally}", "bold")]
    rows += [row for one in state.live for row in _waived(one)]
    rows += [
        (f"  ⚠ waits for a person to agree: forsooth agree {id_}", "bold yellow")
        for id_ in awaiting(state)
    ]
    rows += _suite(state)
    for one in telling.goals(state):
        rows += _goal_rows(state, one, now)
        rows += _changed(one, since.get(one.goal.id, ()))
    if state.proposal and state.sealed:
        rows.append(("  a new draft waits for your seal: forsooth seal", "yellow"))
    told = sealing or why(state, now)
    if told:
        rows += ["", f"{told.says}", f"next: {told.command}"]
    return rows


def _waived(one: GoalState) -> list[show.Line]:
    """What a person set aside, before anything that is called proven."""
    return [
        (f"  ⚠ WAIVED, not proven: {id_} by {waiver.by}: {waiver.reason}", "bold yellow")
        for id_, waiver in one.waivers.items()
    ]


def _suite(state: State) -> list[show.Line]:
    """A suite that failed before the work is kept as far as it passed, and not called green."""
    before = state.ground.about(SUITE) if state.ground else None
    if before is None or before.red is None:
        return []
    return [(f"  the suite failed before the work: {before.reason or before.red}", "yellow")]


def _changed(one: GoalState, paths: tuple[str, ...]) -> list[show.Line]:
    """What a receipt no longer covers."""
    if not paths or one.proof is None:
        return []
    many = f"{len(paths)} relevant file{'s' if len(paths) > 1 else ''} changed since"
    names = ", ".join(paths[:NAMED]) + (", …" if paths[NAMED:] else "")
    return [(f"      proven at {one.proof.receipt.tree[:12]}; {many}: {names}", "yellow")]


def _goal_rows(state: State, one: GoalState, now: datetime) -> list[show.Line]:
    status = shown_status(state, one, now)
    mark, style = show.MARKS.get(status, show.BLOCKED)
    notes = ["weak contract"] if one.goal.is_weak else []
    notes += [f"{one.attempt.id} open"] if one.attempt else []
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
