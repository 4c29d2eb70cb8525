"""Nothing acknowledged is ever lost, whatever the disk does; and the simulator would notice."""

from __future__ import annotations

import pytest

from forsooth.ledger import journal
from tests.ledger import bugs
from tests.ledger.simulation import Broken, Simulation

SEEDS = 2000
SHARE = 125

pytestmark = pytest.mark.heavy


def _run_until_broken(seeds: int, kind: type[journal.Journal] = journal.Journal) -> None:
    for seed in range(seeds):
        life = Simulation(seed)
        life.journal = kind
        life.run()


@pytest.mark.parametrize("first", range(0, SEEDS, SHARE))
def test_no_life_loses_what_was_acknowledged(first: int):
    """Two thousand lives with faults, kills and power loss keep every promise."""
    for seed in range(first, first + SHARE):
        Simulation(seed).run()


def test_one_seed_is_one_story():
    """A failure is replayed from its seed alone."""
    first, second = Simulation(7).run(), Simulation(7).run()
    assert first.story == second.story
    assert first.acknowledged == second.acknowledged


@pytest.mark.parametrize(
    "bug",
    [
        bugs.Unsynced,
        bugs.Retrying,
        bugs.Hasty,
        bugs.Unlocked,
        bugs.Nameless,
        bugs.Unpoisoned,
    ],
)
def test_the_simulator_notices_a_wrong_call(bug: type[bugs.Altered]):
    """A ledger that skips, repeats or misreads one call breaks a promise within its seeds."""
    with pytest.raises(Broken):
        _run_until_broken(SEEDS, bugs.with_disk(bug))


@pytest.mark.parametrize("bug", [bugs.UnrepairedTurn, bugs.TrustingTurn])
def test_the_simulator_notices_a_wrong_decision(
    bug: type[journal.Turn], monkeypatch: pytest.MonkeyPatch
):
    """A turn that leaves torn bytes, or trusts unsynced lines, breaks a promise as well."""
    monkeypatch.setattr(journal, "Turn", bug)
    with pytest.raises(Broken):
        _run_until_broken(SEEDS)
