"""A brief becomes a draft, and a draft a plan, by a person's word alone."""

from __future__ import annotations

import json

from tests.e2e.place import AGENT, BRIEF, COLOUR, Place
from tests.requirements import requirement


@requirement("R001")
def test_a_brief_from_a_file_from_stdin_and_inline_gives_the_same_plan(place: Place):
    """Only the id of the plan and the name of the file differ."""
    path = place.write("BRIEF.md", BRIEF)
    told = [
        place.ask("plan", str(path)),
        place.run("plan", "-", "--new", "--json", stdin=BRIEF).data,
        place.ask("plan", "--new", "--text", BRIEF),
    ]
    assert len({one["plan"]["id"] for one in told}) == 3
    assert [one["plan"].pop("source", "") for one in told] == ["BRIEF.md", "", ""]
    assert all(one["plan"].pop("id") for one in told)
    assert told[0]["plan"] == told[1]["plan"] == told[2]["plan"]


@requirement("R014")
def test_a_plan_has_its_brief_its_goals_and_its_ledger_in_a_folder_of_its_own(place: Place):
    """Three artifacts, under the git dir, named by the plan's id."""
    text = BRIEF.replace("Import faster", "Importer plus rapide")
    place.write("BRIEF.md", text)
    id_ = place.ask("plan", "BRIEF.md")["plan"]["id"]
    (folder,) = place.plans
    assert folder.name == id_
    assert (folder / "brief.md").read_text(encoding="utf-8") == text
    goals = json.loads((folder / "goals.json").read_text(encoding="utf-8"))
    assert [goal["id"] for goal in goals["goals"]] == ["G001", "G002", "G003"]
    assert len((folder / "ledger.jsonl").read_bytes().splitlines()) == 1
    assert place.git("status", "--porcelain") == "?? BRIEF.md"


@requirement("R008")
def test_a_brief_with_an_empty_goal_is_refused_whole(place: Place):
    """Every defect comes at once, as text and as data, and nothing is written."""
    brief = "@goal\n\n@goal: Parse rows\n- [ ] it should be nice\n"
    said = place.run("plan", "--text", brief, code=2)
    assert said.out == ""
    assert "brief: 2 defects, nothing was planned" in said.err
    assert "brief:1:" in said.err
    assert "try: - [ ] a person agrees: it should be nice" in said.err
    failed = place.ask("plan", "--text", brief, code=2)
    assert [row["code"] for row in failed["error"]["defects"]] == ["empty-goal", "subjective"]
    assert failed["exit"] == 2
    assert place.plans == []


@requirement("R009", "R011")
def test_the_preamble_reaches_every_assignment_and_is_no_goal(sealed: Place):
    """Goals are numbered in order and each carries the constraints above the first."""
    told = [sealed.ask("next", goal)["assignment"] for goal in ("G001", "G003")]
    assert [one["title"] for one in told] == ["Reject malformed rows", "Import faster"]
    assert {one["preamble"] for one in told} == {"Standard library only."}


@requirement("R125")
def test_nothing_begins_before_a_person_confirmed_the_criteria(place: Place):
    """A draft hands out nothing: it waits for a person."""
    place.run("plan", "--text", BRIEF)
    said = place.run("next", code=10)
    assert "seal" in said.out
    assert place.run("next", "G001", code=3).err.count("[not-sealed]") == 1
    assert "attempt.opened" not in place.kinds()


@requirement("R125")
def test_a_seal_shows_everything_and_asks_at_a_terminal(place: Place):
    """Typed no, nothing is sealed; typed yes, the channel is on record as a terminal."""
    place.write("BRIEF.md", BRIEF)
    place.run("plan", "BRIEF.md")
    said = place.typed("seal", answer="n")
    assert said.code == 13
    assert "not sealed" in said.out
    assert place.ask("status")["plan"]["status"] == "draft"
    said = place.typed("seal", answer="y")
    assert said.code == 0
    assert "binds every goal: Standard library only." in COLOUR.sub("", said.out)
    assert "G001.C1 importer tests: `pytest -q tests/test_import.py`" in said.out
    assert place.git("rev-parse", "HEAD")[:12] in said.out
    assert place.ask("status")["plan"]["sealed"] == "terminal"
    *_, event = place.run("log", "--json").rows
    assert event["by"] == {"kind": "human", "name": "ada", "channel": "terminal"}


@requirement("R125")
def test_a_script_seals_only_by_saying_so_and_an_agent_not_at_all(place: Place):
    """Without a terminal there is no question, and `--yes` in an agent's shell is refused."""
    place.run("plan", "--text", BRIEF)
    said = place.run("seal", code=2, stdin="y\n")
    assert said.out == ""
    assert "a seal needs a person at a terminal" in said.err
    refused = place.ask("seal", "--yes", code=3, env=AGENT)
    assert [row["code"] for row in refused["error"]["reasons"]] == ["agent-present"]
    assert place.run("seal", code=3, env=AGENT).err.count("[not-a-person]") == 1
    assert place.ask("seal", "--yes")["channel"] == "unattended"
    assert place.kinds() == ["plan.created", "command.refused", "command.refused", "plan.sealed"]


@requirement("R125")
def test_a_second_plan_is_sealed_by_a_person_while_one_is_in_force(sealed: Place):
    """`--yes` may be anybody's; a plan of its own would let an agent choose what is asked of it."""
    made = sealed.ask("plan", "--text", "@goal: Other\n- [ ] `test -f other`\n", "--new")
    refused = sealed.ask("seal", "--yes", "--plan", made["plan"]["id"], code=2)
    assert refused["error"]["code"] == "sealed-already"


@requirement("R125")
def test_an_edited_brief_shows_what_it_loosens_and_needs_a_person_again(sealed: Place):
    """`--yes` may not replace a seal; goals that did not change keep where they stood."""
    attempt = sealed.ask("next", "G003")["assignment"]["attempt"]
    sealed.write("BRIEF.md", BRIEF.replace('docs/import.md contains "## Errors"', "LICENSE exists"))
    said = sealed.run("plan", "BRIEF.md")
    assert '- G002.C1 docs/import.md contains "## Errors"  ← loosens' in said.out
    assert "+ G002.C2 LICENSE exists" in said.out
    assert "G001" not in said.out
    refused = sealed.ask("seal", "--yes", code=3)
    assert [row["code"] for row in refused["error"]["reasons"]] == ["sealed-already"]
    before = sealed.ask("status")
    assert before["plan"]["draft"]
    assert before["goals"][1]["criteria"][0]["id"] == "G002.C1"
    assert sealed.typed("seal", answer="y").code == 0
    after = sealed.ask("status")
    assert not after["plan"]["draft"]
    assert [row["id"] for row in after["goals"][1]["criteria"]] == ["G002.C2"]
    assert after["goals"][2]["attempt"] == attempt
    *_, event = sealed.run("log", "--json").rows
    assert '- G002.C1 docs/import.md contains "## Errors" (loosens)' in event["data"]["changes"]
