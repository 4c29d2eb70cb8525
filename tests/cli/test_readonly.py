"""Reading needs no write; what must write and cannot says so."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.e2e.place import AGENT, FORSOOTH, GROUNDS, Place

# Root may write anywhere, so root's own right to do so is taken away from the process.
UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--")
PREFIX = FORSOOTH if os.geteuid() else (*UNPRIVILEGED, *FORSOOTH)


def can_forbid() -> bool:
    if os.geteuid():
        return True
    return (
        bool(shutil.which("setpriv"))
        and not subprocess.run([*UNPRIVILEGED, "true"], check=False, capture_output=True).returncode
    )


pytestmark = pytest.mark.skipif(not can_forbid(), reason="cannot give up root's rights here")


@pytest.fixture
def forbidden(sealed: Place) -> Iterator[Place]:
    """A sealed plan below a folder nobody may write to."""
    paths = [sealed.state, *sealed.state.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield sealed
    for path in paths:
        path.chmod(0o755)


def test_questions_are_answered_where_nothing_may_be_written(forbidden: Place):
    """Status, why, log and fsck work in a sandbox that makes .git read-only."""
    for argv in (["status"], ["why", "G001"], ["log"], ["fsck"], ["status", "--all", "--json"]):
        assert forbidden.run(*argv, prefix=PREFIX).err == ""


def test_a_change_that_cannot_be_written_says_so_and_changes_nothing(forbidden: Place):
    """Exit 4, what failed, and the likely reason; never a traceback."""
    before = forbidden.ledger.read_bytes()
    for argv in (["next"], ["block", "G001", "--why", "x"], ["stop", "--yes"]):
        failed = forbidden.run(*argv, prefix=PREFIX, code=4)
        assert "nothing was written" in failed.err
        assert "try: run it where .git may be written" in failed.err
    failed = forbidden.run("plan", "--new", "--text", "Do it.", "--json", prefix=PREFIX, code=4)
    assert failed.data["error"]["code"] == "unwritten"
    assert forbidden.ledger.read_bytes() == before


def test_an_agent_whom_something_forbids_to_write_is_told_which_tool_may(forbidden: Place):
    """Where there is such a tool; what has none says what forbids it."""
    told = forbidden.run("next", prefix=PREFIX, code=3, env=AGENT)
    assert "this shell may not write .git  [read-only]" in told.err
    assert "try: use the tool `next` of forsooth's MCP server, which may" in told.err
    error = forbidden.run(
        "steer", "note", "x", *GROUNDS, "--json", prefix=PREFIX, code=3, env=AGENT
    )
    assert [reason["code"] for reason in error.data["error"]["reasons"]] == ["read-only"]
    told = forbidden.run("unblock", "G001", prefix=PREFIX, code=None, env=AGENT)
    assert "MCP" not in told.err
