"""A plan, a verdict and receipts of them, small and always the same."""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from forsooth.core.ground import Baseline, Ground
from forsooth.core.plan import Plan, Waiver
from forsooth.core.policy import Policy
from forsooth.core.verdict import Verdict
from forsooth.receipts import dsse, statement
from forsooth.receipts.keys import JudgeKey
from forsooth.receipts.signers import Signer

AT = "2026-01-02T03:04:05.678Z"
NOW = "2026-01-02T04:00:00.000Z"
TREE, COMMIT, START = "1" * 40, "2" * 40, "3" * 40
LISTING, HEAD, RECORD = "4" * 64, "5" * 64, "6" * 64


def key(seed: int = 1) -> JudgeKey:
    """A key that is the same every time; it guards nothing."""
    return JudgeKey(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


def plan(**changes: Any) -> Plan:
    tests = {"kind": "tests", "with": {"argv": ["pytest", "-q"], "runner": "pytest"}}
    hidden = {"kind": "hidden", "with": {"digest": "7" * 64}}
    made = Plan.of(
        {
            "id": "20260102-030405",
            "brief_digest": "8" * 64,
            "goals": [
                {
                    "id": "G001",
                    "title": "Reject malformed rows",
                    "objective": "The importer says why.",
                    "criteria": [
                        {"id": "G001.C1", "says": "importer tests", "check": tests},
                        {"id": "G001.C2", "says": "secret", "check": hidden, "hidden": True},
                    ],
                },
                {"id": "G002", "title": "Tidy", "objective": "Tidy up."},
            ],
            "suite": tests,
            "deliver": "branch main",
            "base": {"commit": START, "tree": START},
        }
    )
    return made.but(**changes)


def finding(criterion: str, **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "criterion": criterion,
        "outcome": "pass",
        "code": "passed",
        "evidence": ["9" * 64],
        "took": 1234,
    }
    return made | changes


def verdict(*findings: dict[str, Any], **changes: Any) -> Verdict:
    rows = findings or (
        finding("G001.C1", held=["red"], lacking=["mutants: 3 tried"], flags=["long <b>"]),
        finding("G001.C2", reason="what the secret is"),
    )
    return Verdict.of(
        {
            "subject": "G001",
            "tree": TREE,
            "commit": COMMIT,
            "plan_digest": plan().digest,
            "findings": list(rows),
            "isolation": "strict",
        }
        | changes
    )


def ground() -> Ground:
    seen = Baseline(criterion="G001.C1", red="assertion", tests=3, oracles=2, record=RECORD)
    return Ground(tree=START, baselines=(seen,))


def build(about: Verdict | None = None, **changes: Any) -> statement.Statement:
    given: dict[str, Any] = {
        "listing_sha256": LISTING,
        "policy": Policy(),
        "seal": statement.Sealed(channel="terminal", at=AT),
        "ledger": statement.Place(seq=12, head=HEAD),
        "seq": 11,
        "at": AT,
        "tool": "forsooth 0.1.0",
        "ground": ground(),
        "waivers": {"G001.C1": Waiver(by="ada", reason="the flake is known")},
    }
    return statement.build(about or verdict(), plan(), **given | changes)


def receipt(about: Verdict | None = None, by: dsse.Signing | None = None, **changes: Any) -> bytes:
    """The bytes of a signed receipt."""
    return dsse.sign(statement.encoded(build(about, **changes)), by or key())


def signer(seed: int = 1, **changes: Any) -> Signer:
    return Signer("the judge", key(seed).public, ("judge",))._replace(**changes)
