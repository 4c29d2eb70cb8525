"""Codex in its own sandbox, where an agent's shell can write neither `.git` nor the home."""

from __future__ import annotations

import pytest

from tests.hosts.codex import Codex
from tests.hosts.conftest import REAL, Start
from tests.hosts.host import BIN
from tests.hosts.work import failures, honest, sealed, status
from tests.scripted_model.model import Script, Turn

pytestmark = REAL


@pytest.mark.parametrize("linked", [False, True], ids=["clone", "linked worktree"])
def test_edit_claim_and_receipt_in_a_sandbox(guest: Start, *, linked: bool):
    """The shell edits, the server beside it writes the ledger, and the receipt verifies."""
    script = Script([])
    host = guest("codex", script)
    assert isinstance(host, Codex)
    home = sealed(host.place)
    if linked:
        host.place = home.linked("beside")
        host.place.git("switch", "-qc", "beside")
    script.turns += honest(host, commit_message="Say hello")
    run = host.turn("work on the plan")
    assert run.code == 0, run
    assert status(home) == "done", script.asked[-1].latest
    assert host.place.git("log", "-1", "--format=%s") == "Say hello"
    assert "G001 proven" in host.place.run("verify").out
    assert failures(home) == []


def test_the_shell_is_told_which_tool_to_use_instead(guest: Start):
    """A command that cannot write says so, and names the tool that can."""
    script = Script([])
    host = guest("codex", script)
    sealed(host.place)
    script.turns += [Turn("", (host.shell(f"touch .git/x || {BIN}/forsooth next"),))]
    assert host.turn("work on the plan").code == 0
    assert "Read-only file system" in script.asked[1].latest
    assert "tool" in script.asked[1].latest
    assert "`next`" in script.asked[1].latest
