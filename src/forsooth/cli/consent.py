"""The question a person answers before commands of a repository run: which sandbox, and its gaps.

A sandbox that leaves something open says what, and the answer is then no unless a person types yes.
"""

from __future__ import annotations

import sys

import click

from forsooth.cli import show
from forsooth.core.policy import CONFINES, Tier


def confirmed(question: str, tier: Tier, *, default: bool = False) -> bool:
    """Ask, with the sandbox named; below strict the default is always no."""
    is_strict = tier == "strict"
    show.lines([(CONFINES[tier], "" if is_strict else "yellow")], to=sys.stderr)
    return click.confirm(question, default=default and is_strict, err=True)
