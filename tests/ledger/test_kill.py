"""Real processes, really killed: nothing acknowledged is lost, and the campaign would notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.ledger import journal
from tests.campaigns.kill import Outcome, campaign
from tests.ledger import bugs

KILLS = 1000

# The test runner's own threads stay in the parent: the children run only our code.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.heavy,
]


def test_a_thousand_kills_lose_nothing(memory: Path, record_property):
    """Four writers are killed a thousand times; every acknowledged event is there, in its place."""
    outcome = campaign(KILLS, memory)
    record_property("outcome", str(outcome))
    assert (outcome.lost, outcome.errors) == (0, [])
    assert outcome.acknowledged > KILLS


def _is_noticed(outcome: Outcome) -> bool:
    return bool(outcome.lost or outcome.errors)


def test_the_campaign_notices_a_missing_lock(memory: Path):
    """Writers that do not wait for each other are found out."""
    assert _is_noticed(campaign(50, memory, kind=bugs.with_disk(bugs.Unlocked)))


def test_the_campaign_notices_a_missing_repair(memory: Path, monkeypatch: pytest.MonkeyPatch):
    """Writers that write on behind torn bytes are found out."""
    monkeypatch.setattr(journal, "Turn", bugs.UnrepairedTurn)
    (memory / "ledger.jsonl").write_bytes(b'{"h":"torn by the kill before')
    assert _is_noticed(campaign(10, memory))
