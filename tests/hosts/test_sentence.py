"""From a sentence to a receipt: the agent proposes, a person types `seal`, the agent proves."""

from __future__ import annotations

import json

import pytest

from forsooth.core.canonical import digest
from tests.hosts.conftest import REAL, Start
from tests.hosts.host import Host
from tests.hosts.work import AT_ONCE, BRIEF, failures, honest, status, within
from tests.scripted_model.model import Asked, Script, Turn

pytestmark = REAL


def proposed(host: Host) -> Turn:
    return Turn("", (host.tool("plan", brief=BRIEF),))


def shown_name(host: Host, session: str) -> str:
    """The name that the person was shown for the draft; how a host shows it differs."""
    (plan,) = host.place.plans
    now = json.loads((plan / "now.json").read_text())
    salt = json.loads((host.place.state / "sessions" / f"{session}.json").read_text())["shown"]
    told = "\0".join((salt, plan.name, now["proposal"], now["draft"]))
    return digest(told.encode())[:8]


WISHES = {
    "claude": "/forsooth:go say hello",
    "codex": "ulw say hello",
    "gemini": "/forsooth:go say hello",
    "opencode": "ulw say hello",
}


@pytest.mark.parametrize("name", WISHES)
def test_a_sentence_becomes_goals_a_seal_and_a_receipt(guest: Start, name: str):
    """Each step in one conversation: a wish, a plan with its defects, a typed seal, work, proof."""
    script = Script([])
    host = guest(name, script)
    host.place.write("../home/.config/forsooth/config.toml", AT_ONCE)

    def told_the_way(asked: Asked) -> Turn:
        assert "Only a person can seal" in asked.text
        wrong = BRIEF.replace("exits 0", "is nice")
        return Turn("", (host.tool("plan", brief=wrong),))

    def told_the_defect(asked: Asked) -> Turn:
        assert "is nice" in asked.latest
        return proposed(host)

    script.turns += [told_the_way, told_the_defect, Turn("Here is the plan. Type seal.")]
    first = host.turn(WISHES[name])
    assert first.code == 0, first
    assert len(script.asked) == 3, "a draft that waits for a person holds nobody"
    assert status(host.place) == "draft"

    script.then([Turn("You are shown the plan.")])
    host.turn("seal", first.session)
    assert status(host.place) == "draft"
    script.then([Turn("It is being sealed.")])
    second = host.turn(f"seal {shown_name(host, first.session)}", first.session)
    assert second.code == 0, second
    assert within(lambda: status(host.place) == "active"), host.place.run("status", code=None)
    assert host.place.ask("status")["plan"]["sealed"] == "prompt"

    script.then(honest(host))
    third = host.turn("go on", first.session)
    assert third.code == 0, third
    assert status(host.place) == "done"
    assert failures(host.place) == []
