"""What a person confirms: the plan, and what the judge saw of it on the base before any work."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core import command as do
from forsooth.core.canonical import digest
from forsooth.core.ground import Baseline, Ground
from forsooth.core.instant import written
from forsooth.core.outline import Row
from forsooth.core.plan import Base, Plan
from forsooth.core.policy import Policy
from forsooth.core.replan import Change, changes, policy_changes
from forsooth.core.state import State
from forsooth.errors import CouldNotVerify, UsageError
from forsooth.git import objects
from forsooth.git.references import reference
from forsooth.git.snapshot import snapshot
from forsooth.ledger.ledger import Outcome
from forsooth.project.judging import Judging
from forsooth.project.neighbours import is_inside
from forsooth.project.upstream import upstream_now

if TYPE_CHECKING:
    from forsooth.judge.judge import Asked, Case

_RUNS = ("command", "tests")


class Sealing(NamedTuple):
    """What a person is asked to confirm."""

    plan: Plan
    policy: Policy
    changes: tuple[Change, ...]
    replaces: bool
    against: str = ""
    warning: str = ""
    ground: Ground | None = None
    draft: str = ""  # the digest of the draft as it was read, before its base was set
    notices: tuple[str, ...] = ()
    same: bool = False  # the plan as it is sealed already, to be sealed again

    @property
    def argvs(self) -> tuple[tuple[str, ...], ...]:
        """Every command the plan will run."""
        every = [c.check for goal in self.plan.goals for c in (*goal.entry, *goal.criteria)]
        every += [self.plan.suite] if self.plan.suite else []
        found = [tuple(map(str, check.params.get("argv", ()))) for check in every]
        return tuple(dict.fromkeys(argv for argv in found if argv))

    @property
    def cautions(self) -> list[Row]:
        """What a person should know while they can still change the plan, wherever they are asked:
        what it cannot show, settings that do not count, and goals that cannot all be proven.
        """
        live = [goal for goal in self.plan.goals if goal.id not in self.plan.superseded]
        rows: list[Row] = []
        weak = [goal.id for goal in live if goal.is_weak and not goal.is_steered]
        if weak and self.policy.weak != "allow":
            says = f"{', '.join(weak)} cannot be proven: no criterion says how (weak-contract)"
            rows.append((f"  {says}", "yellow"))
        criteria = [criterion for goal in live for criterion in goal.criteria]
        if any(c.check.kind in _RUNS for c in criteria) and not any(c.hidden for c in criteria):
            says = "no hidden criterion: hard-coded answers to the visible cases would pass"
            rows.append((f"  {says}; forsooth plan BRIEF.md --hidden FILE adds one", "dim"))
        rows += [(f"  {says}", "yellow") for says in (self.warning, *self.notices) if says]
        return rows


class SealedFile(NamedTuple):
    """A file that a criterion is judged with as it is now, and why it is one."""

    criterion: str
    path: str
    because: str

    @property
    def is_reported(self) -> bool:
        """Whether the runner itself says that it holds tests: the best evidence there is."""
        return self.because.startswith("the runner reports")


class Sealer(Judging):
    """Confirming a plan."""

    def sealed_files(self, plan: str, ground: Ground) -> tuple[SealedFile, ...]:
        """Every file that stays as it is on the base, whatever the work makes of it."""
        from forsooth.judge.ground import Record

        blobs, found = self.ledger(plan).blobs, list[SealedFile]()
        for one in ground.baselines:
            if one.record:
                record = Record.loaded(blobs.get(one.record))
                found += [SealedFile(one.criterion, *row) for row in record.sealed_files()]
        return tuple(found)

    def sealing(self, plan: str, *, again: bool = False) -> Sealing:
        """What there is to confirm; a plan that is sealed again keeps the base it began with.

        `again` takes the plan as it is sealed where no draft waits: the base is run again and the
        environment copied again.
        """
        from forsooth.project.noticing import notices

        held = self.held() if self.actor.channel == "unattended" else ""
        if held not in ("", plan):
            raise UsageError(
                f"--yes may not put another plan in the place of {held}, sealed and not done",
                hint=f"type `forsooth seal --plan {plan}` in your own terminal",
                code="sealed-already",
            )
        state = self.state(plan)
        found = self.settings()
        proposal = state.proposal or (state.definition if again else None)
        if proposal is None:
            hint = "forsooth seal --again" if state.sealed else "forsooth plan BRIEF.md"
            raise UsageError("there is no draft to seal", hint=hint, code="no-draft")
        what, draft = changes(state.definition, proposal), proposal.digest
        if state.sealed:
            what = (*what, *policy_changes(state.policy, found.policy))
        if not state.sealed:
            proposal = proposal.but(base=self.start(proposal))
        shown = (bool(state.sealed), state.plan_digest, found.warning)
        told = notices(self.repo, proposal)
        same = state.proposal is None
        return Sealing(proposal, found.policy, what, *shown, draft=draft, notices=told, same=same)

    def seal(self, plan: str, shown: Sealing, *, agent_present: bool) -> Outcome:
        """Confirm exactly what was shown."""
        if shown.same:
            self.ask(plan, do.Create(plan=shown.plan, policy=shown.policy))
        told = tuple(f"{c.sign} {c.says}{' (loosens)' if c.loosens else ''}" for c in shown.changes)
        outcome = self.ask(
            plan,
            do.Seal(
                digest=shown.plan.digest,
                against=shown.against,
                policy=shown.policy,
                base=shown.plan.base,
                changes=told,
                agent_present=agent_present,
                ground=shown.ground,
                envelope=self._signed(plan, shown),
            ),
        )
        self.bind(plan)
        return outcome

    def _signed(self, plan: str, shown: Sealing) -> str:
        """Sign what is confirmed: with the person's own key when one is there to answer for it."""
        from forsooth.receipts import keys, seal, ssh

        channel = self.actor.channel or "unattended"
        said = seal.build(
            shown.plan, shown.policy, ground=shown.ground, channel=channel, at=written(self.now())
        )
        own = ssh.user(self.home, agent=self.ssh_agent) if self.actor.is_person else None
        try:
            signed = seal.sign(said, own or keys.judge(self.home))
        except CouldNotVerify:
            # Away from a terminal a key that asks for its passphrase has nobody to ask.
            if self.actor.channel == "terminal":
                raise
            signed = seal.sign(said, keys.judge(self.home))
        return self.ledger(plan).blobs.put(signed)

    def start(self, plan: Plan) -> Base:
        """Where a plan begins: the branch it delivers, or the work tree as it lies."""
        if plan.deliver == "worktree":
            at = snapshot(self.repo, fence=lambda path: is_inside(plan.goals, path))
            return Base(commit=at.commit, tree=at.tree)
        name = plan.deliver.removeprefix("branch ").strip()
        if reference(self.repo, name if name.startswith("refs/") else f"refs/heads/{name}") is None:
            return objects.base(self.repo)
        at = snapshot(self.repo, deliver=plan.deliver)
        return Base(commit=at.commit, tree=at.tree)

    def ground(
        self,
        plan: str,
        proposal: Plan,
        progress: Callable[[Baseline], None] = lambda _: None,
        *,
        again: bool = False,
    ) -> Ground | None:
        """Every criterion on the base, before any work.

        What did not change is not run again, unless that is asked for.
        """
        from forsooth.judge.environment.prepare.step import registry_settings

        state = self.state(plan)
        base = proposal.base
        if base.tree is None:
            return None
        is_own = not again and self.ledger(plan).is_own(state.sealed)
        kept = _kept(state, proposal) if is_own else {}
        asked = tuple(one for one in _asked(proposal) if one.criterion.id not in kept)
        for one in kept.values():
            progress(one)
        case = self._case(proposal, asked, tree=base.tree, commit=base.commit)
        with self._judge(plan, floor=state.policy.isolation) as judge:
            found = judge.ground(case, lambda one: progress(_veiled(one, proposal)))
        order = [one.criterion.id for one in _asked(proposal)]
        every = kept | {one.criterion: _veiled(one, proposal) for one in found.baselines}
        return found.but(
            baselines=tuple(every[id_] for id_ in order if id_ in every),
            path=os.environ.get("PATH", ""),
            registries=registry_settings(os.environ, self.home),
            home=digest(os.fsencode(self.home)),
            upstream=upstream_now(self.repo, proposal),
        )

    def _case(self, plan: Plan, asked: tuple[Asked, ...], *, tree: str, commit: str | None) -> Case:
        from forsooth.judge.judge import Case

        return Case(
            subject="plan",
            tree=tree,
            asked=self.revealed(plan.id, asked),
            plan_digest=plan.digest,
            commit=commit,
            settings=self.furnishing(commit),
        )


def _asked(plan: Plan) -> tuple[Asked, ...]:
    from forsooth.judge.judge import Asked

    live = [goal for goal in plan.goals if goal.id not in plan.superseded]
    rows = [Asked(criterion, goal) for goal in live for criterion in goal.criteria]
    if plan.kept_green:
        rows.append(Asked(plan.kept_green))
    return tuple(rows)


def _veiled(one: Baseline, plan: Plan) -> Baseline:
    """What was seen on the base, without the words that would tell what a hidden criterion asks."""
    hidden = {c.id for goal in plan.goals for c in goal.criteria if c.hidden}
    return one.but(reason="not shown") if one.criterion in hidden and one.reason else one


def _kept(state: State, proposal: Plan) -> dict[str, Baseline]:
    """What was seen of criteria that are as they were, on the base that still is the base."""
    ground, before = state.ground, state.definition
    if ground is None or before is None or ground.tree != proposal.base.tree:
        return {}
    old = {one.criterion.id: one.criterion for one in _asked(before)}
    same = [
        one.criterion.id for one in _asked(proposal) if old.get(one.criterion.id) == one.criterion
    ]
    found = {id_: ground.about(id_) for id_ in same}
    return {id_: one for id_, one in found.items() if one and one.red != "environment"}
