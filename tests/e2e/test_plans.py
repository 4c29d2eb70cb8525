"""The campaign of generated plans, in small: honest goals are proven, only a cheat is refused."""

from __future__ import annotations

import pytest

from tests.campaigns.plans import made, played
from tests.requirements import requirement

SEEDS = (1, 2, 4, 101)


@requirement("D20")
@pytest.mark.heavy
@pytest.mark.timeout(600)
@pytest.mark.parametrize("cheat", [False, True], ids=["honest", "cheat"])
@pytest.mark.parametrize("seed", SEEDS)
def test_generated_plans_are_proven_by_following_what_is_printed(seed: int, *, cheat: bool):
    """Whatever their permissions, allowed paths, dependencies, order of claims and work trees."""
    assert played(seed, cheat=cheat).problem == ""


@requirement("D20")
def test_the_seeds_in_small_cover_every_manner_of_work():
    """One work tree goal by goal, all at once, and two work trees."""
    assert {made(seed).manner for seed in SEEDS} == {"each", "together", "trees"}
