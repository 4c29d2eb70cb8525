"""What a receipt states (in-toto Statement v1, our own predicate): what was proven, and how.

Pure: built from core values, read from bytes. Fields unknown to this version are passed over, as
in-toto asks; docs/reference/receipt.md is the specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from forsooth.core.canonical import digest_of, encode
from forsooth.core.check import Text
from forsooth.core.ground import Ground, Red
from forsooth.core.ids import SUITE, CriterionId, Digest, GitId, PlanId
from forsooth.core.instant import Instant
from forsooth.core.plan import Criterion, Plan, Waiver
from forsooth.core.policy import Policy, Tier
from forsooth.core.value import Value
from forsooth.core.verdict import RESERVED, Finding, Outcome, Subject, Verdict
from forsooth.receipts import strict
from forsooth.receipts.problem import BadReceipt

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://forsooth.dev/receipt/v1"

Assurance = Literal["self", "ci"]

_HIDDEN = "hidden criterion"


class Part(Value):
    """A part of the predicate; what a later version adds to it is passed over."""

    model_config = {"extra": "ignore"}


class Waived(Part):
    """Who set a check aside, and why."""

    by: Text
    reason: Text


class Proof(Part):
    """One check: what it claims, how it ran, what it saw and what that rests on.

    `record` is the digest of the kept list of tests and oracles, `red` how it failed on the base.
    """

    criterion: CriterionId
    says: str
    kind: str
    outcome: Outcome
    code: str
    argv: tuple[str, ...] = ()
    reason: str = ""
    guard: bool = False
    red: Red | None = None
    record: Digest | None = None
    oracles: int = 0
    tests: int = 0
    evidence: tuple[Digest, ...] = ()
    held: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    took: int = 0
    waiver: Waived | None = None

    @property
    def is_reserved(self) -> bool:
        """Whether it passed with a reservation, which stands in its reason."""
        return self.outcome == "pass" and self.code in RESERVED


class Sealed(Part):
    """How a person confirmed the plan; `signer` is the id of the key the seal is signed with.

    `plan_digest` is of the plan as it was confirmed, before goals were added or set aside.
    """

    channel: str
    at: Instant
    signer: str = ""
    plan_digest: Digest | None = None


class Start(Part):
    """Where the plan began."""

    commit: GitId | None = None
    tree: GitId | None = None


class Environment(Part):
    """What the checks were furnished with; `digests` are of its content at the seal."""

    key: str = ""
    kind: str = ""
    how: str = ""
    digests: dict[str, str] = {}


class Place(Part):
    """A place in the ledger: the last line the receipt knows of, and that line's hash."""

    seq: int
    head: Digest
    segment: int = 0


class Judged(Part):
    """The verdict that is attested: its line, and the sha256 of its canonical bytes."""

    seq: int
    sha256: Digest


class Cost(Part):
    """What the work is known to have cost."""

    micros: int = 0
    tokens: int = 0
    judged_ms: int = 0


class Predicate(Part):
    """What is stated of the tree.

    `parent` is the commit that uncommitted work lies on: it lacks the work.
    """

    subject: Subject
    title: str
    plan: PlanId
    plan_digest: Digest
    policy_digest: Digest
    seal: Sealed
    checks: tuple[Proof, ...]
    ledger: Place
    verdict: Judged
    tool: str
    at: Instant
    base: Start = Start()
    deliver: str = "worktree"
    weak: bool = False
    isolation: Tier = "none"
    assurance: Assurance = "self"
    environment: Environment = Environment()
    cost: Cost = Cost()
    parent: GitId | None = None
    notes: tuple[str, ...] = ()

    @property
    def waived(self) -> tuple[Proof, ...]:
        """The checks that were set aside."""
        return tuple(one for one in self.checks if one.outcome == "waived")

    @property
    def flags(self) -> tuple[str, ...]:
        """Everything that eyes should see, once."""
        found = (flag for one in self.checks for flag in one.flags)
        return tuple(dict.fromkeys((*found, *self.notes)))


class Statement(NamedTuple):
    """A predicate, and the tree it is about: by git's id, by our own digest, by its commit.

    The commit is none unless it holds that very tree.
    """

    tree: str
    listing_sha256: str
    commit: str | None
    predicate: Predicate

    @property
    def subject(self) -> list[dict[str, Any]]:
        """The tree, and the commit where there is one, as in-toto names them."""
        rows: list[dict[str, Any]] = [
            {"name": "tree", "digest": {"gitTree": self.tree, "sha256": self.listing_sha256}}
        ]
        return rows + (
            [{"name": "commit", "digest": {"gitCommit": self.commit}}] if self.commit else []
        )

    @property
    def plain(self) -> dict[str, Any]:
        """The statement as JSON data."""
        return {
            "_type": STATEMENT,
            "subject": self.subject,
            "predicateType": PREDICATE,
            "predicate": self.predicate.plain(),
        }


def build(
    verdict: Verdict,
    plan: Plan,
    *,
    listing_sha256: str,
    policy: Policy,
    seal: Sealed,
    ledger: Place,
    seq: int,
    at: str,
    tool: str,
    ground: Ground | None = None,
    waivers: Mapping[str, Waiver] | None = None,
    environment: Environment | None = None,
    assurance: Assurance = "self",
    cost: Cost | None = None,
    committed: bool = True,
) -> Statement:
    """What a verdict proves, told whole; `seq` is the verdict's own line.

    `committed` when the verdict's commit holds the tree that was judged.
    """
    goal = next((one for one in plan.goals if one.id == verdict.subject), None)
    goals = [goal] if goal else [one for one in plan.goals if one.id not in plan.superseded]
    criteria = {c.id: c for one in plan.goals for c in (*one.entry, *one.criteria)}
    predicate = Predicate(
        subject=verdict.subject,
        title=goal.title if goal else "the whole plan",
        plan=plan.id,
        plan_digest=verdict.plan_digest,
        policy_digest=digest_of(policy.plain()),
        seal=seal,
        base=Start(commit=plan.base.commit, tree=plan.base.tree),
        deliver=plan.deliver,
        checks=tuple(
            _proof(
                finding,
                _criterion(finding, plan, criteria, ground),
                ground=ground,
                waiver=(waivers or {}).get(finding.criterion),
            )
            for finding in verdict.findings
        ),
        weak=any(one.is_weak for one in goals),
        isolation=verdict.isolation,
        assurance=assurance,
        environment=environment or Environment(),
        cost=cost or Cost(),
        ledger=ledger,
        verdict=Judged(seq=seq, sha256=digest_of(verdict.plain())),
        tool=tool,
        at=at,
        parent=None if committed else verdict.commit,
        notes=verdict.flags,
    )
    commit = verdict.commit if committed else None
    return Statement(verdict.tree, listing_sha256, commit, predicate)


def _criterion(
    finding: Finding, plan: Plan, criteria: Mapping[str, Criterion], ground: Ground | None
) -> Criterion:
    id_ = finding.criterion
    if id_ == SUITE and plan.kept_green:
        before = ground.about(SUITE) if ground else None
        says = suite_sentence(finding.code, failed_before=bool(before and before.red))
        return plan.kept_green.but(says=says)
    if id_ not in criteria:
        says = f"the verdict has a finding about {id_}, which the plan does not have"
        raise BadReceipt(says, code="bad-statement")
    return criteria[id_]


def suite_sentence(code: str, *, failed_before: bool) -> str:
    """What a finding about the suite claims: only one that passed before can stay green."""
    match code:
        case "still-red":
            return "no test of the suite that passed before fails"
        case "in-parts":
            return "no part of the suite that passed before fails"
        case "not-kept":
            return "the suite was not judged"
        case _:
            return "the suite passes" if failed_before else "the suite stays green"


def _proof(
    finding: Finding, criterion: Criterion, *, ground: Ground | None, waiver: Waiver | None
) -> Proof:
    before = ground.about(criterion.id) if ground else None
    argv = () if criterion.hidden else criterion.check.params.get("argv", ())
    waived = finding.outcome == "waived" and waiver
    return Proof(
        criterion=finding.criterion,
        says=_HIDDEN if criterion.hidden else criterion.says,
        kind=criterion.check.kind,
        argv=tuple(map(str, argv)),
        outcome=finding.outcome,
        code=finding.code,
        reason="" if criterion.hidden else finding.reason,
        guard=criterion.guard,
        red=before.red if before else None,
        record=before.record if before else None,
        oracles=before.oracles if before else 0,
        tests=before.tests if before else 0,
        evidence=finding.evidence,
        held=finding.held,
        lacking=finding.lacking,
        flags=finding.flags,
        took=finding.took,
        waiver=Waived(by=waiver.by, reason=waiver.reason) if waiver and waived else None,
    )


def encoded(statement: Statement) -> bytes:
    """The bytes that are signed; once they are, nobody writes them anew."""
    return encode(statement.plain)


def decoded(data: bytes) -> Statement:
    """Read a statement from a payload."""
    found = strict.loads(data, code="bad-statement")
    match found:
        case {
            "_type": "https://in-toto.io/Statement/v1",
            "predicateType": "https://forsooth.dev/receipt/v1",
            "subject": [
                {"name": "tree", "digest": {"gitTree": str(tree), "sha256": str(listing)}},
                *rest,
            ],
            "predicate": predicate,
        }:
            pass
        case _:
            raise BadReceipt(f"not a statement of the type {PREDICATE}", code="bad-statement")
    try:
        statement = Statement(tree, listing, _commit(rest), Predicate.of(predicate))
        _Named.of({"tree": tree, "listing": listing, "commit": statement.commit})
    except ValueError as error:
        says = " ".join(str(error).split())[:300]
        raise BadReceipt(
            f"the statement is not well formed: {says}", code="bad-statement"
        ) from None
    if not statement.predicate.checks:
        raise BadReceipt("the statement names no check", code="bad-statement")
    return statement


class _Named(Value):
    tree: GitId
    listing: Digest
    commit: GitId | None


def _commit(rest: list[Any]) -> str | None:
    for row in rest:
        match row:
            case {"name": "commit", "digest": {"gitCommit": str(commit)}}:
                return commit
            case _:
                pass
    return None
