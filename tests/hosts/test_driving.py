"""The hosts are real: each runs its own tools as a scripted model says, on loopback alone."""

from __future__ import annotations

import pytest

from tests.hosts.conftest import HOSTS, REAL, Start
from tests.scripted_model.model import Script, Turn
from tests.tools import absent

pytestmark = REAL


@pytest.mark.parametrize("name", HOSTS)
def test_each_host_runs_a_tool_and_ends(start: Start, name: str):
    """A scripted call becomes a real file; the agent's own words end the turn."""
    script = Script([])
    host = start(name, script)
    script.turns.append(Turn("I will.", (host.shell("echo made > made.txt"),)))
    run = host.turn("make it")
    assert run.code == 0, run
    assert run.session, run.out
    assert (host.place.folder / "made.txt").read_text() == "made\n"
    assert len(script.asked) == 2, "one to call, one to end"


def test_nothing_but_loopback_is_there(start: Start):
    """What these tests start can reach the scripted model and nothing else."""
    host = start("claude", Script([]))
    if not host.network.closed:
        absent("netns", "this machine allows no network namespace")
    devices = host.run("cat", "/proc/net/dev").stdout.splitlines()[2:]
    assert [row.split(":")[0].strip() for row in devices] == ["lo"]
