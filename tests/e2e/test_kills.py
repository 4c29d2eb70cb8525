"""The campaign of kills, in small: after each, printed commands lead to the proof."""

from __future__ import annotations

import pytest

from tests.campaigns.kills import VERBS, campaign
from tests.requirements import requirement

KILLS = 6


@requirement("R035")
@pytest.mark.heavy
@pytest.mark.timeout(300)
def test_a_kill_at_any_moment_leaves_a_way_on_and_nothing_behind():
    """Of plan, seal, check or done: no process, no mount, no temporary file, and a whole ledger."""
    kills = [*campaign(KILLS)]
    assert [kill for kill in kills if kill.end != "proven"] == []
    assert {kill.verb for kill in kills} == set(VERBS)
