"""The question a person answers before commands of a repository run: which sandbox, and its gaps.

A sandbox that leaves something open says what, and the answer is then no unless a person types yes.
"""

from __future__ import annotations

import sys

import click

from forsooth.cli import show
from forsooth.core.policy import ONLINE, Tier, confines


def confirmed(
    question: str, tier: Tier, *, default: bool = False, prepare_network: bool = False
) -> bool:
    """Ask, with the sandbox and the network named; below strict the default is always no."""
    is_strict = tier == "strict"
    for line in confines(tier, prepare_network=prepare_network):
        open_ = not is_strict or line == ONLINE
        show.lines([(line, "yellow" if open_ else "")], to=sys.stderr)
    return click.confirm(question, default=default and is_strict, err=True)
