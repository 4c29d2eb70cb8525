"""What README.md shows is what happens."""

from __future__ import annotations

from tests.e2e.readme import README, renewed
from tests.requirements import requirement


@requirement("R023", "R050")
def test_the_transcript_in_the_readme_is_what_happens(tmp_path):
    """Line by line; `python tests/e2e/readme.py --write` writes it anew."""
    shown = README.read_text(encoding="utf-8")
    assert renewed(shown, tmp_path / "place").splitlines() == shown.splitlines()
