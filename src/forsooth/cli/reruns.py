"""`forsooth verify --rerun`: what was run again, and what that says of the receipts."""

from __future__ import annotations

import re
import sys
from typing import Any

from forsooth.cli import show
from forsooth.cli.verdict import row
from forsooth.core.verdict import Finding
from forsooth.errors import UsageError
from forsooth.project import Project
from forsooth.project.rerunning import Again, Rerun
from forsooth.project.verifying import Audit

WORDS = {"none": 0, "all": 100}
SKIPPED = ("  nothing was run again: there is no proof to hold against it", "dim")
_SHARE = re.compile(r"(\d{1,3})%?")


def share(text: str) -> int:
    """How many of a hundred checks are meant."""
    found = _SHARE.fullmatch(text)
    number = WORDS.get(text, int(found[1]) if found else -1)
    if not 0 <= number <= WORDS["all"]:
        says = f"--rerun {text}: a share is 20%, all or none"
        raise UsageError(says, hint="forsooth verify --base REF --rerun 20%", code="bad-share")
    return number


def made(project: Project, found: Audit, *, share: int, seed: str, base_ref: str) -> Rerun:
    """Run them, and tell each as it comes in."""

    def tell(finding: Finding) -> None:
        show.lines([row(finding)], to=sys.stderr)

    return project.rerun(found, share=share, seed=seed, base_ref=base_ref, progress=tell)


def rows(again: Rerun) -> list[show.Line]:
    """What was run again, and what of it differs or could not be told."""
    if not again.again:
        return [("  nothing could be run again here", "yellow"), *_left(again)]
    names = ", ".join(one.finding.criterion for one in again.again)
    many = f"{len(again.again)} of {again.able} that can be"
    told: list[show.Line] = [f"  run again here, sandbox {again.isolation}: {names} ({many})"]
    told += [_row(one) for one in again.again if not one.agrees]
    if all(one.agrees for one in again.again):
        told.append(("    ✔ all as the receipts say", "green"))
    return [*told, *_left(again)]


def _left(again: Rerun) -> list[show.Line]:
    return [(f"    – {id_} is never run again: {why}", "dim") for id_, why in again.left.items()]


def _row(one: Again) -> show.Line:
    if one.differs:
        return (f"    ✘ {one.differs}", "red")
    finding = one.finding
    says = f"{finding.code}: {finding.reason}" if finding.reason else finding.code
    return (f"    ? {finding.criterion} could not be run here: {says}", "yellow")


def described(again: Rerun) -> dict[str, Any]:
    """The same as data."""
    return {
        "able": again.able,
        "isolation": again.isolation,
        "left": again.left,
        "checks": [
            {
                "criterion": one.finding.criterion,
                "agrees": one.agrees,
                "differs": one.differs,
                "outcome": one.finding.outcome,
                "code": one.finding.code,
                "reason": one.finding.reason,
            }
            for one in again.again
        ],
    }
