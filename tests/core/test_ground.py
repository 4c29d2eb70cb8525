"""What stood before the work: which reds count, and what a claim will cost."""

from __future__ import annotations

import pytest

from forsooth.core.ground import Baseline, Ground, estimate


def ground(**took: int) -> Ground:
    seen = tuple(Baseline(criterion=id_.replace("_", "."), took=ms) for id_, ms in took.items())
    return Ground(tree="a" * 40, baselines=seen)


@pytest.mark.parametrize(
    ("red", "counts"),
    [(None, False), ("environment", False), ("absent", True), ("assertion", True)],
)
def test_a_red_counts_unless_the_environment_made_it(red: str | None, counts: bool):
    """What passes proves nothing new, and what could not be run shows nothing."""
    assert Baseline(criterion="G001.C1", red=red).counts is counts


def test_what_was_seen_is_found_by_its_criterion():
    """And nothing else is made up for one that was not there."""
    found = ground(G001_C1=5, suite=7)
    assert found.about("suite") == Baseline(criterion="suite", took=7)
    assert found.about("G002.C1") is None
    assert found.took == 12


@pytest.mark.parametrize(
    ("took", "seconds"),
    [
        ({}, 1),
        ({"G001_C1": 500}, 5.5),
        ({"G001_C1": 10_000, "suite": 10_000}, 51),
        ({"G001_C1": 240_000, "suite": 240_000}, 300),
        ({"suite": 4_000}, 4),
        ({"G001_C1": 1_000, "G001_C2": 1_000, "G001_C3": 1_000, "G001_C4": 1_000}, 20),
    ],
)
def test_the_estimate_counts_what_the_wards_run(took: dict[str, int], seconds: float):
    """Quick runs many times, long ones once with an allowance, two at a time."""
    assert estimate(ground(**took)) == seconds
