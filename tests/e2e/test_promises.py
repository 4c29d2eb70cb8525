"""Promises about claims that rest on the core's rules, as an agent and a person meet them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.place import AGENT, Place, new
from tests.e2e.proving import BRIEF, begun, claim, sealed
from tests.requirements import requirement

OTHER = {"GEMINI_CLI": "1"}
ONE = "@goal: Greet\n- [ ] greet: `sh greet.sh` exits 0\n"
STEP = """\
@goal: Parse
```criteria
manifest:
  expected_paths: [parse.sh]
  min_file_count: 1
  commit_message_pattern: "^feat:"
```
"""
NARRATION = "the-implementers-own-story"
UNTOLD = """\
@goal: Say nothing
- [ ] said: `sh greet.sh` exits 0
- [ ] untold: `! (env; cat /proc/self/cmdline; cat * ) | grep -q the-implementers-own''-story`

@goal: Part
After: G001
- [ ] parting: `sh part.sh` exits 0
"""


def standing(place: Place, criterion: str = "G001.C1") -> tuple[str, int]:
    rows = [row for goal in place.ask("status")["goals"] for row in goal["criteria"]]
    (found,) = [row for row in rows if row["id"] == criterion]
    return found["status"], found["streak"]


@requirement("R092", "R131")
def test_only_who_took_the_work_may_claim_it(tmp_path: Path):
    """A worker without the token is refused before anything is judged, and is never shown it."""
    place = begun(tmp_path, ONE, greet="exit 1\n")
    token = place.ask("next", "G001", env=AGENT)["token"]
    place.commit("greet.sh", "exit 2\n")
    refused = place.ask("done", "G001", code=3, env=OTHER)["error"]
    assert [reason["code"] for reason in refused["reasons"]] == ["not-holder"]
    assert token not in place.run("next", "G001", env=OTHER).out
    assert place.kinds().count("attempt.submitted") == 0
    place.run("done", "G001", "--token", token, code=1, env=OTHER)
    kinds = place.kinds()
    assert kinds.index("attempt.opened") < kinds.index("attempt.submitted")


@requirement("R097", "R098")
def test_a_manifest_decides_whether_a_step_is_passed(tmp_path: Path):
    """No claim passes before each of its fields holds, and none is passed without a verdict."""
    place = begun(tmp_path, STEP, other="echo\n")
    place.commit("README.md", "Something else.\n")
    first = claim(place, "G001", 1)
    assert {row["code"] for row in first["findings"]} == {"missing", "commit-message"}
    place.write("parse.sh", "echo\n")
    place.git("add", "-A")
    place.git("commit", "-qm", "feat: parse")
    assert claim(place, "G001")["receipt"]
    assert place.kinds().count("receipt.issued") == 2, "the goal's and the plan's"


@requirement("R025", "R137", "R173")
def test_an_implementers_words_reach_the_next_goal_and_no_check(tmp_path: Path):
    """Neither variable, argument nor file holds them; the plan ends once all of it is proven."""
    place = begun(tmp_path, UNTOLD, greet="exit 1\n", part="exit 1\n")
    told = place.ask("next", env=AGENT)
    assert told["ending"] is None
    place.commit("greet.sh", "exit 0\n")
    place.run("done", "G001", "--token", told["token"], "--summary", NARRATION, env=AGENT)
    told = place.ask("next", env=AGENT)
    assert (told["assignment"]["goal"], told["ending"]) == ("G002", None)
    assert NARRATION in told["text"].partition("From the goals before:")[2]
    place.commit("part.sh", "exit 0\n")
    place.run("done", "G002", "--token", told["token"], env=AGENT)
    assert place.ask("next")["ending"] == "done"


@requirement("R123", "R129", "R141", "R142", "R143", "R144", "R145", "R147", "R150", "R175")
def test_a_criterion_counts_its_failures_in_a_row(tmp_path: Path):
    """Fails twice, holds, and is broken again: a regression counts from none."""
    place = begun(tmp_path, ONE, greet="exit 1\n")
    place.commit("greet.sh", "exit 2\n")
    assert standing(place) == ("untested", 0)
    for streak in (1, 2):
        claim(place, "G001", 1)
        assert standing(place) == ("failing", streak)
    told = place.ask("next", "G001", env=AGENT)
    (row,) = told["assignment"]["failing"]
    assert row[2].startswith("exit")
    assert row[3].startswith("Run `sh greet.sh`")
    place.commit("greet.sh", "exit 0\n")
    place.run("done", "G001", "--token", told["token"], env=AGENT)
    assert standing(place) == ("passing", 0)
    place.commit("greet.sh", "exit 3\n")
    claim(place, "G001", 1)
    assert standing(place) == ("regressed", 0)
    text = place.run("next", "G001", env=AGENT).out.partition("Regressed")[2]
    broken = place.git("rev-parse", "HEAD")[:12]
    assert f"fails since {broken}; changed in between: greet.sh; exit" in text
    assert "  try: Run `sh greet.sh`" in text
    assert place.statuses()["G001"] != "done"


@requirement("R146", "R148", "R149", "D1", "D2")
@pytest.mark.parametrize(("policy", "failures"), [("", 3), ("[policy]\nattempts = 2\n", 2)])
def test_a_goal_that_fails_too_often_leaves_the_plan_partial(tmp_path: Path, policy, failures):
    """At the third failure or the last attempt, and not before; what is stuck is listed."""
    place = new(tmp_path / "place")
    place.commit("forsooth.toml", policy)
    sealed(place, BRIEF)
    place.commit("part.sh", "echo bye\n")
    claim(place, "G002")
    for _ in range(failures - 1):
        claim(place, "G001", 1)
        assert place.statuses() == {"G001": "ready", "G002": "done"}
    claim(place, "G001", 1)
    assert place.statuses() == {"G001": "stuck", "G002": "done"}
    ended = place.run("next", code=12)
    assert "G001" in ended.out
    assert place.ask("next", code=12)["ending"] == "partial"
    assert place.ask("status")["plan"]["status"] != "done"
