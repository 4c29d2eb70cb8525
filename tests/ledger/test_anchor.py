"""The note outside the repository: small, never in the way, and believed only when whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.ledger.anchor import Anchor, Mark

HEAD, OTHER = "ab" * 32, "cd" * 32


def test_the_last_note_is_read_back(tmp_path: Path):
    """Folders are made as needed, for the owner alone, and the size stays the same."""
    anchor = Anchor(tmp_path / "state" / "forsooth" / "anchor")
    assert anchor.read() is None
    anchor.write(9, HEAD)
    size = anchor.path.stat().st_size
    anchor.write(123_456, OTHER)
    assert anchor.read() == Mark(123_456, OTHER)
    assert anchor.path.stat().st_size == size
    assert anchor.path.stat().st_mode & 0o777 == 0o600
    assert anchor.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_torn_note_is_none(tmp_path: Path):
    """A note of which any part is old and the rest new is not believed."""
    anchor = Anchor(tmp_path / "anchor")
    anchor.write(1, HEAD)
    old = anchor.path.read_bytes()
    anchor.write(2, OTHER)
    new = anchor.path.read_bytes()
    whole = {old: Mark(1, HEAD), new: Mark(2, OTHER)}
    for cut in range(len(new)):
        for note in (new[:cut] + old[cut:], new[:cut]):
            anchor.path.write_bytes(note)
            assert anchor.read() == whole.get(note)


def test_a_place_that_cannot_be_written_is_an_ordinary_error(tmp_path: Path):
    """The append that asked for the note decides to go on without it."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="Not a directory"):
        Anchor(tmp_path / "file" / "anchor").write(1, HEAD)
