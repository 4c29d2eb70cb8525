"""`init` puts our package into each real host with the host's own commands, and takes it back."""

from __future__ import annotations

import pytest

from tests.hosts.clis import CLIS
from tests.hosts.conftest import HOSTS, REAL, Start
from tests.hosts.work import AT_ONCE, FALSE, sealed
from tests.scripted_model.model import Script

pytestmark = REAL


@pytest.mark.parametrize("name", HOSTS)
def test_what_init_installs_works_and_is_gone_after_undo(start: Start, name: str):
    """A package as users have it: the session is told of the plan, and after undo it is not."""
    script = Script([])
    host = start(name, script)
    host.place.write("../home/.config/forsooth/config.toml", AT_ONCE)
    sealed(host.place)
    done = host.run(*host.forsooth, "init", "--yes")
    assert done.returncode == 0, done
    assert host.name in done.stdout.casefold()

    assert host.turn("ulw go").code == 0
    assert "done means proven" in script.asked[0].text
    assert len(script.asked) == (2 if host.holds else 1)
    assert (FALSE in script.asked[-1].latest) == host.holds

    told = host.run(*host.forsooth, "doctor").stdout
    assert f"{name} {CLIS[name].version} has the Forsooth package" in told
    assert "hooks ran here in 1 session" in told
    assert ("do not run until you trust them" in told) == (name == "codex")

    undone = host.run(*host.forsooth, "init", "--undo", "--yes")
    assert undone.returncode == 0, undone
    host.turn("ulw go")
    assert "done means proven" not in script.asked[-1].latest
    assert len(script.asked) == (3 if host.holds else 2)
    assert host.place.git("status", "--porcelain") == ""
