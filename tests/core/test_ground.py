"""What stood before the work: which reds count, and what a claim will cost."""

from __future__ import annotations

import pytest

from forsooth.core.ground import Baseline, Ground, estimate


def ground(runner: str = "", red: str | None = None, **took: int) -> Ground:
    seen = tuple(
        Baseline(criterion=id_.replace("_", "."), took=ms, runner=runner, red=red)
        for id_, ms in took.items()
    )
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
        ({}, 1.5),
        ({"G001_C1": 500}, 1.5 + 5.0 / 2),
        ({"G001_C1": 10_000, "suite": 10_000}, 1.5 + 80 / 2),
        ({"G001_C1": 40_000}, 1.5 + 160 / 2),
        ({"G001_C1": 240_000, "suite": 240_000}, 1.5 + 480),
        ({"suite": 4_000}, 1.5 + 4),
        ({f"G001_C{n}": 1_000 for n in range(1, 5)}, 1.5 + 4 * 9 / 2),
    ],
)
def test_the_estimate_counts_what_the_wards_run(took: dict[str, int], seconds: float):
    """Quick runs many times, long ones once or twice, two at a time."""
    assert estimate(ground("unittest", "assertion", **took)) == seconds


@pytest.mark.parametrize(
    ("runner", "red", "runs"),
    [("unittest", "assertion", 9), ("unittest", None, 8), ("", "exit", 5), ("", None, 5)],
)
def test_wards_that_need_a_report_or_a_red_are_counted_where_there_is_one(
    runner: str, red: str | None, runs: int
):
    """A command known by its exit status is repeated, and no more."""
    assert estimate(ground(runner, red, G001_C1=1_000)) == 1.5 + runs / 2


def test_more_at_once_shorten_a_claim_to_its_longest_pair():
    """A ward waits for the first run."""
    seen = ground("unittest", "assertion", G001_C1=1_000)
    assert estimate(seen, workers=1) == 1.5 + 9
    assert estimate(seen, workers=64) == 1.5 + 1 + 2
    assert estimate(ground(G001_C1=0), workers=64) == 1.5
