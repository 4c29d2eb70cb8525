"""Every event in every host: that it reaches us, and that our answer reaches the model.

docs/reference/hosts.md is this file as a table.
"""

from __future__ import annotations

import re

import pytest

from forsooth.packages.events import GEMINI
from tests.hosts.conftest import HOSTS, REAL, Start
from tests.hosts.host import Host
from tests.hosts.work import FALSE, failures, sealed, sessions, status
from tests.requirements import requirement
from tests.scripted_model.model import Asked, Call, Script, Turn

pytestmark = REAL
HOLDING = [name for name, host in HOSTS.items() if host.holds]


def quiet(host: Host) -> None:
    """Nothing went wrong in any hook."""
    assert host.package.fired()
    assert {one.code for one in host.package.fired()} == {0}
    assert failures(host.place) == []


@pytest.mark.parametrize("name", HOSTS)
def test_session_start_tells_where_the_plan_stands(guest: Start, name: str):
    """The goal, what is missing and the next command are there before the first word."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    assert host.turn("hello there").code == 0
    quiet(host)
    (event,) = host.package.fired("session_start")
    assert event.payload["session_id"]
    told = script.asked[0].text
    assert "Say hello" in told
    assert "G001.C1" in told
    assert "forsooth next" in told


@requirement("R179", "R180")
@pytest.mark.parametrize("word", ["ulw", "ultrawork"])
@pytest.mark.parametrize("name", HOSTS)
def test_a_keyword_in_a_prompt_arms_the_session(guest: Start, name: str, word: str):
    """The person's word reaches the model with what it means, and the session is held to it."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    run = host.turn(f"{word} finish the plan")
    assert run.code == 0, run
    quiet(host)
    assert f"{word} finish the plan" in host.package.fired("prompt")[0].payload["prompt"]
    assert "done means proven" in script.asked[0].text
    (session,) = sessions(host.place).values()
    assert session["ulw"]["enabled"]
    assert session["ulw"]["stopBlocks"] == 1 or not host.holds


@pytest.mark.parametrize("name", HOSTS)
def test_a_refused_tool_is_not_run_and_the_model_reads_why(guest: Start, name: str):
    """A seal by an armed agent is refused before it starts; what is harmless runs."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    script.turns += [
        Turn("", (host.shell("forsooth seal --yes && touch sealed.txt"),)),
        Turn("", (host.shell("touch harmless.txt"),)),
    ]
    assert host.turn("ulw go on").code == 0
    quiet(host)
    assert len(host.package.fired("pre_tool")) == 2
    assert "seal" in script.asked[1].latest
    assert "person" in script.asked[1].latest
    assert not (host.place.folder / "sealed.txt").exists()
    assert (host.place.folder / "harmless.txt").exists()
    assert status(host.place) == "active"


@requirement("R181")
@pytest.mark.parametrize("name", HOLDING)
def test_the_end_of_a_turn_is_refused_while_work_is_left(guest: Start, name: str):
    """The agent that was armed and says done hears what is missing, and has to go on."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    assert host.turn("ulw go").code == 0
    quiet(host)
    first, second = host.package.fired("stop")
    assert FALSE in first.said
    assert FALSE in script.asked[1].latest
    assert FALSE not in second.said, "nothing moved, so it may go"


@pytest.mark.parametrize("name", HOSTS)
def test_a_session_ends_without_a_word(guest: Start, name: str):
    """Where the host tells us of the end, nothing is asked of it, and nothing is late."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    assert host.turn("hello there").code == 0
    quiet(host)
    said = [one.said for one in host.package.fired("end")]
    assert said == ([] if name == "opencode" else ["{}\n"])


def test_an_agent_that_claude_started_is_never_held(guest: Start):
    """It stops when it wants; who started it is told what is missing, once nothing runs."""
    script = Script([])
    host = guest("claude", script)
    sealed(host.place)
    task = {"description": "look", "prompt": "look around", "subagent_type": "general-purpose"}

    def either(asked: Asked) -> Turn:
        if "look around" not in asked.messages[0].text:
            return Turn("Waiting.")
        slowly = host.shell("python3 -c 'import time; time.sleep(5)'")
        return Turn("I looked.") if asked.results else Turn("", (slowly,))

    script.turns += [Turn("", (Call("Agent", task),)), *[either] * 4]
    assert host.turn("ulw go").code == 0
    quiet(host)
    assert [one.said for one in host.package.fired("subagent_stop")] == ["{}\n"]
    held = [FALSE in one.said for one in host.package.fired("stop")]
    assert held.count(True) == 1, "a notice of its end is no person's prompt"
    assert not held[0], "something it waits for was running"


def test_an_agent_that_codex_started_is_never_held(guest: Start):
    """It stops when it wants, and its prompt does not let go who started it."""
    script = Script([])
    host = guest("codex", script)
    sealed(host.place)

    def either(asked: Asked) -> Turn:
        if asked.messages[-1].text == "look around":
            return Turn("I looked.")
        started = asked.latest.rpartition('"agent_id":"')[2].split('"')[0]
        wait = {"targets": [started], "timeout_ms": 20000}
        return Turn("", (Call("wait_agent", wait, "multi_agent_v1"),))

    spawn = Call("spawn_agent", {"message": "look around"}, "multi_agent_v1")
    script.turns += [Turn("", (spawn,)), either, either]
    assert host.turn("ulw go").code == 0
    quiet(host)
    assert [one.said for one in host.package.fired("subagent_stop")] == ["{}\n"]
    assert [FALSE in one.said for one in host.package.fired("stop")] == [True, False]


def test_gemini_tells_nothing_of_agents_and_compaction():
    """So nothing is asked of it there, and what was agreed comes back at its next start."""
    assert {one.ours for one in GEMINI}.isdisjoint({"subagent_stop", "compaction"})


def test_opencode_cannot_be_held_and_is_told(guest: Start):
    """opencode has no way to refuse the end of a turn: the person is shown what is missing."""
    script = Script([])
    host = guest("opencode", script)
    sealed(host.place)
    assert host.turn("ulw go").code == 0
    quiet(host)
    assert len(script.asked) == 1, "its turn ended"
    told = host.run(*host.forsooth, "doctor").stdout
    assert "opencode lets no plugin hold the end of a turn" in re.sub(r"\s+", " ", told)
