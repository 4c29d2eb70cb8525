"""docs/reference/hosts.md says what the packages do, cell by cell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from forsooth.hooks.hosts import EVENTS
from forsooth.packages.events import CLAUDE, CODEX, GEMINI
from forsooth.packages.kit import text
from tests.hosts.clis import CLIS

PAGE = Path(__file__).parents[2] / "docs/reference/hosts.md"
COLUMNS = ("claude", "codex", "gemini", "opencode")
WATCHED = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI}


def table() -> dict[str, dict[str, str]]:
    """The rows of the table by event, each cell by host."""
    rows = PAGE.read_text().partition("| event |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {event: dict(zip(COLUMNS, rest, strict=True)) for event, *rest in cells}


def test_every_event_has_a_row():
    """In the order in which they happen."""
    assert tuple(table()) == EVENTS


@pytest.mark.parametrize("host", WATCHED)
def test_each_cell_names_the_event_that_the_package_asks_for(host: str):
    """And a dash stands where it asks for none."""
    named = {event: re.match(r"`(\w+)`: ", row[host]) for event, row in table().items()}
    said = {event: found[1] for event, found in named.items() if found}
    assert said == {one.ours: one.theirs for one in WATCHED[host]}
    assert all(table()[event][host].startswith("– ") for event in EVENTS if event not in said)


def test_the_plugin_for_opencode_has_what_its_column_names():
    """By the names that opencode gives them."""
    module = text("opencode.js")
    for event, row in table().items():
        named = re.match(r"`([\w.]+)`: ", row["opencode"])
        assert bool(named) == (f'ask("{event}"' in module or event == "compaction")
        assert named is None or named[1] in module


def test_the_page_names_the_versions_that_are_tested():
    """A host that moves on is tried anew first."""
    told = re.sub(r"\s+", " ", PAGE.read_text())
    assert [name for name in COLUMNS if CLIS[name].version not in told] == []
