"""Promises about claims that rest on the core's rules, as an agent and a person meet them."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.place import AGENT, Place
from tests.e2e.proving import begun, claim
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


@requirement("R025", "R137")
def test_an_implementers_words_reach_no_check(tmp_path: Path):
    """Neither as a variable, an argument nor a file; the plan ends as done once it is proven."""
    place = begun(tmp_path, UNTOLD, greet="exit 1\n")
    told = place.ask("next", env=AGENT)
    assert told["ending"] is None
    place.commit("greet.sh", "exit 0\n")
    place.run("done", "G001", "--token", told["token"], "--summary", NARRATION, env=AGENT)
    assert place.ask("next")["ending"] == "done"


@requirement("R123", "R142", "R143", "R144", "R145", "R147", "R175")
def test_a_criterion_counts_its_failures_in_a_row(tmp_path: Path):
    """Fails twice, holds, and is broken again: a regression counts from none."""
    place = begun(tmp_path, ONE, greet="exit 1\n")
    place.commit("greet.sh", "exit 2\n")
    assert standing(place) == ("untested", 0)
    for streak in (1, 2):
        claim(place, "G001", 1)
        assert standing(place) == ("failing", streak)
    told = place.ask("next", "G001", env=AGENT)
    assert "last seen: exit" in told["text"]
    place.commit("greet.sh", "exit 0\n")
    place.run("done", "G001", "--token", told["token"], env=AGENT)
    assert standing(place) == ("passing", 0)
    place.commit("greet.sh", "exit 1\n")
    claim(place, "G001", 1)
    assert standing(place) == ("regressed", 0)
    assert place.statuses()["G001"] != "done"
