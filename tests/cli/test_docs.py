"""Examples in the documentation are run, so that they stay true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from forsooth.cli.main import VERBS
from forsooth.core.brief.brief import parse
from forsooth.core.brief.compile import defects
from forsooth.core.brief.draft import Attributes, Draft, Terms
from forsooth.core.brief.shapes import draft
from forsooth.core.check import KINDS
from tests.cli.inside import Inside

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("reference/*.md"))]

_FENCED = re.compile(r"^(`{3,})(\w+)\n(.*?)^\1\n", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)(.+?)\1(?!`)")
_LINK = re.compile(r"\]\(([^)#]+)\)")
_COMMAND = re.compile(r"`forsooth ([a-z]+)")


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return [found[3] for found in _FENCED.finditer(text) if found[2] == language]


def sentences() -> list[tuple[str, str]]:
    """The rows of the table of sentences."""
    text = (DOCS / "briefs.md").read_text(encoding="utf-8")
    table = text.partition("| sentence | becomes |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").rpartition("|") for line in table.splitlines()[2:]]
    return [(code(row[0].strip()), code(row[2].strip())) for row in rows]


def lines() -> list[str]:
    """The attribute lines and the lines about the whole plan, as the two tables show them."""
    text = (DOCS / "briefs.md").read_text(encoding="utf-8")
    tables = [part.partition("\n\n")[0] for part in text.split("| line | means |")[1:]]
    rows = [row for table in tables for row in table.splitlines()[2:]]
    return [code(row.strip("| ").partition(" |")[0].strip()) for row in rows]


def code(cell: str) -> str:
    found = _CODE.fullmatch(cell)
    assert found, cell
    return found[2].strip()


@pytest.mark.parametrize("text", blocks("briefs.md", "markdown"))
def test_every_brief_in_the_documentation_can_be_planned(text):
    """No example has a defect."""
    brief = parse(text)
    assert defects(brief) == ()
    assert brief.stories


@pytest.mark.parametrize(("sentence", "kind"), sentences())
def test_every_sentence_in_the_documentation_has_the_shape_it_shows(sentence, kind):
    """And becomes the check the table says."""
    made = draft(sentence)
    assert isinstance(made, Draft), made
    assert made.check.kind == kind


@pytest.mark.parametrize("line", lines())
def test_every_line_in_the_documentation_sets_something(line):
    """In the brief's goal, or before it, and without a defect."""
    under, above = parse(f"@goal: One\n{line}\n"), parse(f"{line}\n@goal: One\n")
    read = under if not under.defects else above
    items = (*read.items, *read.stories[0].items)
    assert (read.defects, [item.text for item in items]) == ((), [line])


def test_the_tables_of_lines_show_every_attribute():
    """One that nobody can look up is one nobody uses."""
    shown = {line.partition(":")[0].casefold().replace(" ", "_") for line in lines()}
    known = {"after": "depends_on", "every": "cadence", "only": "touch"}
    fields = {*Attributes.model_fields, *Terms.model_fields}
    assert {known.get(word, word) for word in shown} == fields


def test_the_table_of_sentences_shows_every_kind_of_check():
    """A shape that nobody can look up is a shape nobody uses."""
    assert {kind for _, kind in sentences()} == set(KINDS) - {"hidden"}


def test_the_table_of_kinds_shows_everything_each_takes():
    """A parameter that nobody can look up is one nobody uses."""
    text = (DOCS / "briefs.md").read_text(encoding="utf-8")
    table = text.partition("| kind | `with` |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").partition(" |") for line in table.splitlines()[2:]]
    shown = {kind: row[2] for row in rows for kind in re.findall(r"`(\w+)`", row[0])}
    assert shown.keys() == KINDS.keys() - {"hidden"}
    for kind, told in shown.items():
        for name in KINDS[kind].model_fields:
            assert f"`{name}`" in told, (kind, name)


def test_what_the_documentation_calls_refused_is_refused():
    """Every line of the example, each with something to write instead."""
    (text,) = blocks("briefs.md", "text")
    brief = parse(f"@goal: A\n{text}")
    assert [defect.line for defect in brief.defects] == [2, 3, 4]
    assert [defect.code for defect in brief.defects] == [
        "subjective",
        "unknown-shape",
        "unknown-shape",
    ]
    assert not parse("\n".join(["@goal: A", *(d.fix for d in brief.defects)])).defects


def test_the_documented_check_of_a_chain_agrees_with_ours(planned: Inside):
    """It accepts what fsck accepts, names the same head, and notices a changed byte."""
    (source,) = blocks("ledger.md", "python")
    names: dict[str, Any] = {"__name__": "docs"}
    exec(source, names)
    planned("next")
    report = planned.ask("fsck")
    path = planned.place.ledger
    assert names["verify"](path) == (report["events"], report["head"]) == (3, report["head"])
    with path.open("ab") as file:
        file.write(b'{"h":"torn')
    assert names["verify"](path) == (3, report["head"])
    data = path.read_bytes()
    for old, new in ((b"G001.A1", b"G001.A2"), (b'"seq":3', b'"seq":4')):
        path.write_bytes(data.replace(old, new, 1))
        with pytest.raises(ValueError, match="event 3"):
            names["verify"](path)
    lines = data.splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    with pytest.raises(ValueError, match="event 2 does not follow"):
        names["verify"](path)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere_and_commands_exist(page):
    """A page names only files that are there and verbs this version has."""
    text = page.read_text(encoding="utf-8")
    links = [link for link in _LINK.findall(text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []
    assert [verb for verb in _COMMAND.findall(text) if verb not in {"help", *VERBS}] == []
