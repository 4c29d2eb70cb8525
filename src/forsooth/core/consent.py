"""May a person's word settle a criterion? Waiving sets it aside, agreeing answers it.

Both are a person's own judgement: a script cannot speak for one. An agreement is about
one criterion at one tree. It answers a criterion of the kind `approval`, and any other that the
last verdict left to a person (a finding `awaiting-approval`); what a run decides, no one's
agreement can replace.
"""

from __future__ import annotations

from forsooth.core.actor import Actor
from forsooth.core.gate import no_goal
from forsooth.core.plan import Criterion
from forsooth.core.reason import Reason, Reasons
from forsooth.core.state import GoalState, State


def may_waive(state: State, goal: str, criterion: str, actor: Actor) -> Reasons:
    """Only a person sets a criterion aside."""
    one = state.goals.get(goal)
    if one is None:
        return (no_goal(goal),)
    reasons: list[Reason] = []
    if not actor.is_person:
        says = f"only a person at a terminal can waive {criterion}"
        hint = f"ask a person, at a terminal: forsooth waive {criterion}"
        reasons.append(Reason("not-a-person", says, hint, goal))
    if not any(c.id == criterion for c in one.goal.criteria):
        says = f"{goal} has no criterion {criterion}"
        reasons.append(Reason("no-such-criterion", says, f"forsooth why {goal}", goal))
    return tuple(reasons)


def may_agree(state: State, criterion: str, actor: Actor) -> Reasons:
    """Only a person agrees, and only to what is theirs to decide."""
    reasons: list[Reason] = []
    if not actor.is_person:
        says = f"only a person at a terminal may agree to {criterion or 'a criterion'}"
        hint = f"ask a person to type, in their own terminal: forsooth agree {criterion}"
        reasons.append(Reason("not-a-person", says, hint))
    one = state.owner(criterion)
    if one is None:
        says = f"no goal has a criterion {criterion}"
        reasons.append(Reason("no-such-criterion", says, "forsooth status"))
    elif not is_asked(state, one, criterion):
        says = f"{criterion} is proven by running it; no agreement is asked for"
        reasons.append(Reason("not-asked", says, f"forsooth done {one.goal.id}", one.goal.id))
    return tuple(reasons)


def is_asked(state: State, one: GoalState, criterion: str) -> bool:
    """Whether a person's agreement to a criterion of this goal would settle anything."""
    known: dict[str, Criterion] = {c.id: c for c in (*one.goal.entry, *one.goal.criteria)}
    is_approval = known[criterion].check.kind == "approval"
    return is_approval or criterion in (*one.awaiting, *state.awaiting)
