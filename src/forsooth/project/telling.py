"""What a verb answers, as data: one shape for the command line and for agents' protocols.

It decides nothing and words nothing: it only lays out what was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from forsooth.core.assignment import render
from forsooth.core.canonical import digest
from forsooth.core.event import BlockerRaised, PlanAmended
from forsooth.core.reason import Reasons
from forsooth.core.state import GoalState, State
from forsooth.core.status import awaiting, obstacles, plan_status, shown_status, weak_goals
from forsooth.core.strength import NOT_CHECKED
from forsooth.core.why import Answer, why
from forsooth.errors import ForsoothError, Refused
from forsooth.ledger.ledger import Outcome
from forsooth.project.attesting import Issued
from forsooth.project.claiming import Claimed
from forsooth.project.completing import BadBrief
from forsooth.project.judging import Checked
from forsooth.project.planning import Drafted
from forsooth.project.sealing import SealedFile
from forsooth.project.working import Handed

if TYPE_CHECKING:
    from forsooth.judge.seen import Seen

MOST_FLAGS = 8


def failure(error: ForsoothError) -> dict[str, Any]:
    """An error, with every reason and every defect at once."""
    told: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.hint:
        told["hint"] = error.hint
    if isinstance(error, Refused):
        told["reasons"] = [reason._asdict() for reason in error.reasons]
    if isinstance(error, BadBrief):
        told["defects"] = [defect.plain() for defect in error.defects]
    return {"error": told, "exit": error.exit_code}


def drafted(made: Drafted, *, command: str) -> dict[str, Any]:
    """A draft and how it differs from what was there."""
    return {
        "plan": made.plan.plain(),
        "digest": made.plan.digest,
        "new": made.is_new,
        "same": made.is_same,
        "bound": made.bound,
        "changes": [change._asdict() for change in made.changes],
        "next": command,
    }


def sealed(plan: str, state: State, files: Iterable[SealedFile] = ()) -> dict[str, Any]:
    """A plan that was just confirmed, through which channel, and every file sealed with it."""
    channel = state.seal_channel
    by = {"unattended": "unattended", "prompt": "prompt", "elicitation": "elicitation"}
    return {
        "plan": plan,
        "digest": state.plan_digest,
        "channel": channel,
        "approved": by.get(channel, "person"),
        "base": state.plan.base.plain() if state.plan else {},
        "sealed": [one._asdict() for one in files],
        "next": "forsooth next",
    }


def nothing(*, command: str, has_receipts: bool = False) -> dict[str, Any]:
    """The status of a repository without a plan; `command` makes one, receipts were fetched."""
    told = {"says": "no plan here yet", "command": command}
    if has_receipts:
        says = "no plan is kept in this clone; its receipts say what was proven"
        told = {"says": says, "command": "forsooth verify"}
    return {"plan": None, "goals": [], "next": told}


def standing(
    plan: str,
    state: State,
    now: datetime,
    *,
    sealing: Answer | None = None,
    since: Mapping[str, tuple[str, ...]] | None = None,
    unheard: Reasons = (),
) -> dict[str, Any]:
    """The whole status; `sealing` is what a seal that is under way, or came to nothing, says.

    `since` has the relevant files that changed after a goal was proven, `unheard` what persons are
    said to have done that nobody did in this home.
    """
    shown = state.definition or state.proposal
    told = sealing or why(state, now)
    return {
        "plan": {
            "id": plan,
            "status": plan_status(state, now),
            "source": shown.source if shown else "",
            "digest": state.plan_digest,
            "sealed": state.seal_channel or None,
            "draft": bool(state.proposal and state.sealed),
            "seq": state.seq,
            "void": state.void,
            "unknown": state.unknown,
            "repairs": state.repairs,
            "contract": "weak" if weak_goals(state) else "strong",
        },
        "goals": [
            {**_goal(state, one, now), "changed_since": list((since or {}).get(one.goal.id, ()))}
            for one in goals(state)
        ],
        "unheard": [reason._asdict() for reason in unheard],
        "next": {"says": told.says if told else "", "command": told.command if told else ""},
    }


def moved_on(state: State, now: datetime, since: Mapping[str, Any]) -> Answer | None:
    """With every goal done, what changed since comes next; else the work goes on first."""
    if not since or plan_status(state, now) != "done":
        return None
    return Answer("plan", "files changed since it was proven", f"forsooth done {next(iter(since))}")


def goals(state: State) -> list[GoalState]:
    """Every goal; of a plan that was never sealed, those of its draft."""
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
        "awaiting": [id_ for id_ in awaiting(state) if state.owner(id_) == one],
        "waivers": {id_: waiver.plain() for id_, waiver in one.waivers.items()},
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


def handed(plan: str, given: Handed) -> dict[str, Any]:
    """An attempt to work on, or why there is none."""
    told, answer = given.assignment, given.answer
    return {
        "plan": plan,
        "seq": given.seq,
        "assignment": told._asdict() if told else None,
        "token": given.token or None,
        "holder": given.holder or None,
        "text": render(told) if told else None,
        "ending": given.ending,
        "next": {"says": answer.says, "command": answer.command} if answer else None,
    }


def checked(plan: str, found: Checked, broke: dict[str, Any]) -> dict[str, Any]:
    """A look that claims nothing, and who broke what it found broken."""
    return {"plan": plan, **_judged(found), "not_run": list(NOT_CHECKED), "broke": broke}


def claimed(plan: str, goal: str, found: Claimed) -> dict[str, Any]:
    """A claim and what came of it."""
    return {
        "plan": plan,
        "goal": goal,
        **_judged(found),
        "again": found.again,
        "absent": [one._asdict() for one in found.absent],
        "plan_contract": contract(found.whole),
        "unheard": [reason._asdict() for reason in found.unheard],
        "seq": found.outcome.state.seq,
    }


def _judged(found: Checked | Claimed) -> dict[str, Any]:
    seen, at, actions = found.seen, found.at, found.actions
    verdict = seen.verdict
    issued = found.issued if isinstance(found, Claimed) else None
    return {
        "subject": verdict.subject,
        "outcome": verdict.outcome,
        "contract": contract(issued),
        "tree": verdict.tree,
        "commit": commit_of(found),
        "isolation": verdict.isolation,
        "environment": {"kind": seen.recipe.kind, "how": seen.how, "notes": list(seen.notes)},
        "findings": [
            {**finding.plain(), "action": actions.get(finding.criterion, "")}
            for finding in verdict.findings
        ],
        "flags": flags(seen),
        "dirty": list(at.dirty),
        "untracked": list(at.untracked),
        "uncommitted": list(found.uncommitted),
        "receipt": _issued(found.issued) if isinstance(found, Claimed) else None,
        "plan_receipt": _issued(found.whole) if isinstance(found, Claimed) else None,
    }


def commit_of(found: Checked | Claimed) -> str | None:
    """The commit that holds what was judged; none where it is not committed."""
    is_committed = not found.at.dirty or bool(found.uncommitted)
    return found.seen.verdict.commit if is_committed else None


def flags(seen: Seen) -> list[str]:
    """What a person should look at, each once."""
    found = [flag for finding in seen.verdict.findings for flag in finding.flags]
    return list(dict.fromkeys((*found, *seen.verdict.flags)))[:MOST_FLAGS]


def contract(issued: Issued | None) -> str | None:
    """Whether what was proven rests on a weak contract; none where there is no receipt."""
    if issued is None:
        return None
    return "weak" if issued.statement.predicate.weak else "strong"


def _issued(issued: Issued | None) -> str | None:
    return digest(issued.data) if issued else None


def blocked(plan: str, outcome: Outcome) -> dict[str, Any]:
    """An obstacle as it was recorded."""
    raised = next(e.fact.blocker for e in outcome.events if isinstance(e.fact, BlockerRaised))
    return {"plan": plan, "blocker": raised.plain(), "next": "forsooth next"}


def steered(plan: str, outcome: Outcome) -> dict[str, Any]:
    """A change of the plan as it was recorded."""
    made = next(e.fact.goals for e in outcome.events if isinstance(e.fact, PlanAmended))
    return {
        "plan": plan,
        "seq": outcome.events[0].seq,
        "goals": [goal.plain() for goal in made],
        "digest": outcome.state.plan_digest,
        "next": "forsooth next",
    }


def noted(plan: str, outcome: Outcome) -> dict[str, Any]:
    """A note as it was recorded."""
    return {"plan": plan, "seq": outcome.events[0].seq}
