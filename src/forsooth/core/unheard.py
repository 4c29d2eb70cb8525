"""A person's word that nobody in this home gave: what it was, and the command that gives it."""

from __future__ import annotations

from collections.abc import Iterable

from forsooth.core.amendment import Supersede
from forsooth.core.event import (
    Event,
    EvidenceAdded,
    PlanAmended,
    PlanDropped,
    PlanSealed,
    WaiverGranted,
)
from forsooth.core.reason import Reason, Reasons
from forsooth.core.state import State
from forsooth.core.status import unconfirmed


def unheard(events: Iterable[Event], state: State) -> Reasons:
    """What such events would have changed and, in a state made without them, did not."""
    found = [reason for event in events if (reason := _told(event, state))]
    return tuple(dict.fromkeys(found))


def rests_on_persons(state: State) -> bool:
    """Whether a person set something aside, agreed to it or gave the plan up, as it seems."""
    return bool(state.dropped) or any(
        one.waivers or one.approvals or (one.superseded and one.superseded.confirmed)
        for one in state.goals.values()
    )


def _told(event: Event, state: State) -> Reason | None:
    match event.fact:
        case WaiverGranted(criterion=id_, goal=goal):
            one = state.goals.get(goal)
            return _waiver(id_, goal) if one and id_ not in one.waivers else None
        case EvidenceAdded(approves=True, criterion=id_):
            one = state.owner(id_ or "")
            return _approval(str(id_), one.goal.id) if one and id_ not in one.approvals else None
        case PlanAmended(amendment=Supersede(goal=goal)):
            return _supersession(goal) if goal in unconfirmed(state) else None
        case PlanSealed():
            return not_sealed_here(state) if event.seq == state.sealed else None
        case PlanDropped():
            says = "the plan was not given up in this home"
            return _reason(says, "forsooth plan BRIEF.md --new", "")
        case _:
            return None


def _waiver(criterion: str, goal: str) -> Reason:
    says = f"the waiver of {criterion} was not given in this home, and does not count"
    return _reason(says, f'forsooth waive {criterion} --reason "…"', goal)


def _approval(criterion: str, goal: str) -> Reason:
    says = f"the approval of {criterion} was not given in this home, and does not count"
    return _reason(says, f"forsooth agree {criterion}", goal)


def _supersession(goal: str) -> Reason:
    says = f"that {goal} may be set aside was not said in this home, and does not count"
    return _reason(says, f"forsooth steer supersede {goal} --evidence … --rationale …", goal)


def not_sealed_here(state: State) -> Reason:
    """The plan in force is one that nobody confirmed in this home."""
    brief = state.plan.source if state.plan and state.plan.source else "BRIEF.md"
    says = "the plan was not sealed in this home: nobody here has agreed to what it asks"
    hint = f"read it first: forsooth status; then forsooth plan {brief} and forsooth seal"
    return Reason("other-home", says, hint)


def _reason(says: str, hint: str, goal: str) -> Reason:
    return Reason("not-heard-here", says, hint, goal)
