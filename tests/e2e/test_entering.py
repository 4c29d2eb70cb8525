"""Entry criteria: run before an attempt begins, where they say, and never towards a receipt."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.place import AGENT, Place
from tests.e2e.proving import begun, claim, lines
from tests.requirements import requirement

GOAL = '- [ ] greet says day: `sh greet.sh` exits 0, stdout has "day"\n'
HERE = """\
@goal: Greet
```criteria
- says: the tool is installed here
  check: command
  with: {argv: [sh, -c, "test -e tool.installed"]}
  where: workspace
  entry: true
- says: the sources are there
  check: command
  with: {argv: [sh, -c, "test -e greet.sh"]}
  entry: true
```
"""
ASKED = """\
@goal: Greet
```criteria
- {says: the release is announced, check: approval, entry: true}
```
"""


def opened(place: Place) -> bool:
    return "attempt.opened" in place.kinds()


@requirement("D18")
def test_a_goal_is_not_handed_out_while_what_must_hold_before_does_not(tmp_path: Path):
    """`next` and `done` exit 77 and record who must act; once it holds, the same commands work."""
    place = begun(tmp_path, HERE + GOAL)
    refused = place.ask("next", code=77, env=AGENT)["error"]
    (reason,) = refused["reasons"]
    assert (reason["code"], reason["hint"]) == (
        "entry-failed",
        "forsooth unblock G001 --blocker B1",
    )
    assert reason["says"].startswith("G001.E1 does not hold here: exits 1")
    (raised,) = [one for one in lines(place) if one["kind"] == "blocker.raised"]
    assert raised["data"]["blocker"]["needs"] == "environment"
    assert not opened(place)
    told = place.ask("why", "G001")
    assert told["also"][0].startswith("G001.E1 failing: the tool is installed here (exits 1")
    assert told["also"][1] == "G001.E2 passing: the sources are there"
    assert place.ask("next", code=77, env=AGENT)["ending"] == "environment"
    (blocked,) = place.ask("next", "G001", code=77, env=AGENT)["error"]["reasons"]
    assert (blocked["code"], blocked["hint"]) == ("blocked", "forsooth unblock G001 --blocker B1")
    place.run("unblock", "G001", "--blocker", "B1", env=AGENT)
    place.write("greet.sh", "echo good day\n")
    assert place.ask("done", "G001", code=77, env=AGENT)["exit"] == 77
    place.run("unblock", "G001", env=AGENT)
    place.write(".git/info/exclude", "tool.installed\n")
    place.write("tool.installed", "")
    assert place.ask("next", env=AGENT)["assignment"]["goal"] == "G001"
    assert place.ask("why", "G001.E1")["says"].startswith("G001.E1 passing")


@requirement("D18")
def test_an_entry_criterion_runs_in_the_work_tree_only_when_it_says_so(tmp_path: Path):
    """What no commit holds is seen there and not by the judge; neither is part of a receipt."""
    place = begun(tmp_path, HERE.replace("  where: workspace\n", "") + GOAL)
    place.write(".git/info/exclude", "tool.installed\n")
    place.write("tool.installed", "")
    assert place.ask("next", code=77, env=AGENT)["exit"] == 77
    other = begun(tmp_path / "other", HERE + GOAL)
    other.write(".git/info/exclude", "tool.installed\n")
    other.write("tool.installed", "")
    other.write("greet.sh", "echo good day\n")
    proven = claim(other, "G001")
    assert [finding["criterion"] for finding in proven["findings"]] == ["G001.C1"]
    assert "G001.E1" not in other.run("receipt", "G001").out


@requirement("D10", "D18")
def test_a_push_preflight_is_decided_by_exit_status_alone(tmp_path: Path):
    """No remote, exit 77; a remote whose address has the word error in it is no obstacle."""
    place = begun(tmp_path, "@goal: Greet\n```criteria\nsandbox_preflight: true\n```\n" + GOAL)
    place.run("next", code=77, env=AGENT)
    hub = place.folder.parent / "error denied" / "hub.git"
    place.git("init", "-q", "--bare", str(hub))
    place.git("remote", "add", "origin", str(hub))
    place.run("unblock", "G001", env=AGENT)
    assert place.ask("next", env=AGENT)["assignment"]["goal"] == "G001"


@requirement("D17")
def test_an_entry_that_a_person_decides_waits_for_their_agreement(tmp_path: Path):
    """It is shown before anyone asks for work, and one agreement opens the goal."""
    place = begun(tmp_path, ASKED + GOAL)
    assert "forsooth agree G001.E1" in place.run("status").out
    assert place.ask("next", code=77, env=AGENT)["error"]["reasons"][0]["hint"] == (
        "forsooth agree G001.E1"
    )
    assert place.typed("agree", "G001.E1").code == 0
    assert place.ask("next", env=AGENT)["assignment"]["goal"] == "G001"


@requirement("D13")
def test_a_draft_runs_no_entry_criterion(place: Place):
    """Before a seal nothing runs, neither here nor in the judge."""
    place.run("plan", "--text", HERE.replace("test -e tool.installed", "touch ran") + GOAL)
    place.run("next", code=10, env=AGENT)
    place.run("next", "G001", code=3, env=AGENT)
    assert not (place.folder / "ran").exists()
