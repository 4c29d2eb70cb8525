"""From a claim to a verdict: the base before any work, the claim, and what a person sets aside.

A claim opens an attempt where none is open, is recorded before it is judged, and ends in a verdict
whatever the judge finds. The judge is loaded when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core import command as do
from forsooth.core import next as steps
from forsooth.core.canonical import digest
from forsooth.core.gate import Reason, Reasons, missing, weak_contract
from forsooth.core.state import GoalState, State
from forsooth.core.status import goal_status
from forsooth.core.unheard import not_sealed_here, unheard
from forsooth.core.verdict import Finding
from forsooth.errors import CouldNotVerify, Refused
from forsooth.git.history import is_ancestor
from forsooth.git.reader import keeping
from forsooth.git.references import branch, head
from forsooth.git.snapshot import Snapshot
from forsooth.git.trees import changes
from forsooth.ledger.ledger import Outcome
from forsooth.project import claims
from forsooth.project.attesting import Attesting, Issued
from forsooth.project.entries import Entries
from forsooth.project.judging import uncommitted
from forsooth.project.neighbours import Absent, absent, is_inside, own_paths
from forsooth.project.tokens import token_of

if TYPE_CHECKING:
    from forsooth.judge.seen import Seen

HEADS = "refs/heads/"


class Claim(NamedTuple):
    """What a claim says of itself; `is_alone` when nobody else is judging one of the same goal."""

    token: str
    summary: str
    is_alone: bool


class Away(NamedTuple):
    """That the checkout stands elsewhere than what is delivered, and how to bring it there."""

    says: str
    hint: str


class Claimed(NamedTuple):
    """A claim and what came of it; `again` when it was proven before, and nothing was run.

    `unheard` is what persons are said to have done that nobody did in this home. `absent` are other
    goals whose proven work is not here, so that the plan as a whole was not judged.
    """

    seen: Seen
    at: Snapshot
    actions: dict[str, str]
    outcome: Outcome
    uncommitted: tuple[str, ...] = ()
    issued: Issued | None = None
    whole: Issued | None = None
    unheard: Reasons = ()
    again: bool = False
    absent: tuple[Absent, ...] = ()


class Claiming(Entries, Attesting):
    """What is claimed, and what it is measured against."""

    def claim(
        self,
        plan: str,
        goal: str,
        *,
        token: str = "",
        summary: str = "",
        progress: Callable[[Finding], None] = lambda _: None,
    ) -> Claimed:
        """Claim that a goal is met, one claim of it at a time."""
        held = claims.held(self.root / "plans" / plan, goal)
        with keeping(self.repo), held as is_alone:
            found = self._claimed(plan, goal, Claim(token, summary, is_alone), progress)
            if found.issued is None or found.whole:
                return found
            return found._replace(absent=absent(self.repo, self.state(plan), found.at))

    def _claimed(
        self, plan: str, goal: str, claim: Claim, progress: Callable[[Finding], None]
    ) -> Claimed:
        """One claim.

        1. What is delivered, on the history it began with. 2. The claim is recorded. 3. The judge
        looks with every ward. 4. Its verdict is signed and recorded, whatever it is. 5. A passing
        one gets its receipt. 6. With the last goal the plan gets its own.

        A goal that is proven elsewhere is proven anew here, without an attempt; one that is proven
        at this very commit is told again.
        """
        ledger = self.ledger(plan)
        state = ledger.proven_state()
        one = state.goals.get(goal)
        if one is None:
            raise Refused(missing(state, goal))
        self._same_home(state, is_own=ledger.is_own(state.sealed))
        at = self._at(state, one)  # 1
        self._same_history(state, at)
        self._changed(state, one, at)
        told, attempt = unheard(ledger.unheard, state), None
        if self._is_proven(state, one):
            if self._stands(one, at):
                return self._told_again(state, one, at, progress)._replace(unheard=told)
        else:
            _provable(state, one)
            attempt = self._submitted(plan, one, at, claim)  # 2
        case = self._goal_case(state, (one,), at, subject=goal)._replace(full=True, attempt=attempt)
        floor, ground = state.policy.isolation, state.ground
        with self._judge(plan, floor=floor, ground=ground) as judge:
            seen = judge.judge(case, progress)  # 3
        seen = _waived(seen, (one,))
        if seen.verdict.outcome == "pass":
            self._still_there(state, one, at)
        outcome = self.give(plan, seen.verdict)  # 4
        issued = self.attest(plan, seen, summary=claim.summary)  # 5
        state = self.record_obstacles(plan)
        whole = self._whole(plan, seen, at, progress) if issued else None  # 6
        left = uncommitted(state, at)
        actions = self._actions(case, seen)
        return Claimed(seen, at, actions, outcome, left, issued, whole, unheard=told)

    def _told_again(
        self, state: State, one: GoalState, at: Snapshot, progress: Callable[[Finding], None]
    ) -> Claimed:
        """What was said of a goal when it was proven; the plan's receipt, should it lack one."""
        assert one.proof is not None  # noqa: S101
        assert state.plan is not None  # noqa: S101
        plan, proof = state.plan.id, state.proof
        issued, seen = self._issued_then(state, one.proof), self._seen_then(plan, one.proof)
        stands = state.is_proven and proof is not None and proof.receipt.tree == at.tree
        if stands and proof is not None:
            whole = self._issued_then(state, proof)
        else:
            whole = self._whole(plan, seen, at, progress)
        left = uncommitted(state, at)
        return Claimed(seen, at, {}, issued.outcome, left, issued, whole, again=True)

    def _whole(
        self, plan: str, seen: Seen, at: Snapshot, progress: Callable[[Finding], None]
    ) -> Issued | None:
        """The plan's own receipt, once every goal has one: all of it at this very tree."""
        state = self.ledger(plan).proven_state()
        stands = state.proof is not None and state.proof.receipt.tree == at.tree
        due: tuple[steps.Step, ...] = (steps.Judge("plan"), steps.Attest("plan"))
        due = (steps.Rest("done"),) if state.is_proven and not stands else due
        (step, *others) = steps.next_steps(state, self.now())
        if others or step not in due or absent(self.repo, state, at):
            return None
        wanted = tuple(one for one in state.live if one.goal.cadence is None)
        case = self._goal_case(state, wanted, at, subject="plan")._replace(full=True)
        known = {finding.criterion: finding for finding in seen.verdict.findings}
        left = tuple(one for one in case.asked if one.criterion.id not in known)
        if left:
            floor, ground = state.policy.isolation, state.ground
            with self._judge(plan, floor=floor, ground=ground) as judge:
                rest = judge.judge(case._replace(asked=left), progress)
            known |= {finding.criterion: finding for finding in rest.verdict.findings}
        findings = tuple(known[one.criterion.id] for one in case.asked)
        verdict = seen.verdict.but(subject="plan", attempt=None, findings=findings)
        whole = _waived(seen._replace(verdict=verdict), wanted)
        self.give(plan, whole.verdict)
        return self.attest(plan, whole)

    def _at(self, state: State, one: GoalState) -> Snapshot:
        """What is delivered; a branch that is gone delivers nothing."""
        try:
            return self._delivered(state, (one,))
        except CouldNotVerify as error:
            if error.code != "unknown-revision":
                raise
            raise Refused((Reason("branch-gone", error.message, error.hint),)) from None

    def _still_there(self, state: State, one: GoalState, at: Snapshot) -> None:
        """Work that changed while it was judged is not what was proven; other files may change."""
        now, plan = self._at(state, one), state.plan
        base = plan.base.tree if plan else None
        if now.tree == at.tree or base is None:
            return
        work = {change.path for change in changes(self.repo, base, at.tree)}
        moved = [c.path for c in changes(self.repo, at.tree, now.tree) if c.path in work]
        if moved:
            says = f"changed while it was judged: {', '.join(moved[:5])}"
            raise Refused((Reason("moved", says, f"forsooth done {one.goal.id}", one.goal.id),))

    def _same_home(self, state: State, *, is_own: bool) -> None:
        """What is anchored outside the repository lies in the sealing person's home."""
        home = state.ground.home if state.ground else ""
        is_elsewhere = home and home != digest(os.fsencode(self.home))
        if state.sealed and (is_elsewhere or not is_own):
            raise Refused((not_sealed_here(state),))

    def _same_history(self, state: State, at: Snapshot) -> None:
        base = state.plan.base.commit if state.plan else None
        if base is None or at.commit is None or is_ancestor(self.repo, base, at.commit):
            return
        says = f"what is delivered does not build on {base[:12]}, where the plan began"
        hint = f"git rebase {base[:12]}, or git merge {base[:12]}"
        raise Refused((Reason("base-lost", says, hint),))

    def _changed(self, state: State, one: GoalState, at: Snapshot) -> None:
        """A goal that only keeps what it has must still have done something, or expect not to."""
        base = state.plan.base.tree if state.plan else None
        if one.goal.expects == "no-change" or base is None:
            return
        own = own_paths(state.plan)
        found = [c.path for c in changes(self.repo, base, at.tree) if c.path not in own]
        if not any(is_inside((one.goal,), path) for path in found):
            says = f"nothing that {one.goal.id} may change differs from where the plan began"
            hint = f"forsooth next {one.goal.id}"
            if away := self._away(state, at):
                says, hint = f"{says}; {away.says}", away.hint
            if left := uncommitted(state, at):
                says += f"; not committed, so not delivered: {', '.join(left[:5])}"
                hint = "git commit -a"
            raise Refused((Reason("nothing-changed", says, hint, one.goal.id),))

    def _away(self, state: State, at: Snapshot) -> Away | None:
        """Where the checkout stands when it is not on the branch that is delivered."""
        plan = state.plan
        if plan is None or plan.deliver == "worktree":
            return None
        name = plan.deliver.removeprefix("branch ").strip().removeprefix(HEADS)
        here, stands = branch(self.repo).removeprefix(HEADS), head(self.repo)
        if here == name or at.commit is None:
            return None
        still = "still " if at.commit == plan.base.commit else ""
        where = f"on {here}" if here else "on no branch"
        says = f"{name} is delivered and {still}at {at.commit[:12]}; the checkout is {where}"
        says += f", at {stands[:12]}" if stands else ""
        hint = f"git switch {quote(name)}"
        if stands not in (None, at.commit):
            hint += f" && git merge {quote(here or str(stands)[:12])}"
        return Away(says, hint)

    def _is_proven(self, state: State, one: GoalState) -> bool:
        """Whether a goal is done in a plan that goes on."""
        is_stopped = state.paused or state.dropped
        return not is_stopped and goal_status(one, self.now()) == "done"

    def _stands(self, one: GoalState, at: Snapshot) -> bool:
        """Whether what is delivered is what the goal was proven on."""
        receipt = one.proof.receipt if one.proof else None
        return receipt is not None and (receipt.tree, receipt.commit) == (at.tree, at.commit)

    def _submitted(self, plan: str, one: GoalState, at: Snapshot, claim: Claim) -> str:
        """Record the claim under the open attempt, or under a new one for it."""
        attempt = one.attempt
        if attempt is None:
            self.enter(plan, one.goal.id)
            opened = self.ask(plan, do.Open(goal=one.goal.id, base=self.state(plan).accepted))
            attempt = opened.state.goals[one.goal.id].attempt
        assert attempt is not None  # noqa: S101
        known = token_of(self.folder(plan), attempt) if self.actor.is_person else ""
        token = claim.token or known
        submit = do.Submit(
            attempt=attempt.id,
            tree=at.tree,
            commit=at.commit,
            summary=claim.summary,
            token=digest(token.encode()) if token else None,
            seen=self.state(plan).seq,
            resumes=claim.is_alone,
        )
        self.ask(plan, submit)
        return attempt.id

    def waive(self, plan: str, criterion: str, *, reason: str) -> Outcome:
        """Set a criterion aside; a person's word, shown wherever it counts."""
        owner = self.state(plan).owner(criterion)
        goal = owner.goal.id if owner else criterion.partition(".")[0]
        name = self.actor.name or "a person"
        return self.ask(plan, do.Waive(goal=goal, criterion=criterion, by=name, reason=reason))


def _provable(state: State, one: GoalState) -> None:
    """Nothing can be shown of a goal that asks nothing, unless a person's policy lets it."""
    goal = one.goal
    for reason in weak_contract(state, one):
        raise CouldNotVerify(reason.says, hint=reason.hint, code=reason.code)
    if goal.criteria or (state.plan and state.plan.suite):
        return
    says = f"{goal.id} has no criterion and the plan no suite: nothing could prove it"
    hint = f'forsooth block {goal.id} --needs human --why "it has no criterion"'
    raise Refused((Reason("no-criteria", says, hint, goal.id),))


def _waived(seen: Seen, goals: Iterable[GoalState]) -> Seen:
    """What a person set aside, marked as such where it does not hold."""
    aside = {id_ for one in goals for id_ in one.waivers}
    findings = tuple(
        finding.but(outcome="waived")
        if finding.criterion in aside and finding.outcome != "pass"
        else finding
        for finding in seen.verdict.findings
    )
    return seen._replace(verdict=seen.verdict.but(findings=findings))
