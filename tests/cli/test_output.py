"""Results on standard output, colour for people only, and nothing that can deceive the eye."""

from __future__ import annotations

import pytest

from forsooth.cli.show import harmless
from forsooth.project.shelf import SUGGEST
from tests.cli.inside import Inside
from tests.e2e.place import COLOUR, Place

SPOOF = (
    "@goal: Tidy\x1b[2Kall is well\u202e\n"
    "```criteria\n"
    '- {says: "the formatter works\\n      G001.C9 all tests pass", check: command,'
    " with: {argv: [format, --all], exits: 1}}\n"
    "```\n"
)


def test_colour_is_for_terminals(sealed: Place):
    """A pipe gets none, NO_COLOR and a dumb terminal turn it off, and the words stay the same."""
    plain = sealed.run("status").out
    assert not COLOUR.search(plain)
    shown = sealed.typed("status").out
    assert COLOUR.search(shown)
    assert COLOUR.sub("", shown) == plain
    assert sealed.typed("status", env={"NO_COLOR": "1"}).out == plain
    assert sealed.typed("status", env={"TERM": "dumb"}).out == plain


def test_a_brief_cannot_write_on_the_screen_a_person_seals_by(empty: Inside):
    """Control characters, reversed text and line breaks are shown as what they are."""
    said = empty("plan", "--text", SPOOF).out
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert r"G001 Tidy\x1b[2Kall is well\u202e" in said
    assert r"the formatter works\n      G001.C9 all tests pass" in said
    assert len([line for line in said.splitlines() if "G001.C" in line]) == 1


def test_a_seal_shows_what_a_sentence_does_not(empty: Inside):
    """A claim in fine words is shown with the command that is really run."""
    said = empty("plan", "--text", SPOOF).out
    assert '→ format --all {"exits": 1}' in said


def test_a_plan_shows_permissions_cadence_and_entry(empty: Inside):
    """Whatever makes proof easier is on the screen, and what a sentence says is not said twice."""
    brief = (
        "@goal: Tidy\nIntent: refactor\nEvery: 2 days\n"
        "- [ ] `make lint`\n- [ ] stays green: `pytest -q`\n- [ ] never touch db/**\n"
        "```goal\nmay_remove: [tests/old.py]\nmay_change: [tests/a.py]\nexpects: no-change\n```\n"
        "```criteria\n"
        "- {says: can push, check: command, with: {argv: [git, push]}, entry: true}\n"
        "- {says: reads well, check: approval}\n"
        "- {says: there, check: files, with: {expected_paths: [a]}, hidden: true}\n"
        "```\n"
    )
    rows = [line.strip() for line in empty("plan", "--text", brief).out.splitlines()]
    assert rows[1:-2] == [
        "G001 Tidy",
        "never touches db/**",
        "may change tests/a.py",
        "may remove tests/old.py",
        "intent refactor, expects no change",
        "comes round every 48 hours",
        "G001.E1 can push  (before the work)  → git push",
        "G001.C1 `make lint`",
        "G001.C2 stays green: `pytest -q`  (guard)",
        "G001.C3 never touch db/**",
        "G001.C4 reads well  → approval",
        'G001.C5 there  (hidden)  → files {"expected_paths": ["a"]}',
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 👩‍🔬\ttab", "plain é 漢 👩‍🔬\ttab"),
        ("no\u00a0break", "no\u00a0break"),
        ("a\x9b31mb", r"a\x9b31mb"),
        ("a\u2028b", r"a\u2028b"),
        ("a\x00b\x7f", r"a\x00b\x7f"),
    ],
)
def test_only_what_cannot_be_seen_is_spelled_out(text, shown):
    """Any script and any emoji is left alone."""
    assert harmless(text) == shown


def test_output_survives_a_stream_that_is_not_unicode(sealed: Place):
    """Marks that the stream cannot hold are spelled out, and JSON stays JSON."""
    env = {"PYTHONIOENCODING": "ascii"}
    assert r"\u25cb G001 ready" in sealed.run("status", env=env).out
    sealed.run("block", "G001", "--why", "où ?")
    told = sealed.run("status", "--json", env=env).data
    assert told["goals"][0]["blockers"][0]["why"] == "où ?"


def test_a_sealed_plan_as_data_is_still_shown_to_whoever_confirms_it(place: Place):
    """With --json the outline goes to the terminal's other stream, not nowhere."""
    place.run("plan", "--text", "@goal: Tidy\n- [ ] `make lint`\n")
    said = place.run("seal", "--yes", "--json")
    assert "G001.C1 `make lint`" in said.err
    assert said.data["approved"] == "unattended"
    place.run("plan", "--text", "@goal: Tidy\n- [ ] `make lint`\n- [ ] a exists\n")
    asked = place.typed("seal", "--json", answer="n")
    assert asked.code == 13
    assert "+ G001.C2 a exists" in asked.out


def test_a_repository_without_a_plan_says_how_to_begin(empty: Inside):
    """No plan is not a failure: it is where everybody starts."""
    assert empty().out == f"no plan here yet\nnext: {SUGGEST}\n"
    assert empty.ask()["next"]["command"] == SUGGEST
    assert empty("status", "--all").out == "no plan here yet\n"
    assert empty.ask("status", "--all") == {"plans": []}


def test_why_explains_goals_criteria_and_the_codes_of_refusals(planned: Inside):
    """Each answer is one sentence and, where there is one, the command that helps."""
    assert planned("why").out == "G001 is ready and nobody has begun it\nnext: forsooth next\n"
    assert planned("why", "G002").out.startswith("G002 waits for G001\n")
    assert planned("why", "G002.C1").out.startswith('G002.C1 untested: docs/import.md contains "')
    assert planned("why", "vacuous").out.startswith("A check that passes before any work")
    told = planned.ask("why", "G002")
    assert (told["about"], told["command"]) == ("G002", "forsooth why G001")
