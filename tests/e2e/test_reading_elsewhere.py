"""A second clone: what was proven can be read there, and nothing leads in a circle."""

from __future__ import annotations

from pathlib import Path

from forsooth.project.shelf import SUGGEST
from tests.e2e.drill import cloned, pushed
from tests.e2e.place import Place
from tests.requirements import requirement


@requirement("R082")
def test_a_reviewer_reads_in_a_second_clone_what_was_proven(tmp_path: Path):
    """Receipts that were fetched are shown, and not to be pushed again."""
    other = cloned(pushed(tmp_path), "other", "-b", "work")
    base = ("--base", "origin/main")
    assert "git push" not in other.run("verify", *base).out
    assert other.ask("verify", *base)["push"] == ""
    assert "greet says day" in other.run("receipt", "G001").out
    assert other.run("receipt").out
    told = other.ask("status")["next"]
    assert (told["command"], "receipts" in told["says"]) == ("forsooth verify", True)


@requirement("R022")
def test_a_new_repository_is_led_to_a_brief_that_can_be_written(place: Place):
    """Without a brief the next command makes one; a file that is not there leads there too."""
    assert place.ask("status")["next"]["command"] == SUGGEST
    assert place.ask("plan", "BRIEF.md", code=2)["error"]["hint"] == SUGGEST
    place.write("BRIEF.md", "@goal: One\n- [ ] a.md exists\n")
    assert place.ask("status")["next"]["command"] == "forsooth plan BRIEF.md"


@requirement("R022")
def test_a_criterion_is_not_taken_for_a_commit(place: Place):
    """`check` names what it can judge instead."""
    error = place.ask("check", "G001.C1", code=2)["error"]
    assert error["hint"] == "forsooth check G001, or forsooth why G001.C1"
