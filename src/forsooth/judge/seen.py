"""A verdict and what it was reached with; light, so that a look at nothing new loads no judge."""

from __future__ import annotations

from typing import NamedTuple

from forsooth.core.verdict import Verdict
from forsooth.judge.environment.recipe import Recipe


class Seen(NamedTuple):
    """A verdict, and what it was reached with; `tools` are the programs its runs were given."""

    verdict: Verdict
    recipe: Recipe
    how: str
    notes: tuple[str, ...]
    tools: tuple[str, ...] = ()
