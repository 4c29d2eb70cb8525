"""What the README and the pages beside it show is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.readme import PAGES, renewed, shortened
from tests.requirements import requirement


@requirement("R023", "R050")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_transcript_on_a_page_is_what_happens(page: Path, tmp_path: Path):
    """Line by line; `python tests/e2e/readme.py --write` writes it anew."""
    shown = page.read_text(encoding="utf-8")
    assert renewed(shown, tmp_path / "place").splitlines() == shown.splitlines()


@requirement("R023")
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (["a", "…"], ["a", "…"]),
        (["…", "e"], ["…", "e"]),
        (["…", "c", "…", "e"], ["…", "c", "…", "e"]),
        (["…", "x", "…", "e"], ["…", "…", "e"]),
        (["a", "b"], ["a", "b", "c", "d", "e"]),
    ],
)
def test_only_what_a_page_leaves_out_is_left_out(model: list[str], expected: list[str]):
    """A line the command does not print any more is not found between two gaps either."""
    assert shortened(["a", "b", "c", "d", "e"], model) == expected
