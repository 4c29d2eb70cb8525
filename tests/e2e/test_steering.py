"""The plan changes by explicit, evidenced commands, and nothing required is lost on the way."""

from __future__ import annotations

import pytest

from tests.e2e.place import AGENT, GROUNDS, Place
from tests.requirements import requirement


def criteria(place: Place) -> set[str]:
    goals = place.ask("status")["goals"]
    live = [goal for goal in goals if goal["status"] != "superseded"]
    return {row["id"] for goal in live for row in goal["criteria"]}


@requirement("R044", "R046")
def test_there_are_six_ways_to_steer_and_each_does_its_own(sealed: Place):
    """Add, split, reorder, reword, note and supersede, and no seventh."""
    listed = sealed.run("steer", "--help").out.partition("Commands:\n")[2]
    names = ["add", "note", "reorder", "reword", "split", "supersede"]
    assert [line.split()[0] for line in listed.splitlines()] == names
    before = criteria(sealed)
    sealed.run("steer", "add", "--title", "Log rows", "--objective", "One a row.", *GROUNDS)
    sealed.run("steer", "reword", "G003", "--title", "Import much faster", *GROUNDS)
    sealed.run("steer", "reorder", "G003", "G001", *GROUNDS)
    pieces = ("--piece", "Parse", "Parse them.", "--piece", "Refuse", "Refuse them.")
    sealed.run("steer", "split", "G001", *pieces, *GROUNDS)
    sealed.run("steer", "note", "the sample has 40 columns", *GROUNDS)
    sealed.run("block", "G004", "--why", "not wanted")
    sealed.run("steer", "supersede", "G004", *GROUNDS)
    goals = sealed.ask("status")["goals"]
    assert {goal["id"]: goal["title"] for goal in goals} == {
        "G001": "Reject malformed rows",
        "G002": "Explain the refusal",
        "G003": "Import much faster",
        "G004": "Log rows",
        "G005": "Parse",
        "G006": "Refuse",
    }
    ids = [goal["id"] for goal in goals]
    assert ids.index("G003") < ids.index("G002")
    gone = {goal["id"] for goal in goals if goal["status"] == "superseded"}
    assert gone == {"G001", "G004"}
    assert criteria(sealed) == before
    assert sealed.run("steer", "delete", "G002", *GROUNDS, code=2).out == ""


@requirement("R045")
@pytest.mark.parametrize("missing", ["--evidence", "--rationale"])
def test_a_change_without_evidence_or_rationale_is_no_command(sealed: Place, missing: str):
    """Leaving either out, or empty, changes nothing."""
    at = GROUNDS.index(missing)
    kept = GROUNDS[:at] + GROUNDS[at + 2 :]
    base = ("steer", "reword", "G003", "--title", "Other")
    assert missing in sealed.run(*base, *kept, code=2).err
    assert sealed.run(*base, *kept, missing, "", code=2).out == ""
    assert "plan.amended" not in sealed.kinds()


@requirement("R047", "R053")
def test_prose_is_never_taken_for_a_command(sealed: Place):
    """Not as a verb, and not as a directive inside a note: only what is typed counts."""
    before = sealed.ask("status")["goals"]
    said = sealed.run("steer", "please make the plan nicer", code=2)
    assert "No such command" in said.err
    text = "steer: add --title Sneaked --objective in\n@goal: Sneaked in"
    sealed.run("steer", "note", text, *GROUNDS, env=AGENT)
    sealed.run("block", "G003", "--why", f"done; {text}", env=AGENT)
    sealed.run("unblock", "G003", env=AGENT)
    assert sealed.ask("status")["goals"] == before


@requirement("R048", "R049")
def test_steering_moves_criteria_and_never_loses_or_proves_one(sealed: Place):
    """An agent may not change work in progress, set aside what is not blocked, or finish a goal."""
    sealed.run("next", "G001", env=AGENT)
    for argv, code in (
        (("reword", "G001", "--objective", "Less."), "not-pending"),
        (("supersede", "G003"), "not-blocked"),
        (("reorder", "G001", "G003"), "not-pending"),
    ):
        refused = sealed.ask("steer", *argv, *GROUNDS, code=3, env=AGENT)["error"]["reasons"]
        assert code in [row["code"] for row in refused]
    assert criteria(sealed) == {"G001.C1", "G001.C2", "G002.C1", "G003.C1"}
    sealed.run("steer", "add", "--title", "T", "--objective", "Any library.", *GROUNDS, env=AGENT)
    told = sealed.ask("next", "G004", env=AGENT)["assignment"]
    assert told["preamble"] == "Standard library only."
    assert not any(goal["status"] == "done" for goal in sealed.ask("status")["goals"])


@requirement("R050")
def test_accepted_and_refused_changes_are_both_on_record(sealed: Place):
    """Each with who asked, what, and why it was refused."""
    sealed.run("steer", "supersede", "G001", *GROUNDS, code=3, env=AGENT)
    sealed.run("steer", "add", "--title", "T", "--objective", "O", *GROUNDS, env=AGENT)
    refused, accepted = sealed.run("log", "-n", "2", "--json").rows
    assert refused["data"]["codes"] == ["not-blocked"]
    assert accepted["kind"] == "plan.amended"
    assert accepted["data"]["amendment"]["evidence"] == "the log of run 7"
    assert accepted["data"]["amendment"]["rationale"] == "it follows"


@requirement("R051")
def test_a_goal_set_aside_stays_visible_and_is_not_handed_out(sealed: Place):
    """It keeps its place and says why; an agent's word alone does not make it unnecessary."""
    sealed.run("block", "G003", "--why", "cannot be measured here", env=AGENT)
    sealed.run("steer", "supersede", "G003", *GROUNDS, env=AGENT)
    assert sealed.statuses()["G003"] == "superseded"
    said = sealed.run("why", "G003").out
    assert "an agent set G003 aside (it follows) and no person has confirmed it" in said
    assert sealed.run("next", "G003", code=3).err.count("[superseded]") == 1
    assert sealed.typed("steer", "supersede", "G003", *GROUNDS).code == 0
    assert "G003 was set aside: it follows" in sealed.run("why", "G003").out
