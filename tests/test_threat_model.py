"""The threat model names a test for everything it claims, and quotes pages as they are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs/threat_model.md").read_text()
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
PAGES = {"README": "README.md", "verifying": "docs/verifying.md", "judging": "docs/judging.md"}


def rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, without its head."""
    part = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED.findall(TEXT))))
def test_every_test_that_is_named_exists(file: str, name: str):
    """A claim whose test was renamed or removed is not held by anything."""
    assert name in names_in(file)


@pytest.mark.parametrize(
    ("heading", "column"),
    [
        ("What each attack meets", 3),
        ("Sandboxes and platforms", 5),
        ("Sentences and what holds them", 2),
    ],
)
def test_every_row_names_a_test(heading: str, column: int):
    """Also the next one that somebody adds."""
    found = rows(heading)
    assert len(found) >= 3
    assert [row for row in found if not NAMED.search(row[column])] == []


@pytest.mark.parametrize("row", rows("Sentences and what holds them"), ids=lambda row: row[1][:40])
def test_every_sentence_is_in_the_page_it_is_quoted_from(row: list[str]):
    """Line breaks aside."""
    page = " ".join((ROOT / PAGES[row[0]]).read_text().split())
    assert row[1] in page
