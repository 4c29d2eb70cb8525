"""What comes next, for everyone who asks: the loop, the command line, hooks and the fleet.

Pure, and never in a circle: every step changes the state it was derived from, or is a rest.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Literal, NamedTuple

from forsooth.core import gate
from forsooth.core.blocker import WHO, BlockerKind, Needs
from forsooth.core.cadence import due_at
from forsooth.core.instant import moment, written
from forsooth.core.state import GoalState, Seen, State
from forsooth.core.status import (
    counted,
    goal_status,
    is_done,
    obstacles,
    plan_status,
    unconfirmed,
    waits_for,
)
from forsooth.core.verdict import AWAITING, UNCLEAR

Ending = Literal["done", "partial", "waiting-human", "environment", "budget-spent", "stopped"]

NEEDS: dict[str, Needs] = {
    AWAITING: "human",
    UNCLEAR: "human",
    "hedged": "agent",
    "pending": "time",
}


class Work(NamedTuple):
    """Someone has begun and not yet claimed."""

    goal: str
    attempt: str


class Judge(NamedTuple):
    """A claim, or the whole plan, waits for a verdict."""

    subject: str
    attempt: str | None = None


class Integrate(NamedTuple):
    """A proven attempt waits to be merged onto what is delivered."""

    goal: str
    attempt: str


class Attest(NamedTuple):
    """A passing verdict waits for its receipt."""

    subject: str


class Open(NamedTuple):
    """A goal waits for an attempt, narrowed to what is not yet proven."""

    goal: str
    fix: tuple[str, ...] = ()
    entry: tuple[str, ...] = ()


class Block(NamedTuple):
    """A goal cannot go on by itself."""

    goal: str
    kind: BlockerKind
    needs: Needs
    why: str
    evidence: str = ""


class Repair(NamedTuple):
    """Every goal is done and the suite is red: a goal must be added to mend it."""

    why: str


class Wait(NamedTuple):
    """Someone or something else must act."""

    needs: Needs
    why: str
    command: str = ""
    goal: str = ""
    until: str | None = None
    stuck: bool = False


class Rest(NamedTuple):
    """Nothing to do, and how it ended."""

    ending: Ending


Step = Work | Judge | Integrate | Attest | Open | Block | Repair | Wait | Rest


def next_steps(
    state: State, now: datetime, *, busy: AbstractSet[str] = frozenset()
) -> tuple[Step, ...]:
    """Every step that can be taken now; `busy` names subjects somebody is already at."""
    status = plan_status(state, now)
    if status == "draft":
        return (_unsealed(state),)
    if status == "dropped" or state.paused:
        return (Rest("done" if status == "done" else "stopped"),)
    found = [_goal_step(state, one, now) for one in state.live]
    steps = tuple(step for step in found if step is not None and _about(step) not in busy)
    doing = tuple(step for step in steps if not isinstance(step, Wait))
    if doing:
        return doing
    goals = counted(state)
    if goals and all(goal_status(one, now) == "done" for one in goals) and "plan" not in busy:
        return (_plan_step(state, now),)
    if steps:
        return steps
    if gate.over_budget(state):
        return (Rest("budget-spent"),)
    return (_idle(state, now),)


def ending(steps: tuple[Step, ...]) -> Ending | None:
    """How a run ends here; none while there is something to do or to wait out."""
    if len(steps) == 1 and isinstance(steps[0], Rest):
        return steps[0].ending
    waits = [step for step in steps if isinstance(step, Wait)]
    if len(waits) < len(steps) or any(wait.until for wait in waits):
        return None
    if any(wait.stuck for wait in waits):
        return "partial"
    needs = {wait.needs for wait in waits}
    return "environment" if "environment" in needs and "human" not in needs else "waiting-human"


def _about(step: Step) -> str:
    return getattr(step, "goal", None) or getattr(step, "subject", "plan")


def _unsealed(state: State) -> Wait:
    if state.proposal is None:
        return Wait("human", "there is no plan yet", "forsooth plan BRIEF.md")
    return Wait("human", "the plan waits for a person's seal", "forsooth seal")


def _goal_step(state: State, one: GoalState, now: datetime) -> Step | None:
    goal, status = one.goal.id, goal_status(one, now)
    if status == "done":
        return None
    if status == "blocked":
        return _blocked(one, now)
    if status == "expired":
        why = f"the time for {goal} has passed"
        return Wait("human", why, f"forsooth why {goal}", goal, stuck=True)
    if one.attempt is not None:
        return _attempt_step(state, one, now)
    if waits_for(state, one, now):
        return _behind(state, one, now)
    if gate.over_budget(state):
        return None
    return _spent(state, one) or _open(one)


def _blocked(one: GoalState, now: datetime) -> Wait:
    blockers = obstacles(one, now)
    first, goal = blockers[0], one.goal.id
    ends = [b.until for b in blockers if b.until]
    until = max(ends, key=moment) if len(ends) == len(blockers) else None
    stuck = any(b.kind in ("stuck", "budget", "failed") for b in blockers)
    why = f"{goal} needs {WHO[first.needs]}: {first.why}"
    return Wait(first.needs, why, gate.lifts(one, first), goal, until, stuck)


def _behind(state: State, one: GoalState, now: datetime) -> Wait:
    """A goal whose dependencies are open; who must act is theirs to say."""
    waiting = waits_for(state, one, now)
    goal = one.goal.id
    return Wait(
        "agent", f"{goal} waits for {', '.join(waiting)}", f"forsooth why {waiting[0]}", goal
    )


def _open(one: GoalState) -> Open:
    fix = tuple(c.id for c in one.goal.criteria if one.standing(c.id).status != "passing")
    return Open(one.goal.id, fix, tuple(c.id for c in one.goal.entry))


def _spent(state: State, one: GoalState) -> Block | None:
    policy, goal = state.policy, one.goal.id
    if stuck := gate.stuck_on(one, policy):
        why = f"{', '.join(stuck)} failed {policy.stuck} times in a row"
        return Block(goal, "stuck", "human", why)
    if one.spent >= policy.attempts:
        return Block(goal, "budget", "human", f"all {policy.attempts} attempts are used")
    return None


def _attempt_step(state: State, one: GoalState, now: datetime) -> Step:
    attempt, seen, goal = one.attempt, one.verdict, one.goal.id
    assert attempt is not None  # noqa: S101
    if not attempt.submitted:
        return Work(goal, attempt.id)
    if seen is None or seen.seq <= max(attempt.submitted, attempt.integrated, one.touched):
        return Judge(goal, attempt.id)
    if seen.outcome == "inconclusive":
        return _again(one, seen, state) or Judge(goal, attempt.id)
    if seen.stage == "attempt" and not attempt.integrated:
        return Integrate(goal, attempt.id)
    against = gate.may_attest(state, goal, now=now)
    if not against:
        return Attest(goal)
    if any(reason.code == "other-plan" for reason in against):
        return Judge(goal, attempt.id)
    return Block(goal, "blocked", "human", "; ".join(reason.says for reason in against))


def _again(one: GoalState, seen: Seen, state: State) -> Block | None:
    """An error is tried once more, unless only someone else can settle it."""
    if one.awaiting:
        why = f"a person has yet to agree: {', '.join(one.awaiting)}"
        return Block(one.goal.id, "waiting", "human", why, AWAITING)
    needs = _needs(seen)
    if seen.awaiting or (needs == "environment" and one.errors < state.policy.errors):
        return None
    kind: BlockerKind = "waiting" if needs in ("human", "time") else "blocked"
    return Block(one.goal.id, kind, needs, f"could not be judged: {', '.join(seen.errors)}")


def _needs(seen: Seen) -> Needs:
    found = {NEEDS.get(code, "environment") for code in seen.errors}
    order: tuple[Needs, ...] = ("human", "agent", "time")
    for needs in order:
        if needs in found:
            return needs
    return "environment"


def _plan_step(state: State, now: datetime) -> Step:
    set_aside = unconfirmed(state)
    if set_aside:
        why = f"an agent set {', '.join(set_aside)} aside; a person must agree"
        return Wait("human", why, f"forsooth why {set_aside[0]}", set_aside[0], stuck=True)
    if state.is_proven:
        return Rest("done")
    seen = state.verdict
    if seen is None or seen.seq <= state.touched or seen.plan_digest != state.plan_digest:
        return Judge("plan")
    if seen.outcome == "inconclusive":
        return _plan_again(state, seen)
    if seen.outcome == "fail":
        return _mend(state)
    against = gate.may_attest(state, "plan", now=now)
    if not against:
        return Attest("plan")
    why = "; ".join(reason.says for reason in against)
    return Wait("human", why, "forsooth why plan", stuck=True)


def _idle(state: State, now: datetime) -> Wait:
    """No goal gives a step: all come round again later, all were set aside, or all are in hand."""
    if not state.live:
        return Wait("human", "every goal was set aside", "forsooth stop --for-good", stuck=True)
    rounds = [one for one in state.live if one.goal.cadence and is_done(one, now)]
    due = [due_at(one.goal.cadence, one.achieved) for one in rounds if one.goal.cadence]
    if len(rounds) == len(state.live):
        why = "every goal comes round again by itself"
        return Wait("time", why, "forsooth status", until=written(min(due)))
    return Wait("agent", "somebody is already at what is left", "forsooth status")


def _plan_again(state: State, seen: Seen) -> Step:
    if state.awaiting:
        why = f"a person has yet to agree: {', '.join(state.awaiting)}"
        return Wait("human", why, f"forsooth agree {state.awaiting[0]}")
    needs = _needs(seen)
    if seen.awaiting or (needs == "environment" and state.errors < state.policy.errors):
        return Judge("plan")
    why = f"the plan could not be judged: {', '.join(seen.errors)}"
    return Wait(needs, why, "forsooth check", stuck=True)


def _mend(state: State) -> Step:
    if state.recoveries < state.policy.recoveries:
        return Repair("every goal is done and the suite fails")
    why = f"the suite still fails after {state.recoveries} repairs"
    return Wait("human", why, "forsooth check", stuck=True)
