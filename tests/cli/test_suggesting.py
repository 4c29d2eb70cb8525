"""A brief to begin with, from a sentence: what is there is named, what is proof is left to say."""

from __future__ import annotations

from tests.cli.inside import Inside

FIRST = "FILL IN a command that fails today and passes when this is done"


def test_a_sentence_becomes_a_brief_that_cannot_be_planned_before_it_is_filled_in(empty: Inside):
    """The suite and the folders are found; the proof is a person's to say, so it is marked."""
    for name in ("src/imp.py", "tests/test_imp.py", "pyproject.toml"):
        empty.place.commit(name, "[tool.pytest.ini_options]\n" if name.endswith("toml") else "")
    told = empty("plan", "--suggest", "Add  CSV export")
    assert told.out.splitlines() == [
        "@goal: Add CSV export",
        f"- [ ] {FIRST}, such as a new test that `python -m pytest` runs",
        "- [ ] FILL IN what a person would try by hand, and what they would see",
        "- [ ] stays green: `python -m pytest`",
        "- [ ] only src/** and tests/** change",
    ]
    assert "once every FILL IN is filled in" in told.err
    defects = empty.ask("plan", "--text", told.out, code=2)["error"]["defects"]
    assert [row["line"] for row in defects] == [2, 3]
    title, first, second, *rest = told.out.splitlines()
    assert first != second
    filled = "\n".join([title, "- [ ] it exports: `sh export.sh`", *rest])
    assert empty.ask("plan", "--text", filled)["plan"]["goals"][0]["title"] == "Add CSV export"


def test_nothing_is_made_up_where_nothing_is_found(empty: Inside):
    """Without a suite or folders only the marks remain; nothing is planned or written."""
    told = empty.ask("plan", "--suggest", "Add CSV export")
    assert told["brief"].count("- [ ]") == len(told["fill_in"]) == 2
    assert all(row.startswith("FILL IN ") for row in told["fill_in"])
    assert empty.place.plans == []
    assert empty.codes("plan", "--suggest", " ", code=2) == ["usage"]


def test_a_long_sentence_gives_a_short_title_and_keeps_its_words(empty: Inside):
    """The title is cut; the objective is the whole of it."""
    sentence = "Add an export of every table as comma separated values, with a header " * 2
    brief = empty.ask("plan", "--suggest", sentence)["brief"]
    title, objective, *_ = brief.splitlines()
    assert len(title) <= 80
    assert objective == sentence.strip()
