"""Who is calling decides what they may do; in doubt it is an agent, who may do least."""

from __future__ import annotations

import pytest

from forsooth.hooks.lineage import MARKERS
from tests.cli.inside import Inside


@pytest.mark.parametrize("marker", MARKERS)
def test_every_agent_is_known_by_the_mark_it_leaves(planned: Inside, marker):
    """In such a shell nothing that takes a person is done, whatever is said on the line."""
    planned("block", "G001", "--needs", "human", "--why", "sign here")
    mark = {marker: "1"}
    assert planned.codes("unblock", "G001", "--yes", **mark) == ["not-a-person"]
    assert planned.codes("stop", "--for-good", "--yes", **mark) == ["not-a-person"]
    *_, row = planned("log", "--json").rows
    assert row["by"] == {"kind": "agent", "name": MARKERS[marker]}


def test_a_script_without_a_mark_is_an_agent_until_it_speaks_for_a_person(planned: Inside):
    """What it does for a person is recorded as unattended."""
    planned("next")
    planned("stop", "--yes")
    opened, paused = planned("log", "-n", "2", "--json").rows
    assert opened["by"] == {"kind": "agent", "name": "script"}
    assert paused["by"] == {"kind": "human", "name": "ada", "channel": "unattended"}


def test_policy_may_let_an_agent_seal_and_the_record_says_so(empty: Inside):
    """Only the user's own settings can allow it, and only for a first seal."""
    settings = empty.place.home / ".config/forsooth/config.toml"
    settings.parent.mkdir(parents=True)
    empty("plan", "--text", "Do it.")
    assert empty.codes("seal", "--yes", CLAUDECODE="1") == ["agent-present"]
    settings.write_text("[policy]\nagents_may_seal = true\n")
    assert empty.ask("seal", "--yes", CLAUDECODE="1")["channel"] == "unattended"


def test_a_person_can_always_stop_and_only_a_person_goes_on_from_there(planned: Inside):
    """No state stands between a person and stopping; a script says that it speaks for one."""
    assert planned.codes("stop", "--reason", "lunch") == ["pause-unearned"]
    assert planned.ask("stop", "--reason", "lunch", "--yes")["status"] == "paused"
    assert "the plan is paused: lunch" in planned("why").out
    assert planned.codes("resume", "--yes", CLAUDECODE="1") == ["not-a-person"]
    assert planned.ask("resume", "--yes")["status"] == "active"
    assert planned.place.typed("stop").code == 0
    assert planned.place.typed("resume").code == 0
    assert planned.ask("stop", "--for-good", "--yes")["status"] == "dropped"
