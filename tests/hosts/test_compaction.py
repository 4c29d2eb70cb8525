"""What was agreed comes back after a host has forgotten the conversation, word for word."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.hosts.conftest import REAL, Start
from tests.hosts.work import TWO, failures, honest, sealed
from tests.scripted_model.model import Asked, Script, Turn, given

pytestmark = REAL
MANY = 990_000  # tokens: more than any limit here
SUMMARY = "We did something, I forget what."


@pytest.mark.parametrize("after", [0, 1, 2], ids=["at the start", "at work", "when proven"])
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_goal_criteria_and_progress_survive_compaction(guest: Start, name: str, after: int):
    """The ledger's own words are in the first request after it, whatever the summary lost."""
    script = Script([], aside=Turn(SUMMARY))
    host = guest(name, script)
    sealed(host.place, TWO)
    first, work, claim, _ = honest(host)
    steps = [first, work, claim]
    filling = steps[after]
    steps[after] = lambda asked: replace(given(filling, asked), tokens=MANY)
    script.turns += [*steps[: after + 1], Turn("I go on.")]

    run = host.turn("work on the plan")
    assert run.code == 0, run
    (told,) = [
        one for one in host.package.fired("session_start") if one.payload["source"] == "compact"
    ]
    forgetful = script.asked[after + 1]
    assert SUMMARY in forgetful.text, "the conversation was compacted"
    assert told.said.strip() in forgetful.text
    assert told.said.strip() == now(host.place.plans[0])["recap"]
    assert_told(forgetful, proven=after == 2)
    assert failures(host.place) == []


def assert_told(asked: Asked, *, proven: bool) -> None:
    """The goal that is next, what it lacks, and how many are proven."""
    assert ("1 of 2 goals proven" if proven else "0 of 2 goals proven") in asked.text
    assert ("Say goodbye" if proven else "Say hello") in asked.text
    assert ("G002.C1" if proven else "G001.C1") in asked.text


def now(plan):
    return json.loads((plan / "now.json").read_text())
