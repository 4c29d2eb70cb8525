"""May this happen? Pure questions whose answer is every reason against; none means yes.

Each reason has a stable code, names the ids it is about and says what to type next; what a person
is told about each code stands in `why`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import assert_never

from forsooth.core import check as checks
from forsooth.core.actor import Actor
from forsooth.core.amendment import Add, Amendment, Reorder, Reword, Split, Supersede
from forsooth.core.blocker import Blocker
from forsooth.core.form import check_reasons, may_create, ring
from forsooth.core.ground import Ground
from forsooth.core.instant import is_written, moment, written
from forsooth.core.plan import NO_BASE, Base, Plan
from forsooth.core.policy import TIERS, YOURS, Policy
from forsooth.core.reason import Reason, Reasons
from forsooth.core.state import GoalState, Seen, State
from forsooth.core.status import counted, goal_status, obstacles, unconfirmed, waits_for
from forsooth.core.verdict import AWAITING


def may_draft(state: State, plan: Plan, policy: Policy, *, against: str | None = None) -> Reasons:
    """A well-formed plan made from what still stands, on a ledger that was not given up."""
    reasons = ((_dropped(),) if state.dropped else ()) + may_create(plan, policy)
    if against not in (None, state.basis):
        says = "the plan changed while the brief was read"
        reasons += (Reason("plan-moved", says, "forsooth plan BRIEF.md"),)
    instead = {
        id_: one.superseded.replacements
        for id_, one in state.goals.items()
        if one.superseded and id_ in plan.superseded
    }
    waits = {goal.id: instead.get(goal.id, goal.depends_on) for goal in plan.goals}
    return reasons or ring(waits)


def may_seal(
    state: State,
    actor: Actor,
    *,
    digest: str,
    policy: Policy,
    against: str | None = None,
    base: Base = NO_BASE,
    agent_present: bool = False,
    ground: Ground | None = None,
) -> Reasons:
    """A person's channel confirms exactly the draft that was shown, and it can be proven."""
    draft = state.proposal
    if state.dropped:
        return (_dropped(),)
    if draft is None:
        return (Reason("no-draft", "there is no draft to seal", "forsooth plan BRIEF.md"),)
    reasons: list[Reason] = []
    if draft.but(base=base).digest != digest or against not in (None, state.plan_digest):
        reasons.append(
            Reason("draft-changed", "the draft is not the one that was shown", "forsooth seal")
        )
    if not actor.speaks_for_person:
        reasons.append(
            Reason("not-a-person", "only a person may seal a plan", "ask a person: forsooth seal")
        )
    elif actor.channel == "unattended":
        reasons += _unattended(state, policy, agent_present=agent_present)
    return tuple(reasons) + may_draft(state, draft, policy) + _groundless(draft, ground)


def _unattended(state: State, policy: Policy, *, agent_present: bool) -> list[Reason]:
    reasons: list[Reason] = []
    if agent_present and not policy.agents_may_seal:
        says = "an agent's shell may not seal with --yes"
        reasons.append(Reason("agent-present", says, "type `forsooth seal` in your own terminal"))
    if state.sealed:
        says = "--yes may not replace a plan that is already sealed"
        reasons.append(Reason("sealed-already", says, "type `forsooth seal` in your own terminal"))
    return reasons


def _groundless(draft: Plan, ground: Ground | None) -> Reasons:
    """A feature or fix that is already green everywhere proves nothing when it is green again."""
    if ground is None:
        return ()
    reasons: list[Reason] = []
    for goal in draft.goals:
        is_work = goal.intent in ("feature", "fix") and goal.id not in draft.superseded
        if not (is_work and goal.criteria):
            continue
        seen = [one for c in goal.criteria if (one := ground.about(c.id))]
        broken = [one for one in seen if one.red == "environment"]
        if any(one.counts for one in seen) or goal.expects == "no-change":
            continue
        if broken:
            says = f"{broken[0].criterion} could not be run on the base: {broken[0].reason}"
            reasons.append(Reason("base-not-run", says, "forsooth doctor", goal.id))
            continue
        says = f"{goal.id} is a {goal.intent}, and every criterion already passes on the base"
        hint = f"add a criterion to {goal.id} that fails today, or say Intent: refactor"
        reasons.append(Reason("vacuous", says, hint, goal.id))
    return tuple(reasons)


def _dropped() -> Reason:
    return Reason("dropped", "the plan was given up", "forsooth plan BRIEF.md --new")


def _not_running(state: State) -> Reasons:
    if state.dropped:
        return (_dropped(),)
    if not state.sealed:
        return (
            Reason("not-sealed", "the plan is a draft until a person seals it", "forsooth seal"),
        )
    if state.paused:
        return (Reason("paused", "the plan is paused", "forsooth resume"),)
    return ()


def no_goal(goal: str) -> Reason:
    """The plan does not know this goal."""
    return Reason("no-such-goal", f"the plan has no goal {goal}", "forsooth status", goal)


def missing(state: State, goal: str) -> Reasons:
    """Why a goal is not found: a plan that is not in force says so first."""
    return _not_running(state) or (no_goal(goal),)


def may_open(state: State, goal: str, *, now: datetime) -> Reasons:
    """A sealed plan, a ready goal, nobody at it, and attempts and money left."""
    reasons = list(_not_running(state))
    one = state.goals.get(goal)
    if one is None:
        return missing(state, goal)
    reasons += _closed(one, now)
    reasons += [
        Reason("dependency-open", f"{goal} waits for {id_}", f"forsooth why {id_}", goal)
        for id_ in waits_for(state, one, now)
    ]
    reasons += _exhausted(state, one)
    return (*reasons, *over_budget(state))


def _exhausted(state: State, one: GoalState) -> list[Reason]:
    """A goal that used its attempts, or keeps failing, waits for a person."""
    policy, goal, reasons = state.policy, one.goal.id, list[Reason]()
    if one.spent >= policy.attempts:
        says = f"{goal} has used its {policy.attempts} attempts"
        reasons.append(Reason("attempts-spent", says, f"forsooth unblock {goal}", goal))
    reasons += [
        Reason("stuck", f"{id_} failed {policy.stuck} times in a row", f"forsooth why {goal}", goal)
        for id_ in stuck_on(one, policy)
    ]
    return reasons


def stuck_on(one: GoalState, policy: Policy) -> tuple[str, ...]:
    """The criteria that failed too often in a row; what must hold before the work never counts."""
    failed = ((c.id, one.standing(c.id).streak) for c in one.goal.criteria)
    return tuple(id_ for id_, streak in failed if streak >= policy.stuck)


def over_budget(state: State) -> Reasons:
    """The plan's money is spent."""
    budget = state.policy.budget
    if budget is None or state.cost < budget:
        return ()
    says = f"the budget is spent ({state.cost} of {budget} millionths)"
    return (Reason("budget-spent", says, "raise `budget` in forsooth.toml, then forsooth seal"),)


def _closed(one: GoalState, now: datetime) -> list[Reason]:
    """Why a goal cannot be started that has no wait of its own."""
    goal, reasons = one.goal.id, list[Reason]()
    status = goal_status(one, now)
    if status == "blocked":
        reasons += [
            Reason("blocked", f"{goal} is blocked: {b.why}", lifts(one, b), goal)
            for b in obstacles(one, now)
        ]
    elif status == "active" and one.attempt:
        says = f"{goal} already has an open attempt, {one.attempt.id}"
        reasons.append(Reason("attempt-open", says, "forsooth next", goal))
    elif status in ("superseded", "expired", "done"):
        reasons.append(Reason(status, f"{goal} is {status}", "forsooth next", goal))
    return reasons


def lifts(one: GoalState, blocker: Blocker) -> str:
    """The command that takes an obstacle away: a person's agreement where that is what it wants."""
    if blocker.evidence == AWAITING and one.awaiting:
        return f"forsooth agree {one.awaiting[0]}"
    return f"forsooth unblock {one.goal.id} --blocker {blocker.id}"


def may_submit(
    state: State,
    attempt: str,
    *,
    now: datetime,
    token: str | None = None,
    seen: int | None = None,
    resumes: bool = False,
) -> Reasons:
    """The holder's own open attempt, with nothing changed about it behind their back.

    A claim that nobody is judging any more may be made again.
    """
    one = next((g for g in state.goals.values() if g.attempt and g.attempt.id == attempt), None)
    if one is None or one.attempt is None:
        closed = Reason("no-attempt", f"{attempt} is not open", "forsooth next")
        return _not_running(state) or (closed,)
    goal, reasons = one.goal.id, list(_not_running(state))
    if one.attempt.token is not None and one.attempt.token != token:
        says = f"the token of {attempt} is missing or wrong; `forsooth next {goal}` shows it to "
        says += "whoever opened the attempt"
        reasons.append(Reason("not-holder", says, f"forsooth next {goal}", goal))
    reasons += [r for r in _closed(one, now) if r.code == "blocked"]
    judged = one.verdict is not None and one.verdict.seq > one.attempt.submitted
    if one.attempt.submitted and not judged and not resumes:
        reasons.append(
            Reason("submitted", f"{attempt} is already claimed", "forsooth status", goal)
        )
    if seen is not None and max(one.touched, state.sealed) > seen:
        says = f"{goal} changed after you last looked"
        reasons.append(Reason("changed-since", says, "forsooth next", goal))
    return tuple(reasons)


def may_attest(state: State, subject: str, *, now: datetime) -> Reasons:
    """A signed, passing verdict about everything that is required, reached under policy."""
    reasons = list(_not_running(state))
    one = state.goals.get(subject)
    if subject != "plan" and one is None:
        return missing(state, subject)
    seen = one.verdict if one else state.verdict
    if seen is None:
        command = f"forsooth done {subject}" if one else "forsooth check"
        return (*reasons, Reason("no-verdict", f"{subject} has not been judged", command, subject))
    proof = one.proof if one else state.proof
    if proof and seen.seq < proof.seq:
        says = f"the last verdict on {subject} already has its receipt"
        reasons.append(Reason("attested", says, "forsooth next", subject))
    touched = one.touched if one else state.touched
    reasons += verdict_reasons(state, subject, seen, touched=touched)
    if one is not None:
        reasons += [r for r in _closed(one, now) if r.code in ("blocked", "superseded", "expired")]
        reasons += weak_contract(state, one)
    else:
        reasons += _plan_reasons(state, now)
    return tuple(reasons)


def weak_contract(state: State, one: GoalState) -> Reasons:
    """Why a goal cannot be proven as it is written, unless a person's policy lets it."""
    rule, goal = state.policy.weak, one.goal
    if not goal.is_weak or rule == "allow" or (rule == "steered" and goal.is_steered):
        return ()
    says = f"weak contract: no criterion of a person says how {goal.id} is proven"
    hint = f"add a criterion to {goal.id} in the brief, then forsooth plan and forsooth seal; or "
    hint += f'allow it: weak = "allow" under [policy] in {YOURS}, then forsooth seal'
    return (Reason("weak-contract", says, hint, goal.id),)


def verdict_reasons(state: State, subject: str, seen: Seen, *, touched: int) -> list[Reason]:
    """What keeps a verdict from being attested, whoever asks."""
    again = f"forsooth done {subject}" if subject != "plan" else "forsooth check"
    checks_: tuple[tuple[bool, str, str], ...] = (
        (seen.outcome != "pass", "not-proven", f"the last verdict on {subject} is {seen.outcome}"),
        (not seen.signed, "unsigned", f"the verdict on {subject} carries no valid signature"),
        (seen.stage != "deliver", "not-delivered", f"{subject} was judged before it was merged"),
        (seen.seq <= touched, "stale-verdict", f"{subject} changed after it was judged"),
        (
            seen.plan_digest != state.plan_digest,
            "other-plan",
            f"{subject} was judged under another version of the plan",
        ),
        (
            TIERS.index(seen.isolation) < TIERS.index(state.policy.isolation),
            "isolation",
            f"judged under {seen.isolation}, and policy asks for {state.policy.isolation}",
        ),
        (bool(seen.unbacked), "no-evidence", f"no evidence for {', '.join(seen.unbacked)}"),
        (bool(seen.unjudged), "not-judged", f"not judged: {', '.join(seen.unjudged)}"),
        (bool(seen.unwaived), "not-waived", f"no person waived {', '.join(seen.unwaived)}"),
    )
    return [Reason(code, says, again, subject) for holds, code, says in checks_ if holds]


def _plan_reasons(state: State, now: datetime) -> list[Reason]:
    reasons = [
        Reason(
            "goal-open", f"{one.goal.id} is not proven", f"forsooth why {one.goal.id}", one.goal.id
        )
        for one in counted(state)
        if goal_status(one, now) != "done"
    ]
    reasons += [
        Reason(
            "unconfirmed",
            f"an agent set {id_} aside and no person has confirmed it",
            f"forsooth steer supersede {id_} --evidence … --rationale …",
            id_,
        )
        for id_ in unconfirmed(state)
    ]
    return reasons


def may_amend(state: State, amendment: Amendment, actor: Actor, *, now: datetime) -> Reasons:
    """Only what is pending moves, and nothing required is lost on the way."""
    reasons = list(_not_running(state))
    if not state.goals:
        return tuple(reasons)
    match amendment:
        case Add():
            reasons += [no_goal(id_) for id_ in amendment.depends_on if id_ not in state.goals]
            reasons += check_reasons(amendment.criteria, checks.KINDS)
            if actor.kind == "agent" and any(c.by != "agent" for c in amendment.criteria):
                says = "criteria an agent adds are the agent's own"
                reasons.append(Reason("not-a-person", says, "say `by: agent`"))
        case Reorder():
            reasons += _reorder_reasons(state, amendment, now)
        case Reword() | Split():
            reasons += _pending(state, amendment.goal, now)
            if isinstance(amendment, Split):
                reasons += _split_reasons(state, amendment)
                one = state.goals.get(amendment.goal)
                reasons += _exhausted(state, one) if one and not actor.speaks_for_person else []
            elif not amendment.title and not amendment.objective:
                says = "say the new title or the new objective"
                hint = f'forsooth steer reword {amendment.goal} --title "…"'
                reasons.append(Reason("nothing-to-do", says, hint, amendment.goal))
        case Supersede():
            reasons += _supersede_reasons(state, amendment.goal, actor, now)
        case _:
            assert_never(amendment)
    return tuple(reasons)


def _pending(state: State, goal: str, now: datetime) -> list[Reason]:
    one = state.goals.get(goal)
    if one is None:
        return [no_goal(goal)]
    status = goal_status(one, now)
    if status == "pending":
        return []
    says = f"{goal} is {status}; only a pending goal can be changed"
    return [Reason("not-pending", says, f"forsooth why {goal}", goal)]


def _reorder_reasons(state: State, change: Reorder, now: datetime) -> list[Reason]:
    reasons = [reason for goal in change.order for reason in _pending(state, goal, now)]
    if len(set(change.order)) < len(change.order):
        reasons.append(Reason("id-twice", "an id is named twice", "name each goal once"))
    return reasons


def _split_reasons(state: State, change: Split) -> list[Reason]:
    one = state.goals.get(change.goal)
    mine = {c.id for c in one.goal.criteria} if one else set[str]()
    named = [id_ for piece in change.pieces for id_ in piece.criteria]
    reasons = [
        Reason(
            "no-such-criterion",
            f"{change.goal} has no criterion {id_}",
            f"forsooth why {change.goal}",
            change.goal,
        )
        for id_ in named
        if id_ not in mine
    ]
    if len(set(named)) < len(named):
        says = "a criterion is given to two pieces"
        reasons.append(Reason("id-twice", says, "name each criterion once", change.goal))
    return reasons


def _supersede_reasons(state: State, goal: str, actor: Actor, now: datetime) -> list[Reason]:
    one = state.goals.get(goal)
    if one is None:
        return [no_goal(goal)]
    status = goal_status(one, now)
    if status in ("blocked", "expired") or (goal in unconfirmed(state) and actor.is_person):
        return []
    says = f"{goal} is {status}; only a blocked or expired goal can be set aside"
    return [Reason("not-blocked", says, f'forsooth block {goal} --needs agent --why "…"', goal)]


def may_clear(state: State, goal: str, blocker: str, actor: Actor, *, now: datetime) -> Reasons:
    """What only a person can settle, only a person may call settled; no id means every obstacle."""
    if state.dropped:
        return (_dropped(),)
    one = state.goals.get(goal)
    if one is None:
        return (no_goal(goal),)
    found = cleared(one, blocker, now)
    if not found:
        says = f"{goal} has no open blocker {blocker}".rstrip()
        return (Reason("no-such-blocker", says, f"forsooth why {goal}", goal),)
    return _unsettled(found, actor)


def cleared(one: GoalState, blocker: str, now: datetime) -> tuple[Blocker, ...]:
    """The obstacles meant: the one of that id, or all that stand now."""
    return tuple(b for b in one.blockers if b.id == blocker) if blocker else obstacles(one, now)


def may_retry(state: State, actor: Actor) -> Reasons:
    """What was given up as failed may be tried again by whoever may clear it."""
    return (_dropped(),) if state.dropped else _unsettled(given_up(state), actor)


def given_up(state: State) -> tuple[Blocker, ...]:
    """The obstacles of goals given up as failed."""
    return tuple(b for one in state.live for b in one.blockers if b.kind == "failed")


def _unsettled(blockers: Iterable[Blocker], actor: Actor) -> Reasons:
    return tuple(
        Reason(
            "not-a-person",
            f"{blocker.id} needs a person: {blocker.why}",
            f"ask a person: forsooth unblock {blocker.goal}",
            blocker.goal,
        )
        for blocker in blockers
        if blocker.needs == "human" and not actor.speaks_for_person
    )


def may_block(
    state: State, goal: str, actor: Actor, *, now: datetime, until: str | None = None
) -> Reasons:
    """A goal still wanted, until a time to come; an agent's word undoes nothing that is proven."""
    one = state.goals.get(goal)
    if one is None:
        return _draft_or_dropped(state) or (no_goal(goal),)
    if one.superseded:
        return (Reason("superseded", f"{goal} is superseded", "forsooth next", goal),)
    if goal_status(one, now) == "done" and not actor.speaks_for_person:
        says = f"{goal} is proven, and only a person may block it"
        return (Reason("not-a-person", says, f"forsooth check {goal}", goal),)
    return (*_draft_or_dropped(state), *_untimely(goal, until, now))


def _untimely(goal: str, until: str | None, now: datetime) -> Reasons:
    if until is None:
        return ()
    hint = f"forsooth block {goal} --until {written(now + timedelta(days=1))} …"
    if not is_written(until):
        says = f"{until[:40]!r} is not a time in UTC as RFC 3339 writes it"
        return (Reason("bad-time", says, hint, goal),)
    if moment(until) <= now:
        return (Reason("past-time", f"{until} has passed already", hint, goal),)
    return ()


def _draft_or_dropped(state: State) -> Reasons:
    return tuple(reason for reason in _not_running(state) if reason.code != "paused")


def may_pause(state: State, actor: Actor) -> Reasons:
    """A person may always stop; an agent only for what needs a person."""
    if state.dropped:
        return (_dropped(),)
    if actor.speaks_for_person or (state.classified and state.classified.needs == "human"):
        return ()
    says = "an agent may pause only for something that needs a person"
    return (
        Reason("pause-unearned", says, 'forsooth block GOAL --needs human --why "…", or go on'),
    )


def may_resume(state: State, actor: Actor) -> Reasons:
    """What a person paused, a person resumes."""
    if state.dropped:
        return (_dropped(),)
    if state.paused is None:
        return (Reason("not-paused", "the plan is not paused", "forsooth next"),)
    if state.paused.by.speaks_for_person and not actor.speaks_for_person:
        says = "a person paused the plan"
        return (Reason("not-a-person", says, "ask a person: forsooth resume"),)
    return ()


def may_drop(state: State, actor: Actor) -> Reasons:
    """Only a person gives a plan up."""
    if state.dropped:
        return (_dropped(),)
    if not actor.speaks_for_person:
        says = "only a person may give a plan up"
        return (Reason("not-a-person", says, "ask a person: forsooth stop --for-good"),)
    return ()
