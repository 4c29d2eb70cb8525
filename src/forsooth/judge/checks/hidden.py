"""Stands for a check kept elsewhere; whoever calls the judge puts the real one in its place."""

from __future__ import annotations

from forsooth.core.check import HiddenParams
from forsooth.core.verdict import Finding
from forsooth.judge.checker import Context
from forsooth.judge.checks.found import found


def run(params: HiddenParams, ctx: Context) -> Finding:
    """Nothing can be said of what is not here."""
    del params
    return found(ctx, "error", "hidden-lost", "the check itself is not kept here")
