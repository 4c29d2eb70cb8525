"""A person agrees. No run can say so: until a person has, the answer is not there."""

from __future__ import annotations

from forsooth.core.check import ApprovalParams
from forsooth.core.verdict import Finding
from forsooth.judge.checker import Context
from forsooth.judge.checks.found import found


def run(params: ApprovalParams, ctx: Context) -> Finding:
    """Nothing here can approve, so it never passes."""
    del params
    says = f"a person has yet to agree: {ctx.criterion.says}"
    return found(ctx, "error", "awaiting-approval", says)
