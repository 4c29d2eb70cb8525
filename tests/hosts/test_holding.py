"""A false "done" is refused where the agent works, and a proven one is not."""

from __future__ import annotations

import pytest

from tests.hosts.conftest import HOSTS, REAL, Start
from tests.hosts.work import FALSE, HELLO, failures, honest, sealed, sessions, status
from tests.scripted_model.model import Script, Turn

pytestmark = REAL
INJECTED = 6000  # bytes, beyond the tools
HOLDING = [name for name, host in HOSTS.items() if host.holds]


@pytest.mark.parametrize("name", HOSTS)
def test_little_is_put_into_a_session(start: Start, name: str):
    """All that our package adds to what a model reads, from the first word to the last."""
    script = Script([])
    host = start(name, script)
    sealed(host.place)
    host.turn("ulw go")
    without = script.asked.pop()
    host.install()
    host.turn("ulw go")
    held = sum(len(one.said.encode()) for one in host.package.fired("stop"))
    added = len(script.asked[0].text.encode()) - len(without.text.encode())
    assert 0 < added <= added + held < INJECTED


@pytest.mark.parametrize("name", HOLDING)
def test_a_false_done_is_refused_and_a_proven_one_may_stop(guest: Start, name: str):
    """An agent that says done is told what is missing, goes on, proves it, and ends."""
    script = Script([])
    host = guest(name, script)
    sealed(host.place)
    begin, *rest = honest(host)

    def corrected(asked):
        assert FALSE in asked.latest
        assert "G001.C1" in asked.latest
        return Turn("", (host.shell(HELLO),))

    script.turns += [begin, Turn("Done."), corrected, *rest[1:]]
    run = host.turn("work on the plan")
    assert run.code == 0, run
    assert len(script.asked) == 5, [one.latest for one in script.asked]
    assert status(host.place) == "done"
    assert "receipt.issued" in host.place.kinds()
    (session,) = sessions(host.place).values()
    assert session["ulw"]["stopBlocks"] == 1
    assert failures(host.place) == []
