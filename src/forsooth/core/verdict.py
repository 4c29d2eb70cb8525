"""What was seen: findings, the verdict they make, and how a criterion has stood so far."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from forsooth.core.check import Text
from forsooth.core.ids import AttemptId, CriterionId, Digest, GitId, GoalId
from forsooth.core.policy import Tier
from forsooth.core.value import Value

Outcome = Literal["pass", "fail", "error", "waived"]
VerdictOutcome = Literal["pass", "fail", "inconclusive"]
Subject = GoalId | Literal["plan"]
AWAITING = "awaiting-approval"  # the code of a finding that only a person's agreement settles
UNCLEAR = (
    "unclear-file"  # a changed file of unclear role decides: the plan or a person may permit it
)
AGREEABLE = (AWAITING, UNCLEAR)

# Codes of a pass that is less than its sentence says: its reason must be told with it.
RESERVED = ("still-red", "in-parts", "not-kept")


class Finding(Value):
    """What one check saw. `error` means it could not be evaluated, and is never a pass.

    `held` is what the proof rests on and `lacking` what was not run and why; `flags` are for eyes
    and decide nothing.
    """

    criterion: CriterionId
    outcome: Outcome
    code: Text
    reason: str = ""
    evidence: tuple[Digest, ...] = ()
    took: Annotated[int, Field(ge=0)] = 0
    cached: bool = False
    held: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    @property
    def is_reserved(self) -> bool:
        """Whether it passes with a reservation, which stands in its reason."""
        return self.outcome == "pass" and self.code in RESERVED


class Verdict(Value):
    """All findings about one subject at one tree; `flags` are for eyes and decide nothing."""

    subject: Subject
    tree: GitId
    plan_digest: Digest
    findings: Annotated[tuple[Finding, ...], Field(min_length=1)]
    isolation: Tier = "none"
    commit: GitId | None = None
    attempt: AttemptId | None = None
    stage: Literal["attempt", "deliver"] = "deliver"
    flags: tuple[str, ...] = ()

    @property
    def outcome(self) -> VerdictOutcome:
        """A real failure outranks what could not be evaluated; neither is ever a pass."""
        outcomes = {finding.outcome for finding in self.findings}
        if "fail" in outcomes:
            return "fail"
        return "inconclusive" if "error" in outcomes else "pass"


StandingStatus = Literal["untested", "passing", "failing", "regressed"]


class Standing(Value):
    """How one criterion has fared: its status and its failures in a row."""

    status: StandingStatus = "untested"
    streak: int = 0
    passed_at: int = 0
    regressed_at: int = 0
    code: str = ""
    reason: str = ""


UNTESTED = Standing()


def advance(before: Standing, finding: Finding, *, seq: int) -> Standing:
    """The standing after one more finding.

    The regression itself is not counted in the streak: pass, fail (0), fail (1), (2), (3).
    """
    if finding.outcome in ("error", "waived"):
        return before
    if finding.outcome == "pass":
        return Standing(status="passing", passed_at=seq)
    told = {"code": finding.code, "reason": finding.reason}
    if before.status == "passing":
        return before.but(status="regressed", streak=0, regressed_at=seq, **told)
    status = "regressed" if before.status == "regressed" else "failing"
    return before.but(status=status, streak=before.streak + 1, **told)
