"""Planning again, whose word binds a work tree, and what is shown of a plan and of its secrets."""

from __future__ import annotations

import pytest

from forsooth.core import command as do
from forsooth.core.actor import Actor
from forsooth.project import Project
from tests.cli.inside import Inside
from tests.e2e.place import BRIEF, Place

CLAUDE = {"CLAUDECODE": "1"}
CODEX = {"CODEX_SANDBOX": "1"}
OTHER = "@goal: Write the manual\n- [ ] docs/manual.md exists\n"
GROUNDS = ("--evidence", "e", "--rationale", "r")


@pytest.fixture
def planned(empty: Inside) -> Inside:
    """A plan that was sealed without looking at the base: nothing here is judged."""
    (empty.place.folder / "BRIEF.md").write_text(BRIEF)
    empty("plan", "BRIEF.md")
    project = Project(empty.place.folder, actor=Actor(kind="human", channel="unattended"))
    plan = project.which()
    draft = project.state(plan).proposal
    assert draft is not None
    project.ask(plan, do.Seal(digest=draft.digest, policy=project.settings().policy))
    return empty


def kinds(inside: Inside) -> list[str]:
    return inside.place.kinds()


def test_a_brief_that_did_not_change_makes_no_new_draft(planned: Inside):
    """Nothing is recorded, and what comes next is what came next before."""
    before = kinds(planned)
    told = planned.ask("plan", "BRIEF.md")
    assert (told["same"], told["changes"], told["next"]) == (True, [], "forsooth next")
    assert "nothing changed" in planned("plan", "BRIEF.md").out
    assert kinds(planned) == before
    (planned.place.folder / "BRIEF.md").write_text(BRIEF + "- [ ] docs/a.md exists\n")
    assert planned.ask("plan", "BRIEF.md")["changes"] != []
    assert planned.ask("plan", "BRIEF.md")["same"] is True


def test_an_agent_does_not_turn_a_work_tree_away_from_what_was_sealed(planned: Inside):
    """It may draft; which plan is worked on stays a person's to say."""
    (first,) = (path.name for path in planned.place.plans)
    told = planned.ask("plan", "--new", "--text", OTHER, **CLAUDE)
    assert (told["bound"], told["next"]) == (first, f"forsooth seal --plan {told['plan']['id']}")
    assert planned.ask("status")["plan"]["id"] == first
    said = planned("plan", "--new", "--text", OTHER, **CLAUDE).out
    assert f"this work tree still means {first}, which a person sealed" in said


def test_a_brief_with_two_live_plans_must_say_which(planned: Inside):
    """The newest is not guessed to be meant."""
    planned("plan", "BRIEF.md", "--new")
    first, second = (path.name for path in planned.place.plans)
    planned.enter(planned.place.linked("second"))
    (planned.place.folder.parent / "second" / "BRIEF.md").write_text(BRIEF)
    failed = planned("plan", "BRIEF.md", code=2)
    assert f"{first} (BRIEF.md, active), {second} (BRIEF.md, draft)" in failed.err
    assert planned.ask("plan", "BRIEF.md", "--plan", second)["plan"]["id"] == second


def test_a_goal_a_person_added_is_still_there_after_the_next_plan(planned: Inside):
    """Whoever steered: the brief does not name it, and it stays."""
    project = Project(planned.place.folder, actor=Actor(kind="human", channel="terminal"))
    plan = project.which()
    added = ("steer", "add", "--title", "Extra", "--objective", "More.", "--after", "G003")
    assert planned.place.typed(*added, *GROUNDS).code == 0
    (planned.place.folder / "BRIEF.md").write_text(BRIEF.replace("Import faster", "Go faster"))
    planned("plan", "BRIEF.md")
    proposal = project.state(plan).proposal
    assert proposal is not None
    extra = proposal.goals[-1]
    assert (extra.title, extra.by, extra.origin) == ("Extra", "person", "steering")
    assert extra.depends_on == ("G003",)


def test_only_its_holder_and_a_person_are_shown_a_token(planned: Inside):
    """Another agent is told who has the attempt."""
    token = planned.ask("next", **CLAUDE)["token"]
    assert token
    assert planned.ask("next", **CLAUDE)["token"] == token
    other = planned.ask("next", **CODEX)
    assert (other["token"], other["holder"]) == (None, "claude-code")
    assert token not in str(other)
    assert "claude-code opened G001.A1; nobody else may claim it" in planned("next", **CODEX).out
    assert token in planned.place.typed("next").out


def test_no_attempt_is_open_without_its_token(planned: Inside, monkeypatch: pytest.MonkeyPatch):
    """Killed right after the event, the token is there already; refused, it is gone again."""
    tokens = planned.place.plans[0] / "tokens"
    assert planned.codes("next", "G002") == ["dependency-open"]
    assert list(tokens.iterdir()) == []
    project = Project(planned.place.folder, actor=Actor(kind="agent", name="script"))
    asked = Project.ask

    def killed(self, *args, **more):
        asked(self, *args, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(Project, "ask", killed)
    with pytest.raises(KeyboardInterrupt):
        project.hand_out(project.which())
    monkeypatch.undo()
    planned.enter(planned.place)
    assert project.hand_out(project.which()).token


def test_everything_about_a_criterion_is_shown_before_it_is_sealed(empty: Inside):
    """What no sentence can say has a line of its own."""
    brief = (
        "Only: src/**\nDeliver: branch main\nUpstream: origin/main\n@goal: One\n```criteria\n"
        "- says: it adds\n  check: command\n  with: {argv: [add]}\n  tags: [adversarial]\n"
        "  surface: cli\n  paths: [src/**]\n  oracle: [sums.csv]\n"
        "  mutants: [{path: a.py, replace: x, by: y}]\n"
        "- {says: a push, check: command, with: {argv: [push]}, where: workspace, entry: true}\n"
        "```\n"
    )
    said = empty("plan", "--text", brief).out
    for row in (
        *("in every goal: only src/** change", "delivered: branch main", "tags: adversarial"),
        *("surface: cli", "paths: src/**", "oracle: sums.csv", "looked at in: the workspace"),
        *("must turn red: a.py: 'x' by 'y'", "nobody's work here: origin/main"),
    ):
        assert row in said


def test_what_is_hidden_is_not_told_where_agents_look(empty: Inside):
    """Status, why and the written plan say that there is one, and no more."""
    brief = (
        "@goal: One\n```criteria\n- {says: no leap day, check: command, with: {argv: [leap]}, "
        "hidden: true}\n- {says: an entry, check: command, with: {argv: [leap]}, hidden: true, "
        "entry: true}\n```\n- [ ] a exists\n"
    )
    empty("plan", "--text", brief)
    goals = (empty.place.plans[0] / "goals.json").read_text()
    said = empty("status").out + str(empty.ask("status")) + goals
    assert "leap" not in said
    assert "an entry" not in said
    assert said.count("hidden criterion") >= 3
    assert "a exists" in goals


def test_what_a_ledger_holds_and_nobody_obeyed_is_counted(planned: Inside):
    """In status as data, and in words by fsck."""
    told = planned.ask("status")["plan"]
    assert (told["void"], told["unknown"], told["repairs"]) == (0, 0, 0)
    with planned.place.ledger.open("ab") as file:
        file.write(b'{"h":"12')
    planned("next")
    assert planned.ask("status")["plan"]["repairs"] == planned.ask("fsck")["repairs"] == 1
    assert "events that record a repair: 1" in planned("fsck").out


def test_one_unblock_clears_every_obstacle_of_a_goal(planned: Inside):
    """And none, when one of them is not the caller's to clear."""
    planned("block", "G001", "--needs", "agent", "--why", "a")
    planned("block", "G001", "--needs", "human", "--why", "b")
    assert planned.codes("unblock", "G001", **CLAUDE) == ["not-a-person"]
    assert len(planned.ask("status")["goals"][0]["blockers"]) == 2
    assert planned.ask("unblock", "G001", "--yes")["cleared"] == ["B1", "B2"]
    assert planned.ask("status")["goals"][0]["blockers"] == []


def test_pieces_that_cannot_be_read_are_refused_in_plain_words(planned: Inside):
    """Never in the words of a library."""
    split = ("steer", "split", "G001", *GROUNDS, "--pieces-json")
    for text, says in (
        ("{", "this is not JSON"),
        ("1", "pieces: must be a list"),
        ('[{"title": "x"}]', "pieces.0.objective: is missing"),
    ):
        assert says in planned(*split, text, code=2).err


def test_status_says_how_strong_a_contract_is(empty: Inside):
    """A goal nobody said how to prove is weak; a fence alone proves nothing."""
    empty("plan", "--text", "@goal: One\n- [ ] a exists\n@goal: Two\n- [ ] only a change\n")
    assert [goal["contract"] for goal in empty.ask("status")["goals"]] == ["strong", "weak"]


def test_a_plan_is_drafted_anew_when_it_moves_meanwhile(planned: Inside, monkeypatch):
    """Somebody steers between reading and writing; the draft is made of what stands then."""
    project = Project(planned.place.folder, actor=Actor(kind="agent", name="script"))
    plan, settings = project.which(), Project.settings
    moved: list[Place] = []

    def steered(self):
        if not moved:
            moved.append(planned.place)
            add = ("steer", "add", "--title", "Late", "--objective", "More.", *GROUNDS)
            planned.place.run(*add)
        return settings(self)

    monkeypatch.setattr(Project, "settings", steered)
    made = project.draft(BRIEF + "\nMore text.\n", source="BRIEF.md")
    assert made.plan.goals[-1].title == "Late"
    assert "command.refused" in [event.kind for event in project.events(plan)]
