"""From a command to the facts it makes, or to every reason against it.

Never emits what the gate refuses, and never asks twice: all reasons come at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple, assert_never

from forsooth.core import command as do
from forsooth.core import consent, gate
from forsooth.core import event as was
from forsooth.core.actor import Actor
from forsooth.core.amendment import Amendment, births, made
from forsooth.core.blocker import Blocker
from forsooth.core.gate import Reason, Reasons
from forsooth.core.ids import attempt_id, goal_id, number_of
from forsooth.core.plan import ANYWHERE, Waiver
from forsooth.core.state import GoalState, State, Try
from forsooth.core.verdict import AWAITING


class Refusal(NamedTuple):
    """What was asked, and everything that stands against it."""

    command: str
    reasons: Reasons
    goal: str | None = None

    @property
    def fact(self) -> was.CommandRefused:
        """The refusal as the ledger keeps it."""
        return was.CommandRefused(
            command=self.command, codes=tuple(r.code for r in self.reasons), goal=self.goal
        )


Facts = tuple[was.AnyFact, ...]
Decision = Facts | Refusal


def decide(state: State, command: do.AnyCommand, *, actor: Actor, now: datetime) -> Decision:
    """What follows from a command in this state."""
    reasons = _against(state, command, actor=actor, now=now)
    if reasons:
        goal = getattr(command, "goal", None)
        known = goal if goal in state.goals else None
        return Refusal(type(command).__name__.lower(), reasons, known)
    return _facts(state, command, actor, now)


def _against(state: State, command: do.AnyCommand, *, actor: Actor, now: datetime) -> Reasons:
    match command:
        case do.Create():
            return gate.may_draft(state, command.plan, command.policy, against=command.against)
        case do.Seal():
            return gate.may_seal(
                state,
                actor,
                digest=command.digest,
                against=command.against,
                policy=command.policy,
                base=command.base,
                agent_present=command.agent_present,
                ground=command.ground,
            )
        case do.Amend():
            return gate.may_amend(state, command.amendment, actor, now=now)
        case do.Open():
            return gate.may_open(state, command.goal, now=now)
        case do.Submit():
            return gate.may_submit(
                state,
                command.attempt,
                now=now,
                token=command.token,
                seen=command.seen,
                resumes=command.resumes,
            )
        case do.Abort() | do.Integrate():
            return () if _trying(state, command.attempt) else (_no_attempt(command.attempt),)
        case do.Give():
            return _verdict_reasons(state, command, actor)
        case do.Attest():
            return gate.may_attest(state, command.receipt.subject, now=now)
        case do.Raise():
            return gate.may_block(state, command.goal, actor, now=now, until=command.until)
        case do.Clear():
            return gate.may_clear(state, command.goal, command.blocker, actor, now=now)
        case do.Retry():
            return gate.may_retry(state, actor)
        case do.Pause():
            return gate.may_pause(state, actor)
        case do.Resume():
            return gate.may_resume(state, actor)
        case do.Drop():
            return gate.may_drop(state, actor)
        case do.Waive():
            return consent.may_waive(state, command.goal, command.criterion, actor)
        case do.Attach():
            is_plain = not command.approves
            return () if is_plain else consent.may_agree(state, command.criterion or "", actor)
        case do.Note() | do.Record() | do.Spend():
            return ()
        case _:
            assert_never(command)


def _no_attempt(attempt: str) -> Reason:
    return Reason("no-attempt", f"{attempt} is not open", "forsooth next")


def _trying(state: State, attempt: str) -> GoalState | None:
    return next((g for g in state.goals.values() if g.attempt and g.attempt.id == attempt), None)


def _verdict_reasons(state: State, command: do.Give, actor: Actor) -> Reasons:
    verdict, reasons = command.verdict, list[Reason]()
    if actor.kind not in ("judge", "ci"):
        reasons.append(Reason("not-the-judge", "only the judge gives verdicts", "forsooth check"))
    if verdict.subject != "plan" and verdict.subject not in state.goals:
        reasons.append(gate.no_goal(verdict.subject))
    if verdict.plan_digest != state.plan_digest:
        says = f"{verdict.subject} was judged under another version of the plan"
        reasons.append(Reason("other-plan", says, "forsooth check"))
    if verdict.attempt is not None:
        one = _trying(state, verdict.attempt)
        if one is None or not one.attempt or not one.attempt.submitted:
            reasons.append(_no_attempt(verdict.attempt))
    return tuple(reasons)


def _facts(state: State, command: do.AnyCommand, actor: Actor, now: datetime) -> Facts:
    match command:
        case do.Create():
            return (was.PlanCreated(plan=command.plan),)
        case do.Seal():
            return (_seal(command, actor),)
        case do.Amend():
            return (_amend(state, command.amendment, actor),)
        case do.Open():
            return (_open(state, command),)
        case do.Submit() | do.Abort() | do.Integrate():
            return (_attempt(command),)
        case do.Give():
            return (was.VerdictGiven(verdict=command.verdict, envelope=command.envelope),)
        case do.Attest():
            return (was.ReceiptIssued(receipt=command.receipt),)
        case do.Raise():
            return _raise(state, command)
        case do.Clear():
            found = gate.cleared(state.goals[command.goal], command.blocker, now)
            return _cleared(found, command.reason)
        case do.Retry():
            return _cleared(gate.given_up(state), command.reason)
        case do.Pause():
            return (was.PlanPaused(reason=command.reason),)
        case do.Resume():
            return (was.PlanResumed(reason=command.reason),)
        case do.Drop():
            return (was.PlanDropped(reason=command.reason),)
        case do.Waive():
            waiver = Waiver(by=command.by, reason=command.reason)
            return (
                was.WaiverGranted(goal=command.goal, criterion=command.criterion, waiver=waiver),
            )
        case do.Note():
            return (was.NoteAdded(**dict(command)),)
        case do.Attach():
            return _attach(state, command, actor)
        case do.Record():
            return (was.FindingRecorded(finding=command.finding, tree=command.tree),)
        case do.Spend():
            return (was.UsageRecorded(**dict(command)),)
        case _:
            assert_never(command)


def _seal(command: do.Seal, actor: Actor) -> was.PlanSealed:
    return was.PlanSealed(
        plan_digest=command.digest,
        policy=command.policy,
        base=command.base,
        channel=actor.channel or "unattended",
        changes=command.changes,
        ground=command.ground,
        envelope=command.envelope,
    )


def _open(state: State, command: do.Open) -> was.AttemptOpened:
    number = state.goals[command.goal].attempts + 1
    return was.AttemptOpened(
        attempt=attempt_id(command.goal, number),
        goal=command.goal,
        base=command.base,
        token=command.token,
    )


def _attempt(command: do.Submit | do.Abort | do.Integrate) -> was.AnyFact:
    goal = command.attempt.partition(".")[0]
    match command:
        case do.Submit():
            return was.AttemptSubmitted(
                attempt=command.attempt,
                goal=goal,
                tree=command.tree,
                commit=command.commit,
                summary=command.summary,
            )
        case do.Abort():
            return was.AttemptAborted(attempt=command.attempt, goal=goal, reason=command.reason)
        case do.Integrate():
            return was.AttemptIntegrated(
                attempt=command.attempt, goal=goal, tree=command.tree, commit=command.commit
            )
        case _:
            assert_never(command)


def _raise(state: State, command: do.Raise) -> Facts:
    blocker = Blocker(id=f"B{state.blockers + 1}", **dict(command))
    attempt: Try | None = state.goals[command.goal].attempt
    if command.kind == "failed" and attempt:
        aborted = was.AttemptAborted(attempt=attempt.id, goal=command.goal, reason=command.why)
        return (aborted, was.BlockerRaised(blocker=blocker))
    return (was.BlockerRaised(blocker=blocker),)


def _cleared(blockers: Iterable[Blocker], reason: str) -> Facts:
    return tuple(
        was.BlockerCleared(blocker=one.id, goal=one.goal, reason=reason) for one in blockers
    )


def _attach(state: State, command: do.Attach, actor: Actor) -> Facts:
    seen_by = actor.kind if actor.kind in ("human", "judge") else "agent"
    added = was.EvidenceAdded(**dict(command), observed_by=seen_by)
    one = state.owner(command.criterion or "") if command.approves else None
    if one is None or set(one.awaiting) - {command.criterion}:
        return (added,)
    waiting = [b for b in one.blockers if b.evidence == AWAITING]
    return (added, *_cleared(waiting, f"a person agreed to {command.criterion}"))


def _amend(state: State, amendment: Amendment, actor: Actor) -> was.PlanAmended:
    drafted = (goal.id for goal in state.proposal.goals) if state.proposal else ()
    free = max((number_of(id_) for id_ in (*state.goals, *drafted)), default=0) + 1
    ids = [goal_id(number) for number in range(free, free + births(amendment))]
    one = state.goals.get(getattr(amendment, "goal", ""))
    fence = state.plan.fence if state.plan else ANYWHERE
    goals = made(amendment, one.goal if one else None, ids=ids, by=actor, fence=fence) or ()
    return was.PlanAmended(amendment=amendment, goals=goals)
