"""What an actor can ask for. Whether it happens is `decide`'s to say."""

from __future__ import annotations

from forsooth.core.amendment import Amendment
from forsooth.core.blocker import BlockerKind, Needs
from forsooth.core.ground import Ground
from forsooth.core.plan import Base, Plan
from forsooth.core.policy import Policy
from forsooth.core.receipt import Receipt
from forsooth.core.value import Value
from forsooth.core.verdict import Finding, Verdict


class Command(Value):
    """Something asked for."""


class Create(Command):
    """Make a draft, or make it anew."""

    plan: Plan
    policy: Policy = Policy()
    against: str | None = None


class Seal(Command):
    """Confirm the draft of this digest."""

    digest: str
    against: str | None = None
    policy: Policy = Policy()
    base: Base = Base()
    changes: tuple[str, ...] = ()
    agent_present: bool = False
    ground: Ground | None = None
    envelope: str | None = None


class Amend(Command):
    """Steer the plan."""

    amendment: Amendment


class Open(Command):
    """Begin an attempt at a goal."""

    goal: str
    base: Base = Base()
    token: str | None = None


class Submit(Command):
    """Claim that the goal is met at this tree; `resumes` when whoever judged it last is gone."""

    attempt: str
    tree: str
    commit: str | None = None
    summary: str = ""
    token: str | None = None
    seen: int | None = None
    resumes: bool = False


class Abort(Command):
    """End an attempt without a claim."""

    attempt: str
    reason: str


class Integrate(Command):
    """Record that an attempt was merged onto what is delivered."""

    attempt: str
    tree: str
    commit: str


class Give(Command):
    """Record what the judge saw; `envelope` is what signs it."""

    verdict: Verdict
    envelope: str | None = None


class Attest(Command):
    """Issue a receipt for a passing verdict."""

    receipt: Receipt


class Raise(Command):
    """Say that a goal cannot go on, and who must act."""

    goal: str
    needs: Needs
    why: str
    kind: BlockerKind = "blocked"
    evidence: str = ""
    until: str | None = None


class Clear(Command):
    """Say that an obstacle is out of the way; without its id, all that stand on the goal."""

    goal: str
    blocker: str = ""
    reason: str = ""


class Retry(Command):
    """Open again whatever was given up as failed."""

    reason: str = ""


class Pause(Command):
    """Stop holding and driving."""

    reason: str = ""


class Resume(Command):
    """Go on."""

    reason: str = ""


class Drop(Command):
    """Give the plan up."""

    reason: str = ""


class Waive(Command):
    """Set a criterion aside."""

    goal: str
    criterion: str
    by: str
    reason: str


class Note(Command):
    """Keep something worth keeping."""

    text: str
    goal: str | None = None
    evidence: str = ""
    rationale: str = ""
    needs: Needs | None = None


class Attach(Command):
    """Keep evidence by its digest; with a person's, they may agree to a criterion at one tree.

    `paths` are the globs of what the agreement is about; without them it is the whole tree.
    """

    digest: str
    goal: str | None = None
    criterion: str | None = None
    label: str = ""
    approves: bool = False
    tree: str | None = None
    paths: tuple[str, ...] = ()


class Record(Command):
    """Keep a finding of a check that claims nothing."""

    finding: Finding
    tree: str


class Spend(Command):
    """Keep what some work cost."""

    tokens: int = 0
    cost: int = 0
    goal: str | None = None
    attempt: str | None = None


AnyCommand = (
    Create
    | Seal
    | Amend
    | Open
    | Submit
    | Abort
    | Integrate
    | Give
    | Attest
    | Raise
    | Clear
    | Retry
    | Pause
    | Resume
    | Drop
    | Waive
    | Note
    | Attach
    | Record
    | Spend
)
