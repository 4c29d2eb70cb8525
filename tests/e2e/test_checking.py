"""Judging without claiming, as people call it: a real sandbox in a real repository."""

from __future__ import annotations

from tests.e2e.place import Place
from tests.requirements import requirement

BRIEF = """\
- [ ] stays green: `sh test.sh`

@goal: Greet in words
- [ ] greeting: `sh greet.sh` exits 0, stdout has "good day"
- [ ] only greet.sh and docs/** change

@goal: Say so
- [ ] docs/greeting.md contains "good day"
"""


def begun(place: Place) -> Place:
    place.commit("greet.sh", "echo hi\n")
    place.commit("test.sh", "sh greet.sh\n")
    place.commit("BRIEF.md", BRIEF)
    place.run("plan", "BRIEF.md")
    place.run("seal", "--yes")
    return place


@requirement("R107")
def test_a_look_tells_what_holds_and_what_to_do_about_the_rest(place: Place):
    """Every criterion is run on a clean copy, whatever anybody says about it."""
    begun(place)
    looked = place.run("check", code=1)
    assert "plan fail: 2 of 4 hold" in looked.out
    assert "G001.C1 output-lacks" in looked.out
    assert "try: Run `sh greet.sh`" in looked.out
    assert "✘ G001.C1" in looked.err
    assert place.kinds().count("finding.recorded") == 4
    assert place.statuses() == {"G001": "ready", "G002": "ready"}


@requirement("R107")
def test_work_that_is_delivered_is_seen_and_claims_nothing(place: Place):
    """A passing look is no receipt: the goal stays open."""
    begun(place)
    place.write("greet.sh", "echo good day\n")
    place.write("docs/greeting.md", "We say good day.\n")
    found = place.ask("check")
    assert found["outcome"] == "pass"
    assert found["isolation"] in ("strict", "landlock", "none")
    assert [row["outcome"] for row in found["findings"]] == ["pass"] * 4
    assert place.statuses() == {"G001": "ready", "G002": "ready"}
    again = place.ask("check", "G001")
    kept = {row["criterion"]: row.get("cached", False) for row in again["findings"]}
    assert kept == {"G001.C1": True, "G001.C2": True, "suite": False}  # permissions are its own


@requirement("R113")
def test_a_change_outside_the_fence_is_a_failure_that_names_it(place: Place):
    """The fence is held over what changed, not over what was said."""
    begun(place)
    place.write("greet.sh", "echo good day\n")
    place.write("test.sh", "exit 0\n")
    found = place.ask("check", "G001", code=1)
    (scope,) = [row for row in found["findings"] if row["outcome"] == "fail"]
    assert scope["criterion"] == "G001.C2"
    assert "test.sh" in scope["reason"]
