"""Nobody is ever trapped: who only talks, who was stopped, who never asked for work."""

from __future__ import annotations

import pytest

from tests.hosts.conftest import HOSTS, REAL, Start
from tests.hosts.work import FALSE, failures, honest, sealed, sessions
from tests.requirements import requirement
from tests.scripted_model.model import Script, Turn

pytestmark = REAL
HOLDING = [name for name, host in HOSTS.items() if host.holds]
ROW = 6  # holds in a row, by policy
HOLDS = 8  # and in a session


@pytest.mark.parametrize("name", HOSTS)
def test_an_agent_that_only_talks_is_let_go(guest: Start, name: str):
    """It hears what is missing once; when nothing moved after that, its turn may end."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    run = host.turn("ulw go")
    assert run.code == 0, run
    assert len(script.asked) == (2 if host.holds else 1)
    assert failures(host.place) == []


@requirement("R183")
@pytest.mark.parametrize("name", HOLDING)
def test_an_agent_that_works_without_effect_is_let_go_within_the_caps(guest: Start, name: str):
    """After six holds in a row, and after eight in the session though a person armed it again."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)

    def held(prompt: str, session: str = "") -> str:
        """A turn of harmless commands and claims in words, to no end; its session."""
        busy = [Turn("", (host.shell(f"echo {n}"),)) for n in range(HOLDS + 2)]
        script.then([one for turn in busy for one in (turn, Turn("Done."))])
        run = host.turn(prompt, session)
        assert run.code == 0, run
        return run.session

    session = held("ulw go")
    (kept,) = sessions(host.place).values()
    assert kept["ulw"]["stopBlocks"] == ROW
    told = [one.said for one in host.package.fired("stop") if FALSE in one.said]
    assert len(set(told)) == ROW, "each in other words"
    assert "last hold" in told[-1]
    held("ulw go on", session)
    (kept,) = sessions(host.place).values()
    assert kept["ulw"]["stopBlocks"] == HOLDS
    assert failures(host.place) == []


@requirement("R185")
@pytest.mark.parametrize("name", HOLDING)
def test_after_stop_nothing_is_held(guest: Start, name: str):
    """`forsooth stop` in a terminal ends it: not even a prompt that arms the session holds it."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    first = host.turn("ulw go")
    assert len(script.asked) == 2
    host.place.typed("stop")
    second = host.turn("ulw go on", first.session)
    assert (first.code, second.code) == (0, 0)
    assert len(script.asked) == 3, "one answer, and the turn is over"


@requirement("R185")
@pytest.mark.parametrize(
    ("name", "stop"),
    [("claude", "/forsooth:stop"), ("codex", "forsooth stop"), ("gemini", "/forsooth:stop")],
)
def test_after_a_typed_stop_the_agent_cannot_arm_itself(guest: Start, name: str, stop: str):
    """What a person stopped by typing holds nobody, though the agent asks for work again."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    armed = host.turn("ulw go")
    assert len(script.asked) == 2
    host.turn(stop, armed.session)
    assert "nothing is held any more" in script.asked[2].text
    script.then([next(honest(host))])
    host.turn("look at the plan", armed.session)
    assert len(script.asked) == 5, "one call, one answer"
    assert failures(host.place) == []


@pytest.mark.parametrize("name", HOLDING)
def test_conversation_and_other_sessions_are_never_held(guest: Start, name: str):
    """A person's next prompt wins over the hold, and a session beside it was never in one."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    script.turns += [next(honest(host)), Turn("Done."), Turn("Really.")]
    held = host.turn("work on the plan")
    assert len(script.asked) == 3, "held once"
    host.turn("and what is the weather?", held.session)
    assert len(script.asked) == 4
    beside = host.turn("explain the README")
    assert beside.session != held.session
    assert len(script.asked) == 5
    assert failures(host.place) == []
