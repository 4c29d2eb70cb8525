"""What happened: twenty-one kinds of fact, and the envelope each is recorded in.

A fact never says that a goal is done. Kinds and versions unknown to this code are kept and
counted, never dropped and never obeyed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, cast, get_args

from pydantic import Field
from pydantic_core import to_json

from forsooth.core.actor import Actor, Channel
from forsooth.core.amendment import Amendment
from forsooth.core.blocker import Blocker, Needs
from forsooth.core.check import Text
from forsooth.core.ground import Ground
from forsooth.core.ids import AttemptId, CriterionId, Digest, GitId, GoalId
from forsooth.core.instant import moment
from forsooth.core.plan import Base, Goal, Plan, Waiver
from forsooth.core.policy import Policy
from forsooth.core.receipt import Receipt
from forsooth.core.value import Value
from forsooth.core.verdict import Finding, Verdict

VERSION = 1

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Fact(Value):
    """The body of an event; its class says what happened."""

    KIND: ClassVar[str] = ""


class PlanCreated(Fact):
    """A draft was made, or made anew; nothing is in force until it is sealed."""

    KIND = "plan.created"
    plan: Plan


class PlanSealed(Fact):
    """A person confirmed the draft of this digest."""

    KIND = "plan.sealed"
    plan_digest: Digest
    policy: Policy = Policy()
    base: Base = Base()
    channel: Channel
    changes: tuple[str, ...] = ()
    ground: Ground | None = None
    envelope: Digest | None = None


class PlanAmended(Fact):
    """The plan was steered; `goals` are the ones this made."""

    KIND = "plan.amended"
    amendment: Amendment
    goals: tuple[Goal, ...] = ()


class PlanPaused(Fact):
    """Nobody is held or driven until it is resumed."""

    KIND = "plan.paused"
    reason: str = ""


class PlanResumed(Fact):
    """Work may go on."""

    KIND = "plan.resumed"
    reason: str = ""


class PlanDropped(Fact):
    """A person gave the plan up."""

    KIND = "plan.dropped"
    reason: str = ""


class AttemptOpened(Fact):
    """A try at a goal began; only the holder of the token may claim for it."""

    KIND = "attempt.opened"
    attempt: AttemptId
    goal: GoalId
    base: Base = Base()
    token: Digest | None = None


class AttemptSubmitted(Fact):
    """Someone claims the goal is met at this tree."""

    KIND = "attempt.submitted"
    attempt: AttemptId
    goal: GoalId
    tree: GitId
    commit: GitId | None = None
    summary: str = ""


class AttemptAborted(Fact):
    """A try ended without a claim."""

    KIND = "attempt.aborted"
    attempt: AttemptId
    goal: GoalId
    reason: Text


class AttemptIntegrated(Fact):
    """An attempt's work was merged onto the branch that is delivered."""

    KIND = "attempt.integrated"
    attempt: AttemptId
    goal: GoalId
    tree: GitId
    commit: GitId


class EvidenceAdded(Fact):
    """Bytes that show something; `approves` counts only from a person."""

    KIND = "evidence.added"
    digest: Digest
    goal: GoalId | None = None
    criterion: CriterionId | None = None
    label: str = ""
    observed_by: Literal["judge", "agent", "human"] = "agent"
    approves: bool = False
    tree: GitId | None = None
    paths: tuple[str, ...] = ()


class VerdictGiven(Fact):
    """The judge looked; counts towards a receipt only when `envelope`, which signs it, verifies."""

    KIND = "verdict.given"
    verdict: Verdict
    envelope: Digest | None = None


class ReceiptIssued(Fact):
    """A verdict was attested; counts only when its envelope verifies."""

    KIND = "receipt.issued"
    receipt: Receipt


class BlockerRaised(Fact):
    """A goal cannot go on."""

    KIND = "blocker.raised"
    blocker: Blocker


class BlockerCleared(Fact):
    """An obstacle is out of the way."""

    KIND = "blocker.cleared"
    blocker: str
    goal: GoalId
    reason: str = ""


class CommandRefused(Fact):
    """Something was asked and the gate said no."""

    KIND = "command.refused"
    command: Text
    codes: tuple[str, ...]
    goal: GoalId | None = None


class NoteAdded(Fact):
    """Something worth keeping; `needs` classifies an obstacle without raising one."""

    KIND = "note.added"
    text: Text
    goal: GoalId | None = None
    evidence: str = ""
    rationale: str = ""
    needs: Needs | None = None


class FindingRecorded(Fact):
    """A check looked and nothing was claimed."""

    KIND = "finding.recorded"
    finding: Finding
    tree: GitId


class UsageRecorded(Fact):
    """What some work cost, in tokens and millionths of the policy's currency."""

    KIND = "usage.recorded"
    tokens: Annotated[int, Field(ge=0)] = 0
    cost: Annotated[int, Field(ge=0)] = 0
    goal: GoalId | None = None
    attempt: AttemptId | None = None


class WaiverGranted(Fact):
    """A person set a criterion aside."""

    KIND = "waiver.granted"
    goal: GoalId
    criterion: CriterionId
    waiver: Waiver


class LedgerRepaired(Fact):
    """Bytes that never became an event were removed, or a damaged file was left behind."""

    KIND = "ledger.repaired"
    removed: Annotated[int, Field(ge=0)]
    digest: Digest
    cause: Literal["torn", "damaged"] = "torn"
    left_out: Annotated[int, Field(ge=0)] = 0


class Unknown(NamedTuple):
    """An event this code does not understand, as it stands."""

    kind: str
    v: Any
    data: Any


AnyFact = (
    PlanCreated
    | PlanSealed
    | PlanAmended
    | PlanPaused
    | PlanResumed
    | PlanDropped
    | AttemptOpened
    | AttemptSubmitted
    | AttemptAborted
    | AttemptIntegrated
    | EvidenceAdded
    | VerdictGiven
    | ReceiptIssued
    | BlockerRaised
    | BlockerCleared
    | CommandRefused
    | NoteAdded
    | FindingRecorded
    | UsageRecorded
    | WaiverGranted
    | LedgerRepaired
)

FACTS: dict[tuple[int, str], type[AnyFact]] = {
    (VERSION, kind.KIND): kind for kind in get_args(AnyFact)
}


class Event(NamedTuple):
    """An immutable fact with who, when and in what order."""

    seq: int
    id: str
    at: str
    by: Actor
    fact: AnyFact | Unknown
    key: str | None = None

    @property
    def kind(self) -> str:
        """The event's name, `subject.verbed`."""
        return self.fact.kind if isinstance(self.fact, Unknown) else self.fact.KIND


NOBODY = Actor(kind="agent", name="?")


def body(fact: AnyFact, *, id_: str, at: str, by: Actor, key: str | None = None) -> dict[str, Any]:
    """The members a ledger line is framed from."""
    made: dict[str, Any] = {
        "v": VERSION,
        "id": id_,
        "at": at,
        "by": by.plain(),
        "kind": fact.KIND,
        "data": fact.plain(),
    }
    if key is not None:
        made["key"] = key
    return made


def blob_of(raw: dict[str, Any]) -> str:
    """The digest of a body that was too large for its line; empty when it stands there."""
    data = cast("dict[str, Any] | None", raw.get("data"))
    name = str(data["blob"]) if data.__class__ is dict and data and list(data) == ["blob"] else ""
    return name if _DIGEST.fullmatch(name) else ""


@lru_cache(maxsize=64)
def _actor(written: bytes) -> Actor:
    return Actor.model_validate_json(written)


def read(raw: dict[str, Any], *, data: bytes | None = None) -> Event:
    """An event out of a parsed line; `data` replaces a body that was kept apart."""
    seq, id_, at, key = raw["seq"], str(raw.get("id")), str(raw.get("at")), raw.get("key")
    key = key if isinstance(key, str) else None
    try:
        moment(at)
        fact = FACTS[raw["v"], raw["kind"]].model_validate_json(data or to_json(raw["data"]))
        return Event(seq, id_, at, _actor(to_json(raw["by"])), fact, key)
    except (KeyError, TypeError, ValueError):
        unknown = Unknown(str(raw.get("kind")), raw.get("v"), raw.get("data"))
        return Event(seq, id_, at, NOBODY, unknown, key)
