"""A criterion that held and holds no more is told with the commit that broke it."""

from __future__ import annotations

from tests.e2e.place import Place
from tests.requirements import requirement

BRIEF = """\
@goal: Greet in words
- [ ] greeting: `sh greet.sh` exits 0, stdout has "good day"
"""


def begun(place: Place) -> Place:
    place.commit("greet.sh", "echo hi\n")
    place.commit("BRIEF.md", BRIEF)
    place.run("plan", "BRIEF.md")
    place.run("seal", "--yes")
    place.commit("greet.sh", "echo good day\n")
    assert place.ask("check")["outcome"] == "pass"
    return place


@requirement("R130")
def test_the_commit_that_broke_it_is_named_with_its_files(place: Place):
    """Between the last pass and now, by running what lies between."""
    begun(place)
    place.commit("a.txt", "1\n")
    place.write("b.txt", "1\n")
    place.git("add", "-A")
    bad = place.commit("greet.sh", "echo bad day\n")
    place.commit("c.txt", "1\n")
    place.commit("d.txt", "1\n")
    told = place.run("check", code=1).out
    assert f"G001.C1 broke in {bad[:7]} (greet.sh): b.txt, greet.sh" in told
    broke = place.ask("check", code=1)["broke"]["G001.C1"]
    assert broke["files"] == ["b.txt", "greet.sh"]


@requirement("R130")
def test_what_is_not_committed_can_be_what_broke_it(place: Place):
    """The last commit still holds: nobody is blamed for it."""
    begun(place)
    place.write("greet.sh", "echo bad day\n")
    broke = place.ask("check", code=1)["broke"]["G001.C1"]
    assert broke["says"] == "broke in what is not committed"
    assert broke["files"] == ["greet.sh"]


@requirement("R130")
def test_what_never_held_has_no_culprit(place: Place):
    """Nothing is searched for where nothing was lost."""
    place.commit("greet.sh", "echo hi\n")
    place.commit("BRIEF.md", BRIEF)
    place.run("plan", "BRIEF.md")
    place.run("seal", "--yes")
    assert place.ask("check", code=1)["broke"] == {}
