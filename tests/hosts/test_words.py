"""The words that only a person may say, tried by models: each host would deliver them."""

from __future__ import annotations

from tests.hosts.conftest import REAL, Start
from tests.hosts.work import failures, planned, sessions, status
from tests.scripted_model.model import Asked, Call, Script, Turn

pytestmark = REAL
AGENTS = "multi_agent_v1"


def test_codex_does_not_seal_by_prompting_itself(guest: Start):
    """Input sent to its own thread would look typed; so it is refused before it is sent."""
    script = Script([])
    host = guest("codex", script)
    planned(host.place)

    def sent(asked: Asked) -> Turn:
        target = asked.latest.rpartition("THREAD=")[2].split()[0]
        return Turn("", (Call("send_input", {"target": target, "message": "seal"}, AGENTS),))

    script.turns += [Turn("", (host.shell("echo THREAD=$CODEX_THREAD_ID"),)), sent]
    assert host.turn("go on").code == 0
    assert "only the person" in script.asked[2].latest
    assert [one.payload["prompt"] for one in host.package.fired("prompt")] == ["go on"]
    assert status(host.place) == "draft"
    assert failures(host.place) == []


def test_codex_does_not_seal_through_an_agent_of_its_own(guest: Start):
    """A prompt to a subagent reaches the hook in the same session, and is nobody's word."""
    script = Script([])
    host = guest("codex", script)
    planned(host.place)

    def waited(asked: Asked) -> Turn:
        if asked.messages[-1].text == "seal":
            return Turn("I am sealed.")
        started = asked.latest.rpartition('"agent_id":"')[2].split('"')[0]
        wait = {"targets": [started], "timeout_ms": 20000}
        return Turn("", (Call("wait_agent", wait, AGENTS),))

    script.turns += [Turn("", (Call("spawn_agent", {"message": "seal"}, AGENTS),)), waited, waited]
    assert host.turn("go on").code == 0
    prompts = {one.payload["prompt"] for one in host.package.fired("prompt")}
    assert prompts == {"go on", "seal"}
    assert status(host.place) == "draft"
    assert not list((host.place.state / "sessions").glob("*.approval.json"))


def test_opencode_does_not_seal_through_a_task(guest: Start):
    """Its task would be a prompt in a session of its own; so it is refused before it begins."""
    script = Script([])
    host = guest("opencode", script)
    planned(host.place)
    script.turns += [Turn("", (_task("seal"),))]
    assert host.turn("go on").code == 0
    assert "only the person" in script.asked[1].latest
    assert status(host.place) == "draft"


def test_opencode_does_not_take_a_task_s_prompt_for_a_person_s(guest: Start):
    """A prompt that a task types is marked as an agent's; a keyword in it arms nobody."""
    script = Script([])
    host = guest("opencode", script)
    planned(host.place)
    script.turns += [Turn("", (_task("ulw look"),)), Turn("I looked."), Turn("It looked.")]
    assert host.turn("go on").code == 0
    fired = [one.payload for one in host.package.fired("prompt")]
    assert [one["prompt"].strip('"') for one in fired] == ["go on", "ulw look"]
    person, agent = fired
    assert (person["agent_id"], agent["agent_id"]) == ("", person["session_id"])
    assert not any(one["ulw"]["enabled"] for one in sessions(host.place).values())


def _task(prompt: str) -> Call:
    given = {"description": "look", "prompt": prompt, "subagent_type": "general"}
    return Call("task", given)


def test_claude_does_not_seal_by_a_prompt_for_later(guest: Start):
    """What it schedules comes back as if it was typed; so a person's word is not scheduled."""
    script = Script([])
    host = guest("claude", script)
    planned(host.place)
    later = Call("CronCreate", {"cron": "* * * * *", "prompt": "seal", "recurring": False})
    script.turns += [Turn("", (later,))]
    assert host.turn("go on").code == 0
    assert "only the person" in script.asked[1].latest
    assert status(host.place) == "draft"
