"""A person agrees. No run can say so, and no agreement outlives what it was about.

A person agrees to a criterion at one tree. The agreement stands at a later tree as long as nothing
it was about has changed since; then the person is asked again, and told what changed.
"""

from __future__ import annotations

from forsooth.core.check import ApprovalParams
from forsooth.core.verdict import AWAITING, Finding
from forsooth.judge.checker import Context
from forsooth.judge.checks.found import found, shown


def run(params: ApprovalParams, ctx: Context) -> Finding:
    """What a person's agreement, or its absence, comes to."""
    del params
    says, consent = ctx.criterion.says, ctx.consent
    if consent is None:
        return found(ctx, "error", AWAITING, f"a person has yet to agree: {says}")
    if not consent.stands:
        since = (
            f"{consent.by} agreed to an earlier version; changed since: {shown(consent.changed)}"
        )
        return found(ctx, "error", AWAITING, since)
    held = f"agreed by {consent.by}, who was shown tree {consent.tree[:12]}"
    return found(ctx, "pass", "pass", f"{consent.by} agreed").but(held=(held,))
