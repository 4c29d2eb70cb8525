"""Work claimed from a shell that may not write `.git`: the server commits, and says so."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.place import AGENT, FORSOOTH, Place
from tests.e2e.proving import HELLO, begun, lines
from tests.mcp.wire import Wire
from tests.tools import needs

pytestmark = needs("bwrap")

FENCED = f"@goal: Greet\n- [ ] {HELLO}\n- [ ] only greet.sh change\n"


def walled(place: Place) -> tuple[str, ...]:
    """How an agent's sandbox runs a command: `.git` and the home cannot be written."""
    fixed = (str(place.folder / ".git"), str(place.home))
    binds = [word for path in fixed for word in ("--ro-bind", path, path)]
    return ("bwrap", "--dev-bind", "/", "/", *binds, "--chdir", str(place.folder), "--")


def test_a_goal_is_proven_from_behind_the_wall(sealed: Place):
    """Every verb that must write names its tool; the tool commits, claims and gets the receipt."""
    prefix = (*walled(sealed), *FORSOOTH)
    verbs = {
        "next": ["next"],
        "check": ["check", "G001"],
        "done": ["done", "G001"],
        "block": ["block", "G001", "--why", "x"],
        "plan": ["plan", "--new", "--text", "Do it."],
    }
    before = sealed.ledger.read_bytes()
    sealed.write("greet.sh", "echo good day\n")
    for verb, argv in verbs.items():
        told = sealed.run(*argv, prefix=prefix, code=3, env=AGENT)
        assert told.err.splitlines()[1:] == [
            "  this shell may not write .git  [read-only]",
            f"    try: use the tool `{verb}` of forsooth's MCP server, which may",
        ]
    assert sealed.run("status", prefix=prefix).err == ""
    assert sealed.ledger.read_bytes() == before
    with Wire(sealed) as wire:
        token = wire.data("next")["token"]
        told = wire.data("done", goal="G001", token=token, commit_message="Greet by day\n\nOften.")
        page, data = wire.request("resources/read", {"uri": "forsooth://receipt/G001"})["contents"]
    assert told["outcome"] == "pass"
    assert told["commit"] == sealed.git("rev-parse", "HEAD")
    assert told["receipt"]
    assert page["text"].startswith("# Receipt of G001")
    assert json.loads(data["text"])["predicate"]["subject"] == "G001"
    assert sealed.git("log", "-1", "--format=%an %s|%b") == "Ada Greet by day|Often."
    assert sealed.git("status", "--porcelain") == ""
    assert sealed.git("reflog", "-1", "--format=%gs") == "commit: Greet by day"
    noted = [row for row in lines(sealed) if row["kind"] == "note.added"]
    assert [row["data"]["evidence"] for row in noted] == [told["commit"]]
    assert noted[0]["by"]["channel"] == "mcp"


def test_a_commit_takes_only_the_goal_s_work_and_runs_nothing_of_the_repository(sealed: Place):
    """Hooks and filters are programs an agent can write; a wrong token commits nothing."""
    hook = sealed.folder / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch {sealed.home}/ran\n")
    hook.chmod(0o755)
    sealed.git("config", "filter.x.clean", f"touch {sealed.home}/ran; cat")
    sealed.write(".gitattributes", "*.sh filter=x\n")
    sealed.write("new.sh", "echo new\n")
    sealed.write("greet.sh", "echo good day\n")
    head = sealed.git("rev-parse", "HEAD")
    with Wire(sealed) as wire:
        token = wire.data("next")["token"]
        codes, _ = wire.refused("done", goal="G001", token="guessed", commit_message="x")
        assert codes == ["not-holder"]
        assert sealed.git("rev-parse", "HEAD") == head
        wire.call("done", goal="G001", token=token, commit_message="x")
        assert sealed.git("rev-parse", "HEAD^") == head
        assert "new.sh" in sealed.git("show", "--name-only", "--format=", "HEAD")
        assert not (sealed.home / "ran").exists()
        token = wire.data("next")["token"]
        sealed.git("switch", "-q", "--detach")
        codes, text = wire.refused("done", goal="G002", token=token, commit_message="x")
        assert codes == ["not-committed"]
        assert "HEAD is on no branch" in text


def test_a_person_s_own_edits_outside_the_goal_s_fence_are_not_committed(tmp_path: Path):
    """What the goal may not change stays in the work tree and in the index as it was."""
    place = begun(tmp_path, FENCED)
    with Wire(place) as wire:
        token = wire.data("next")["token"]
        place.write("README.md", "The person's own words.\n")
        place.write("part.sh", "echo staged\n")
        place.git("add", "part.sh")
        place.write("greet.sh", "echo good day\n")
        wire.call("done", goal="G001", token=token, commit_message="Greet by day")
    assert place.git("show", "--name-only", "--format=%s") == "Greet by day\n\ngreet.sh"
    assert place.git("diff", "--name-only") == "README.md"
    assert place.git("diff", "--cached", "--name-only") == "part.sh"


def test_a_lock_of_another_git_keeps_the_claim_from_being_made(sealed: Place):
    """Neither the branch nor the ledger moves; the next call, without the lock, does it all."""
    lock = sealed.folder / ".git/index.lock"
    sealed.write("greet.sh", "echo good day\n")
    head = sealed.git("rev-parse", "HEAD")
    with Wire(sealed) as wire:
        given = {"goal": "G001", "token": wire.data("next")["token"], "commit_message": "x"}
        before = sealed.ledger.read_bytes()
        lock.touch()
        codes, text = wire.refused("done", **given)
        assert codes == ["not-committed"]
        assert f"rm {lock}" in text
        assert sealed.git("rev-parse", "HEAD") == head
        assert sealed.ledger.read_bytes() == before
        lock.unlink()
        assert wire.data("done", **given)["outcome"] == "pass"
    assert sealed.git("status", "--porcelain") == ""


def test_only_the_holder_of_an_attempt_of_a_running_plan_may_have_work_committed(sealed: Place):
    """Without an attempt the gate is asked first, and what it refuses changes nothing."""
    sealed.write("greet.sh", "echo good day\n")
    head = sealed.git("rev-parse", "HEAD")
    with Wire(sealed) as wire:
        given = {"goal": "G001", "commit_message": "x"}
        sealed.typed("stop")
        assert wire.refused("done", **given)[0] == ["paused"]
        assert sealed.git("rev-parse", "HEAD") == head
        sealed.typed("resume")
        codes, text = wire.refused("done", **given)
        assert codes == ["no-attempt"]
        assert "forsooth next G001" in text
        token = wire.data("next")["token"]
        sealed.typed("stop")
        assert wire.refused("done", token=token, **given)[0] == ["paused"]
        assert sealed.git("rev-parse", "HEAD") == head
        assert sealed.git("status", "--porcelain") == "M greet.sh"
        sealed.typed("resume")
        assert wire.data("done", token=token, **given)["outcome"] == "pass"
        sealed.write("greet.sh", "echo good day, all\n")
        assert wire.refused("done", token=token, **given)[0] == ["done"]
    assert sealed.git("rev-parse", "HEAD^") == head
