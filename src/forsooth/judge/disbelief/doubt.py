"""A run that must fail in exactly the places the judge broke, and nowhere else.

A recipe breaks: a canary pair in band (one test that must fail, one that must pass) and flips
(tests that passed, made to fail in their own source). What comes back is compared here.
"""

from __future__ import annotations

from typing import NamedTuple

from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.disbelief.trial import Edits


class Doubt(NamedTuple):
    """What to run and what must come of it.

    `red` are the ids that must fail, the canary among them; `green` must pass though it was not
    there before. `edits` are made to a tree of this run's own. `exits` are the statuses with which
    this runner says that tests failed; empty when any but zero will do.
    """

    order: Order
    edits: Edits
    red: frozenset[str]
    green: frozenset[str] = frozenset()
    exits: frozenset[int] = frozenset()
    held: tuple[str, ...] = ("canary", "flip")
    lacking: tuple[str, ...] = ()
