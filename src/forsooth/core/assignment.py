"""What an agent is told: the goal, what must hold, what already does, and the next command.

Text that came from a run is data: one line, quoted, without control characters, capped.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import NamedTuple

from forsooth.core.check import Check
from forsooth.core.gate import weak_contract
from forsooth.core.plan import Criterion, Goal
from forsooth.core.state import GoalState, State

CAP = 300
_ANYONE = "agent|environment|human|time"


class Told(NamedTuple):
    """One criterion, how it is checked and what was last seen of it."""

    id: str
    says: str
    seen: str = ""
    action: str = ""


class Advice(NamedTuple):
    """What is known beyond the ledger about a criterion that fails."""

    since: str = ""
    action: str = ""


class Assignment(NamedTuple):
    """Everything an agent needs for one attempt, and nothing else."""

    goal: str
    title: str
    attempt: str
    tries: str
    objective: str
    preamble: str
    regressed: tuple[Told, ...]
    failing: tuple[Told, ...]
    to_prove: tuple[Told, ...]
    passing: tuple[Told, ...]
    touch: tuple[str, ...]
    never: tuple[str, ...]
    may_change: tuple[str, ...]
    may_move: tuple[str, ...]
    may_remove: tuple[str, ...]
    others: tuple[Told, ...]
    before: tuple[Told, ...]
    suite: str
    unprovable: str
    done: str
    blocked: str


def quoted(text: str, cap: int = CAP) -> str:
    """Foreign text as one harmless line."""
    flat = "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
    return flat if len(flat) <= cap else flat[: cap - 1] + "…"


def assign(
    state: State, goal: str, *, token: str = "", advice: Mapping[str, Advice] | None = None
) -> Assignment:
    """The assignment for the open attempt at a goal, with advice by criterion."""
    one = state.goals[goal]
    rows = {status: list[Told]() for status in ("regressed", "failing", "untested", "passing")}
    for criterion in one.goal.criteria:
        rows[one.standing(criterion.id).status].append(
            _told(one, criterion, (advice or {}).get(criterion.id, Advice()))
        )
    plan = state.plan
    suite = plan.suite if plan else None
    claim = f"forsooth done {goal}" + (f" --token {token}" if token else "")
    weak = weak_contract(state, one)
    needs = 'human --why "no criterion says how it is proven"' if weak else f'{_ANYONE} --why "…"'
    return Assignment(
        goal=goal,
        title=one.goal.title,
        attempt=one.attempt.id if one.attempt else "",
        tries=f"{one.spent} of {state.policy.attempts}",
        objective=one.goal.objective,
        preamble=plan.preamble if plan else "",
        regressed=tuple(rows["regressed"]),
        failing=tuple(rows["failing"]),
        to_prove=tuple(rows["untested"]),
        passing=tuple(rows["passing"]),
        touch=one.goal.fence.touch,
        never=one.goal.fence.never,
        may_change=one.goal.may_change,
        may_move=one.goal.may_move,
        may_remove=one.goal.may_remove,
        others=_others(state, one),
        before=_before(state, one),
        suite=shown(suite) if suite else "",
        unprovable="; ".join(
            f"{one.says} [{one.code}]. To change that: {one.hint}" for one in weak
        ),
        done=claim,
        blocked=f"forsooth block {goal} --needs {needs}",
    )


def shown(check: Check) -> str:
    """A check's argv as a person would type it; a shell line as it was written."""
    parts = [str(part) for part in check.params.get("argv", ())]
    if parts[:4] == ["bash", "-o", "pipefail", "-c"]:
        return parts[4]
    return shlex.join(parts)


def _told(one: GoalState, criterion: Criterion, advice: Advice) -> Told:
    standing = one.standing(criterion.id)
    if criterion.hidden:
        return Told(criterion.id, criterion.shown)
    seen = quoted(standing.reason or standing.code)
    if advice.since:
        seen = f"{advice.since}; {seen}"
    return Told(criterion.id, criterion.says, seen, advice.action)


def _before(state: State, one: GoalState) -> tuple[Told, ...]:
    """What the goals this one builds on left behind."""
    rows: list[Told] = []
    for id_ in one.goal.depends_on:
        other = state.goals.get(id_)
        if other and other.proof and other.proof.receipt.summary:
            rows.append(Told(id_, other.goal.title, quoted(other.proof.receipt.summary)))
    return tuple(rows)


def _others(state: State, one: GoalState) -> tuple[Told, ...]:
    """What the plan's other goals hold: their allowed paths and permissions, and how far each is.

    One that holds nothing is left out, unless it is proven: then its work is not to be changed.
    """
    rows: list[Told] = []
    for other in state.live:
        if other.goal.id == one.goal.id:
            continue
        held = "; ".join(f"{what} {', '.join(names)}" for what, names in rights(other.goal))
        begun = "begun, not proven" if other.attempts else "not begun"
        if held or other.is_proven:
            rows.append(Told(other.goal.id, held, "proven" if other.is_proven else begun))
    return tuple(rows)


def rights(goal: Goal) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Where a goal may go and what of the tests it may change, in words; what is empty left out."""
    rows = (
        ("changes only", goal.fence.touch),
        ("never touches", goal.fence.never),
        ("may change", goal.may_change),
        ("may move", goal.may_move),
        ("may remove", goal.may_remove),
    )
    return tuple((what, names) for what, names in rows if names)


def render(told: Assignment) -> str:
    """The assignment as text for a model."""
    lines = [f"# {told.goal} {told.title}", f"attempt {told.attempt} ({told.tries})", ""]
    lines += [told.objective, ""]
    if told.preamble:
        lines += ["Constraints that bind every goal:", told.preamble, ""]
    for heading, rows in (
        ("From the goals before:", told.before),
        ("Regressed, held before and no longer does; mend these first:", told.regressed),
        ("Still failing:", told.failing),
        ("To prove:", told.to_prove),
        ("Already proven; leave so, they are checked again:", told.passing),
    ):
        if rows:
            lines += [heading, *(_row(row) for row in rows), ""]
    if told.suite:
        lines += [f"Stays green throughout: `{told.suite}`", ""]
    if told.others:
        heading = "Other goals in the same tree; leave what is proven as it is:"
        lines += [heading, *(_held(row) for row in told.others), ""]
    for what, names in (
        ("Change only", told.touch),
        ("Never touch", told.never),
        ("May change", told.may_change),
        ("May move", told.may_move),
        ("May remove", told.may_remove),
    ):
        lines += [f"{what}: {', '.join(names)}"] if names else []
    if told.unprovable:
        lines += ["A claim cannot prove this goal as the plan is now:", f"  {told.unprovable}", ""]
    lines += [
        f"When it holds:     {told.done}",
        f"If it cannot be:   {told.blocked}",
        "Your word does not complete it; the judge runs the criteria on a clean copy.",
    ]
    return "\n".join(lines)


def _held(row: Told) -> str:
    return f"- {row.id} ({row.seen})" + (f": {row.says}" if row.says else "")


def _row(row: Told) -> str:
    seen = f"\n  last seen: {row.seen}" if row.seen else ""
    return f"- {row.id} {row.says}{seen}" + (f"\n  try: {row.action}" if row.action else "")
