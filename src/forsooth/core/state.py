"""What the ledger adds up to. Nothing here says "done": that is asked, in `status`.

The size of a state depends on the plan, never on how long its ledger is.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from forsooth.core.actor import Actor
from forsooth.core.blocker import Blocker, Needs
from forsooth.core.cadence import Achievements
from forsooth.core.ground import Ground
from forsooth.core.ids import SUITE
from forsooth.core.plan import Base, Goal, Plan, Waiver
from forsooth.core.policy import Policy, Tier
from forsooth.core.receipt import Receipt
from forsooth.core.value import Value
from forsooth.core.verdict import UNTESTED, Standing, VerdictOutcome


class Try(Value):
    """The attempt now open at a goal."""

    id: str
    opened: int
    by: Actor
    base: Base = Base()
    token: str | None = None
    submitted: int = 0
    tree: str | None = None
    commit: str | None = None
    integrated: int = 0


class Seen(Value):
    """The last verdict about a subject, and what keeps it from being attested."""

    seq: int
    outcome: VerdictOutcome
    tree: str
    plan_digest: str
    isolation: Tier
    signed: bool
    commit: str | None = None
    attempt: str | None = None
    stage: str = "deliver"
    unbacked: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    unwaived: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    awaiting: tuple[str, ...] = ()
    suite_failed: bool = False


class Proof(Value):
    """The last receipt of a subject."""

    seq: int
    receipt: Receipt


class Supersession(Value):
    """Why a goal was set aside, by whom, and what stands in its place."""

    seq: int
    by: Actor
    evidence: str = ""
    rationale: str = ""
    replacements: tuple[str, ...] = ()
    confirmed: bool = False


class Agreement(Value):
    """A person's yes to a criterion: at which tree, and the globs of what it is about.

    Without globs it is about the whole tree.
    """

    seq: int
    by: Actor
    tree: str | None = None
    paths: tuple[str, ...] = ()


class GoalState(Value):
    """Everything known about one goal."""

    goal: Goal
    named: int = 0
    touched: int = 0
    attempts: int = 0
    spent: int = 0
    errors: int = 0
    attempt: Try | None = None
    verdict: Seen | None = None
    proof: Proof | None = None
    standings: dict[str, Standing] = Field(default_factory=dict)
    blockers: tuple[Blocker, ...] = ()
    superseded: Supersession | None = None
    expired: bool = False
    waivers: dict[str, Waiver] = Field(default_factory=dict)
    approvals: dict[str, Agreement] = Field(default_factory=dict)
    achieved: Achievements = Achievements()

    def standing(self, criterion: str) -> Standing:
        """How a criterion of this goal has fared."""
        return self.standings.get(criterion, UNTESTED)

    @property
    def awaiting(self) -> tuple[str, ...]:
        """The criteria to which a person has not agreed since the last verdict asked for it.

        An entry criterion asks before there is any verdict.
        """
        asked = (c.id for c in self.goal.entry if c.check.kind == "approval")
        entry = tuple(id_ for id_ in asked if id_ not in self.approvals)
        return entry + _awaiting(self.verdict, self.approvals)

    @property
    def is_proven(self) -> bool:
        """Whether the last receipt is fresh."""
        return self.proof is not None and self.proof.seq > self.touched


class Classification(Value):
    """The latest word on who must act, and the blocker it came with."""

    needs: Needs
    seq: int
    blocker: str = ""


class Pause(Value):
    """Who paused the plan, and why."""

    seq: int
    by: Actor
    reason: str = ""


class State(Value):
    """A plan as its ledger tells it."""

    seq: int = 0
    at: str = ""
    plan: Plan | None = None
    plan_digest: str = ""
    proposal: Plan | None = None
    sealed: int = 0
    seal_channel: str = ""
    seal_envelope: str | None = None
    sealed_at: str = ""
    ground: Ground | None = None
    policy: Policy = Policy()
    goals: dict[str, GoalState] = Field(default_factory=dict)
    amended: int = 0
    verdict: Seen | None = None
    failed: int = 0
    proof: Proof | None = None
    errors: int = 0
    recoveries: int = 0
    paused: Pause | None = None
    dropped: int = 0
    classified: Classification | None = None
    refused: tuple[str, ...] = ()
    crumbs: tuple[str, ...] = ()
    blockers: int = 0
    cost: int = 0
    tokens: int = 0
    repairs: int = 0
    void: int = 0
    unknown: int = 0
    keys: dict[str, int] = Field(default_factory=dict)

    @property
    def live(self) -> tuple[GoalState, ...]:
        """The goals that have not been set aside, in order."""
        return tuple(one for one in self.goals.values() if one.superseded is None)

    @property
    def definition(self) -> Plan | None:
        """The plan in force, with every goal it now has."""
        if self.plan is None:
            return None
        return self.plan.but(
            goals=tuple(one.goal for one in self.goals.values()),
            superseded=tuple(id_ for id_, one in self.goals.items() if one.superseded),
        )

    @property
    def basis(self) -> str:
        """What a new draft is made from, by name: the plan in force and the draft that waits."""
        return f"{self.plan_digest}/{self.proposal.digest if self.proposal else ''}"

    @property
    def touched(self) -> int:
        """The last thing that makes the plan's own receipt stale."""
        counted = (one for one in self.goals.values() if one.goal.cadence is None)
        return max((self.amended, *(one.touched for one in counted)))

    @property
    def is_proven(self) -> bool:
        """Whether the plan's own receipt is fresh."""
        return self.proof is not None and self.proof.seq > max(self.touched, self.failed)

    @property
    def accepted(self) -> Base:
        """Where an attempt begins: at what was proven last, else where the plan began."""
        proofs = [one.proof for one in self.goals.values() if one.proof]
        last = max(proofs, key=lambda proof: proof.seq, default=None)
        if last:
            return Base(commit=last.receipt.commit, tree=last.receipt.tree)
        return self.plan.base if self.plan else Base()

    def owner(self, criterion: str) -> GoalState | None:
        """The live goal a criterion is on, also one that must hold before the work."""
        return next(
            (
                one
                for one in self.live
                if any(c.id == criterion for c in (*one.goal.entry, *one.goal.criteria))
            ),
            None,
        )

    @property
    def awaiting(self) -> tuple[str, ...]:
        """The criteria to which a person has not agreed since the plan's verdict asked for it."""
        agreed = {id_: at for one in self.live for id_, at in one.approvals.items()}
        return _awaiting(self.verdict, agreed)

    @property
    def required(self) -> tuple[str, ...]:
        """The criteria a verdict on the whole plan must cover; what comes round is not counted."""
        counted = (one for one in self.live if one.goal.cadence is None)
        criteria = tuple(c.id for one in counted for c in one.goal.criteria)
        return criteria + ((SUITE,) if self.plan and self.plan.suite else ())


def _awaiting(seen: Seen | None, agreed: Mapping[str, Agreement]) -> tuple[str, ...]:
    asked = seen.awaiting if seen else ()
    return tuple(id_ for id_ in asked if seen and (id_ not in agreed or agreed[id_].seq < seen.seq))


NOTHING = State()
