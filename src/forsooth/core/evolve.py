"""One event more: the only place where state changes.

Total and pure. An event that cannot apply is counted as void and changes nothing else. It does not
ask the whole gate again: a line appended by hand may open, block or note what a command could not,
but never prove. A receipt counts only when its signature does, for a verdict the gate would attest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from forsooth.core.amendment import Add, Reorder, Reword, Split, Supersede, made, reordered
from forsooth.core.cadence import achieve
from forsooth.core.event import (
    AttemptAborted,
    AttemptIntegrated,
    AttemptOpened,
    AttemptSubmitted,
    BlockerCleared,
    BlockerRaised,
    CommandRefused,
    Event,
    EvidenceAdded,
    FindingRecorded,
    LedgerRepaired,
    NoteAdded,
    PlanAmended,
    PlanCreated,
    PlanDropped,
    PlanPaused,
    PlanResumed,
    PlanSealed,
    ReceiptIssued,
    Unknown,
    UsageRecorded,
    VerdictGiven,
    WaiverGranted,
)
from forsooth.core.gate import verdict_reasons
from forsooth.core.ids import SUITE, number_of
from forsooth.core.plan import ANYWHERE, Goal, Plan
from forsooth.core.state import (
    NOTHING,
    Agreement,
    Classification,
    GoalState,
    Pause,
    Proof,
    Seen,
    State,
    Supersession,
    Try,
)
from forsooth.core.verdict import AGREEABLE, Finding, Verdict, advance

EXPIRED = "hypothesis-expired"
CRUMBS = 10


def fold(events: Iterable[Event], state: State = NOTHING) -> State:
    """Add up events none of which is signed."""
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: State, event: Event, *, signed: bool = False) -> State:
    """The state after one more event; `signed` is the reader's word that a signature verified."""
    after = _apply(state, event, signed=signed)
    changes: dict[str, Any] = {"seq": event.seq, "at": event.at}
    if after is None:
        after, changes["void"] = state, state.void + 1
    elif event.key is not None:
        changes["keys"] = _remember(after, event.key, event.seq)
    return after.but(**changes)


def _apply(state: State, event: Event, *, signed: bool) -> State | None:
    match event.fact:
        case Unknown():
            return state.but(unknown=state.unknown + 1)
        case NoteAdded() as fact:
            return _note(state, event.seq, fact)
        case UsageRecorded() as fact:
            return state.but(cost=state.cost + fact.cost, tokens=state.tokens + fact.tokens)
        case CommandRefused() as fact:
            return state.but(refused=fact.codes)
        case EvidenceAdded() as fact:
            return _evidence(state, event, fact)
        case LedgerRepaired():
            return state.but(repairs=state.repairs + 1)
        case AttemptOpened() as fact:
            return _opened(state, event, fact)
        case AttemptSubmitted() | AttemptAborted() | AttemptIntegrated() as fact:
            return _attempt(state, event.seq, fact)
        case VerdictGiven() as fact:
            after = _verdict(state, event.seq, fact.verdict, signed=signed)
            return after and _trailed(after, fact.verdict.findings)
        case ReceiptIssued() as fact:
            return _receipt(state, event, fact) if signed else None
        case BlockerRaised() | BlockerCleared() as fact:
            return _blocker(state, event, fact)
        case WaiverGranted() as fact:
            return _waived(state, event, fact)
        case PlanCreated() as fact:
            return state.but(proposal=fact.plan)
        case PlanSealed() as fact:
            return _sealed(state, event, fact)
        case PlanAmended() as fact:
            return _amended(state, event, fact)
        case PlanPaused() | PlanResumed() | PlanDropped() as fact:
            return _stopped(state, event, fact)
        case FindingRecorded() as fact:
            return _trailed(_entered(state, event.seq, fact.finding), (fact.finding,))
        case _:
            assert_never(event.fact)


def _with(state: State, one: GoalState, **changes: Any) -> State:
    goals = dict(state.goals)
    goals[one.goal.id] = one.but(**changes)
    return state.but(goals=goals)


def _remember(state: State, key: str, seq: int) -> dict[str, int]:
    """Keys are kept while their attempt is open, and the plan's until its next verdict."""
    tried = {one.attempt.id.replace(".", "/") for one in state.goals.values() if one.attempt}
    judged = state.verdict.seq if state.verdict else 0
    kept = {
        old: at
        for old, at in state.keys.items()
        if "/".join(old.split("/")[:2]) in tried or (old.startswith("plan/") and at >= judged)
    }
    return {**kept, key: seq}


def _note(state: State, seq: int, fact: NoteAdded) -> State:
    if fact.needs is None:
        return state
    return state.but(classified=Classification(needs=fact.needs, seq=seq))


def _stopped(
    state: State, event: Event, fact: PlanPaused | PlanResumed | PlanDropped
) -> State | None:
    person = event.by.speaks_for_person
    match fact:
        case PlanDropped():
            return state.but(dropped=event.seq) if person else None
        case PlanResumed():
            held = state.paused is not None and state.paused.by.speaks_for_person
            return state.but(paused=None) if person or not held else None
        case PlanPaused():
            earned = state.classified is not None and state.classified.needs == "human"
            paused = Pause(seq=event.seq, by=event.by, reason=fact.reason)
            return state.but(paused=paused) if person or earned else None
        case _:
            assert_never(fact)


def _evidence(state: State, event: Event, fact: EvidenceAdded) -> State | None:
    if not fact.approves:
        return state
    one = state.owner(fact.criterion or "")
    if one is None or not event.by.is_person:
        return None
    agreed = Agreement(seq=event.seq, by=event.by, tree=fact.tree, paths=fact.paths)
    return _with(state, one, approvals={**one.approvals, str(fact.criterion): agreed})


def _opened(state: State, event: Event, fact: AttemptOpened) -> State | None:
    one = state.goals.get(fact.goal)
    if one is None or one.attempt or number_of(fact.attempt) != one.attempts + 1:
        return None
    attempt = Try(id=fact.attempt, opened=event.seq, by=event.by, base=fact.base, token=fact.token)
    return _with(
        state, one, attempt=attempt, attempts=one.attempts + 1, spent=one.spent + 1, errors=0
    )


def _attempt(
    state: State, seq: int, fact: AttemptSubmitted | AttemptAborted | AttemptIntegrated
) -> State | None:
    one = state.goals.get(fact.goal)
    if one is None or one.attempt is None or one.attempt.id != fact.attempt:
        return None
    match fact:
        case AttemptAborted():
            return _with(state, one, attempt=None)
        case AttemptSubmitted():
            place = {"submitted": seq, "tree": fact.tree, "commit": fact.commit, "integrated": 0}
        case AttemptIntegrated():
            place = {"integrated": seq, "tree": fact.tree, "commit": fact.commit}
        case _:
            assert_never(fact)
    return _with(state, one, attempt=one.attempt.but(**place))


def _verdict(state: State, seq: int, verdict: Verdict, *, signed: bool) -> State | None:
    if verdict.subject == "plan":
        return _plan_verdict(state, seq, verdict, signed=signed)
    one = state.goals.get(verdict.subject)
    if one is None:
        return None
    required = tuple(criterion.id for criterion in one.goal.criteria)
    seen = _seen(verdict, seq, one.waivers, required=required, signed=signed)
    changes: dict[str, Any] = {
        "verdict": seen,
        "standings": _standings(one, verdict.findings, seq),
        "errors": one.errors + 1 if seen.outcome == "inconclusive" else 0,
        "expired": one.expired or any(f.code == EXPIRED for f in verdict.findings),
    }
    if seen.outcome == "fail":
        # Work that nobody has claimed yet is not ended by a look at it.
        changes["attempt"] = one.attempt if one.attempt and not one.attempt.submitted else None
        if _speaks_against(one, verdict):
            changes["touched"] = seq
    return _with(state, one, **changes)


def _plan_verdict(state: State, seq: int, verdict: Verdict, *, signed: bool) -> State:
    rounds = {c.id for one in state.live if one.goal.cadence for c in one.goal.criteria}
    kept = tuple(f for f in verdict.findings if f.criterion not in rounds)
    verdict = verdict.but(findings=kept)
    waived = {id_: waiver for one in state.live for id_, waiver in one.waivers.items()}
    seen = _seen(verdict, seq, waived, required=state.required, signed=signed)
    errors = state.errors + 1 if seen.outcome == "inconclusive" else 0
    failed = seq if seen.outcome == "fail" else state.failed
    after = state.but(verdict=seen, errors=errors, failed=failed)
    for one in state.live:
        mine = {criterion.id for criterion in one.goal.criteria}
        findings = tuple(f for f in kept if f.criterion in mine)
        changes: dict[str, Any] = {"standings": _standings(one, findings, seq)}
        if any(f.outcome == "fail" for f in findings) and _speaks_against(one, verdict):
            changes |= {"touched": seq, "attempt": None}
        after = _with(after, one, **changes)
    return after


def _speaks_against(one: GoalState, verdict: Verdict) -> bool:
    """A failure touches a goal where it is delivered, or at the very tree its receipt is about."""
    proven = one.proof.receipt.tree if one.proof else None
    return verdict.stage == "deliver" or verdict.tree == proven


def _entered(state: State, seq: int, finding: Finding) -> State:
    """What was seen of an entry criterion is its standing; of any other, a look decides nothing."""
    one = state.owner(finding.criterion)
    if one is None or not any(c.id == finding.criterion for c in one.goal.entry):
        return state
    return _with(state, one, standings=_standings(one, (finding,), seq))


def _trailed(state: State, findings: Iterable[Finding]) -> State:
    """Every check leaves a crumb; only the last are kept, so that the state does not grow."""
    left = tuple(f"{finding.criterion} {finding.outcome}" for finding in findings)
    return state.but(crumbs=(*state.crumbs, *left)[-CRUMBS:])


def _standings(one: GoalState, findings: Iterable[Finding], seq: int) -> dict[str, Any]:
    return one.standings | {
        f.criterion: advance(one.standing(f.criterion), f, seq=seq) for f in findings
    }


def _seen(
    verdict: Verdict,
    seq: int,
    waivers: dict[str, Any],
    *,
    required: tuple[str, ...],
    signed: bool,
) -> Seen:
    findings = {finding.criterion: finding for finding in verdict.findings}
    waived = [f.criterion for f in verdict.findings if f.outcome == "waived"]
    return Seen(
        seq=seq,
        outcome=verdict.outcome,
        tree=verdict.tree,
        plan_digest=verdict.plan_digest,
        isolation=verdict.isolation,
        signed=signed,
        commit=verdict.commit,
        attempt=verdict.attempt,
        stage=verdict.stage,
        unbacked=tuple(
            id_ for id_, f in findings.items() if f.outcome == "pass" and not f.evidence
        ),
        unjudged=tuple(id_ for id_ in required if id_ not in findings),
        unwaived=tuple(id_ for id_ in waived if id_ not in waivers),
        errors=tuple(f.code for f in verdict.findings if f.outcome == "error"),
        awaiting=tuple(
            f.criterion for f in verdict.findings if f.outcome == "error" and f.code in AGREEABLE
        ),
        suite_failed=any(f.criterion == SUITE and f.outcome == "fail" for f in verdict.findings),
    )


def _receipt(state: State, event: Event, fact: ReceiptIssued) -> State | None:
    """A receipt counts once, for the passing, signed verdict it names, under the plan in force."""
    receipt, subject = fact.receipt, fact.receipt.subject
    one = state.goals.get(subject)
    seen = state.verdict if subject == "plan" else (one.verdict if one else None)
    touched = state.touched if subject == "plan" else (one.touched if one else 0)
    if seen is None or verdict_reasons(state, subject, seen, touched=touched):
        return None
    proven = one.proof if one else state.proof
    if proven and seen.seq < proven.seq:
        return None
    named = (receipt.verdict, receipt.tree, receipt.plan_digest)
    if named != (seen.seq, seen.tree, state.plan_digest):
        return None
    proof = Proof(seq=event.seq, receipt=receipt)
    if one is None:
        return state.but(proof=proof)
    achieved = achieve(one.goal.cadence, one.achieved, at=event.at)
    spent = 0 if one.goal.cadence else one.spent
    return _with(state, one, proof=proof, attempt=None, achieved=achieved, spent=spent)


def _blocker(state: State, event: Event, fact: BlockerRaised | BlockerCleared) -> State | None:
    goal = fact.blocker.goal if isinstance(fact, BlockerRaised) else fact.goal
    one = state.goals.get(goal)
    if one is None:
        return None
    if isinstance(fact, BlockerRaised):
        named = Classification(needs=fact.blocker.needs, seq=event.seq, blocker=fact.blocker.id)
        blockers = (*one.blockers, fact.blocker)
        after = _with(state, one, blockers=blockers, touched=event.seq)
        return after.but(classified=named, blockers=state.blockers + 1)
    found = [blocker for blocker in one.blockers if blocker.id == fact.blocker]
    person = event.by.speaks_for_person
    if not found or (not person and any(blocker.needs == "human" for blocker in found)):
        return None
    left = tuple(blocker for blocker in one.blockers if blocker not in found)
    changes = _renewed(one) if person else {}
    after = _with(state, one, blockers=left, touched=event.seq, **changes)
    if state.classified and state.classified.blocker == fact.blocker:
        after = after.but(classified=None)
    return after


def _renewed(one: GoalState) -> dict[str, Any]:
    """A person stepped in: attempts, errors and streaks are counted afresh."""
    standings = {id_: standing.but(streak=0) for id_, standing in one.standings.items()}
    spent = 1 if one.attempt else 0
    return {"spent": spent, "errors": 0, "standings": standings, "expired": False}


def _waived(state: State, event: Event, fact: WaiverGranted) -> State | None:
    one = state.goals.get(fact.goal)
    if one is None or not event.by.is_person:
        return None
    waivers = {**one.waivers, fact.criterion: fact.waiver}
    return _with(state, one, waivers=waivers, touched=event.seq, **_renewed(one))


def _sealed(state: State, event: Event, fact: PlanSealed) -> State | None:
    if state.proposal is None or not event.by.speaks_for_person:
        return None
    proposal = state.proposal.but(base=fact.base)
    if proposal.digest != fact.plan_digest:
        return None
    goals = {
        goal.id: _resealed(state.goals.get(goal.id), goal, proposal, event.seq)
        for goal in proposal.goals
    }
    for id_, one in state.goals.items():
        if id_ not in goals:
            gone = one.superseded or Supersession(
                seq=event.seq, by=event.by, rationale="no longer in the brief"
            )
            goals[id_] = one.but(
                superseded=gone.but(confirmed=True),
                touched=max(one.touched, gone.seq),
                attempt=None,
            )
    after = state.but(
        plan=proposal.but(goals=()),
        proposal=None,
        sealed=event.seq,
        seal_channel=fact.channel,
        seal_envelope=fact.envelope,
        sealed_at=event.at,
        ground=fact.ground,
        policy=fact.policy,
        goals=goals,
        amended=event.seq,
        errors=0,
        recoveries=0,
    )
    return _redefined(after)


def _resealed(one: GoalState | None, goal: Goal, proposal: Plan, seq: int) -> GoalState:
    """What changed must be proven again; what did not keeps its proof."""
    named = max((number_of(c.id) for c in (*goal.entry, *goal.criteria)), default=0)
    if one is None:
        return GoalState(goal=goal, touched=seq, named=named)
    set_aside = goal.id in proposal.superseded
    if one.goal == goal and set_aside == bool(one.superseded):
        return one
    before = (*one.goal.entry, *one.goal.criteria)
    same = {c.id for c in (*goal.entry, *goal.criteria) if c in before}
    renewed = _renewed(one.but(standings={i: s for i, s in one.standings.items() if i in same}))
    return one.but(
        goal=goal,
        superseded=one.superseded if set_aside else None,
        touched=seq,
        named=max(named, one.named),
        waivers={id_: waiver for id_, waiver in one.waivers.items() if id_ in same},
        approvals={id_: at for id_, at in one.approvals.items() if id_ in same},
        **renewed,
    )


def _redefined(state: State) -> State:
    definition: Plan | None = state.definition
    return state.but(plan_digest=definition.digest if definition else "")


def _amended(state: State, event: Event, fact: PlanAmended) -> State | None:
    if state.plan is None:
        return None
    goals = _steered(state, event, fact)
    if goals is None:
        return None
    mends = isinstance(fact.amendment, Add) and event.by.kind == "loop"
    recoveries = state.recoveries + 1 if mends else state.recoveries
    return _redefined(state.but(goals=goals, amended=event.seq, recoveries=recoveries))


def _steered(state: State, event: Event, fact: PlanAmended) -> dict[str, GoalState] | None:
    change, seq = fact.amendment, event.seq
    fresh = {goal.id: GoalState(goal=goal, touched=seq) for goal in fact.goals}
    one = state.goals.get(change.goal) if isinstance(change, Split | Reword | Supersede) else None
    fence = state.plan.fence if state.plan else ANYWHERE
    due = made(change, one.goal if one else None, ids=tuple(fresh), by=event.by, fence=fence)
    if fresh.keys() & state.goals.keys() or _unplaced(fact.goals) != _unplaced(due):
        return None
    match change:
        case Add():
            return {**state.goals, **fresh}
        case Reorder():
            if len(set(change.order)) < len(change.order) or not set(change.order) <= set(
                state.goals
            ):
                return None
            return {id_: state.goals[id_] for id_ in reordered(tuple(state.goals), change.order)}
        case Split() | Reword() | Supersede():
            confirms = isinstance(change, Supersede) and event.by.is_person
            if one is None or (one.superseded and not confirms):
                return None
            return _changed(state, event, change, one, fresh)
        case _:
            assert_never(change)


def _unplaced(goals: tuple[Goal, ...] | None) -> tuple[Goal, ...] | None:
    """Goals without where they come from, which ledgers of the first version do not say."""
    return goals and tuple(goal.but(origin="brief") for goal in goals)


def _changed(
    state: State,
    event: Event,
    change: Split | Reword | Supersede,
    one: GoalState,
    fresh: dict[str, GoalState],
) -> dict[str, GoalState]:
    if isinstance(change, Reword):
        goal = one.goal.but(
            title=change.title or one.goal.title, objective=change.objective or one.goal.objective
        )
        renewed = _renewed(one) if event.by.is_person else {}
        return {**state.goals, goal.id: one.but(goal=goal, touched=event.seq, **renewed)}
    gone = Supersession(
        seq=event.seq,
        by=event.by,
        evidence=change.evidence,
        rationale=change.rationale,
        replacements=tuple(fresh),
        confirmed=event.by.is_person,
    )
    goals: dict[str, GoalState] = {}
    for id_, other in state.goals.items():
        goals[id_] = other
        if id_ == change.goal:
            goals[id_] = one.but(superseded=gone, touched=event.seq, attempt=None)
            goals.update(fresh)
    return goals
