"""Work is handed out, blocked, given up and taken up again; what needs a person waits for one."""

from __future__ import annotations

from tests.e2e.place import AGENT, BRIEF, Place
from tests.requirements import requirement


@requirement("R022")
def test_status_has_a_form_for_people_and_one_for_programs(sealed: Place):
    """Both say where every goal stands and the one next command, and so does bare forsooth."""
    said = sealed.run("status").out
    assert "active  0 of 3 goals proven" in said
    assert "○ G001 ready    Reject malformed rows" in said
    assert "· G002 pending  Explain the refusal  (waits for G001)" in said
    assert said.endswith("next: forsooth next\n")
    assert sealed.run().out == said
    told = sealed.ask("status")
    assert told["plan"]["status"] == "active"
    assert [goal["status"] for goal in told["goals"]] == ["ready", "pending", "ready"]
    assert told["next"]["command"] == "forsooth next"
    assert sealed.run("--json").data == told


@requirement("R023")
def test_next_begins_an_attempt_and_shows_the_same_one_again(sealed: Place):
    """The hand-off is complete in itself, and asking twice opens nothing twice."""
    first = sealed.run("next", env=AGENT).out
    assert first.startswith("# G001 Reject malformed rows\nattempt G001.A1 (1 of 5)\n")
    for part in (
        "The importer refuses a bad header and says why.",
        "Standard library only.",
        "- G001.C1 importer tests: `pytest -q tests/test_import.py`",
        "Change only: src/**, tests/**",
        "forsooth done G001 --token ",
    ):
        assert part in first
    assert sealed.run("next", env=AGENT).out == first
    told = sealed.ask("next", env=AGENT)
    assert told["text"] + "\n" == first
    assert told["token"] in first
    assert sealed.kinds().count("attempt.opened") == 1


@requirement("R024")
def test_a_goal_given_up_is_opened_again_only_on_request(sealed: Place):
    """It is partial, never done, and only --retry-failed brings it back."""
    sealed.run("next", "G003")
    sealed.run("block", "G003", "--failed", "--why", "no faster way is known")
    sealed.run("block", "G001", "--needs", "human", "--why", "which columns?")
    assert sealed.statuses() == {"G001": "waiting", "G002": "pending", "G003": "failed"}
    assert sealed.ask("next", code=12)["ending"] == "partial"
    told = sealed.ask("next", "--retry-failed")
    assert told["assignment"]["attempt"] == "G003.A2"


@requirement("R043", "R052")
def test_a_blocked_goal_is_passed_over_and_still_stands_in_the_way_of_the_end(sealed: Place):
    """Others are handed out; with nothing else left the run waits for a person, not done."""
    sealed.run("block", "G001", "--needs", "human", "--why", "which columns are required?")
    assert sealed.ask("next")["assignment"]["goal"] == "G003"
    sealed.run("block", "G003", "--needs", "human", "--why", "who pays for the machine?")
    said = sealed.ask("next", code=10)
    assert said["ending"] == "waiting-human"
    assert "which columns are required?" in said["next"]["says"]
    assert sealed.ask("status")["plan"]["status"] == "active"
    sealed.run("unblock", "G001", "--yes", "--reason", "qty and sku")
    assert sealed.ask("next", "G001")["assignment"]["goal"] == "G001"


@requirement("R040", "R041", "D3")
def test_an_agent_pauses_only_for_what_needs_a_person(sealed: Place):
    """A resolvable obstacle earns no pause; a human one does, whatever is noted after it."""
    codes = [row["code"] for row in sealed.ask("stop", code=3, env=AGENT)["error"]["reasons"]]
    assert codes == ["pause-unearned"]
    sealed.run("block", "G001", "--needs", "agent", "--why", "the test is slow", env=AGENT)
    assert sealed.run("stop", "--yes", code=3, env=AGENT).err.count("[pause-unearned]") == 1
    sealed.run("block", "G001", "--needs", "human", "--why", "a token for the API", env=AGENT)
    sealed.run("steer", "note", "waiting", "--evidence", "e", "--rationale", "r", env=AGENT)
    assert sealed.ask("stop", env=AGENT)["status"] == "paused"
    assert sealed.ask("next", code=13)["ending"] == "stopped"


@requirement("R050")
def test_what_needs_a_person_is_cleared_by_a_person(sealed: Place):
    """An agent's word does not clear it, not even with --yes; both tries are on record."""
    sealed.run("block", "G001", "--needs", "human", "--why", "approve the schema", env=AGENT)
    for argv in (["unblock", "G001"], ["unblock", "G001", "--yes"]):
        refused = sealed.ask(*argv, code=3, env=AGENT)["error"]["reasons"]
        assert [row["code"] for row in refused] == ["not-a-person"]
    assert sealed.typed("unblock", "G001", "--reason", "approved").code == 0
    assert sealed.statuses()["G001"] == "ready"
    rows = sealed.run("log", "--json").rows
    refusals = [row for row in rows if row["kind"] == "command.refused"]
    assert [row["data"] for row in refusals] == 2 * [
        {"command": "clear", "codes": ["not-a-person"], "goal": "G001"}
    ]
    assert {row["by"]["name"] for row in refusals} == {"claude-code"}


@requirement("R035")
def test_everything_that_happened_is_in_the_log_in_order(place: Place):
    """Successes and refusals alike, with who and when, as text and as data."""
    place.run("plan", "--text", BRIEF)
    place.run("next", "G001", code=3, env=AGENT)
    place.run("seal", "--yes")
    place.run("next")
    place.run("block", "G001", "--why", "the disk is full")
    rows = place.run("log", "--json").rows
    kinds = ["plan.created", "command.refused", "plan.sealed", "attempt.opened", "blocker.raised"]
    assert [row["kind"] for row in rows] == kinds
    assert [row["seq"] for row in rows] == [1, 2, 3, 4, 5]
    said = place.run("log").out.splitlines()
    assert [line.split()[2] for line in said] == kinds
    assert "agent claude-code" in said[1]
    assert "open: not-sealed" in said[1]
    assert place.run("log", "-n", "2").out.splitlines() == said[-2:]
