"""Bytes by their digest: durable before they have a name, verified whenever they are read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify, Tampered, Unwritten
from forsooth.ledger.blobs import Blobs


def test_what_is_put_is_found_under_its_digest(tmp_path: Path):
    """Two levels of folders, one file a blob, and nothing else left behind."""
    blobs = Blobs(tmp_path / "plan" / "blobs")
    digest = blobs.put(b"seen")
    assert digest == hashlib.sha256(b"seen").hexdigest()
    assert blobs.get(digest) == b"seen"
    files = [path for path in blobs.folder.rglob("*") if path.is_file()]
    assert files == [blobs.folder / digest[:2] / digest[2:]]
    assert files[0].stat().st_mode & 0o777 == 0o600


def test_putting_again_changes_nothing(tmp_path: Path):
    """The file stays the same file."""
    blobs = Blobs(tmp_path)
    path = tmp_path / blobs.put(b"seen")[:2]
    before = [each.stat().st_ino for each in path.iterdir()]
    blobs.put(b"seen")
    assert [each.stat().st_ino for each in path.iterdir()] == before


def test_a_changed_blob_is_noticed_and_healed_by_the_true_bytes(tmp_path: Path):
    """Reading it is an error until somebody who has the bytes puts them again."""
    blobs = Blobs(tmp_path)
    digest = blobs.put(b"seen")
    (tmp_path / digest[:2] / digest[2:]).write_bytes(b"forged")
    with pytest.raises(Tampered, match=digest[2:]):
        blobs.get(digest)
    blobs.put(b"seen")
    assert blobs.get(digest) == b"seen"


def test_a_missing_blob_could_not_be_verified(tmp_path: Path):
    """It is neither an empty blob nor a tampered one."""
    with pytest.raises(CouldNotVerify, match="the blob is lost") as caught:
        Blobs(tmp_path).get("0" * 64)
    assert (caught.value.code, caught.value.hint) == ("blob-missing", "forsooth fsck")
    (tmp_path / "00" / ("0" * 62)).mkdir(parents=True)
    with pytest.raises(CouldNotVerify, match="not a regular file") as caught:
        Blobs(tmp_path).get("0" * 64)
    assert caught.value.code == "could-not-verify"


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 64 + "\n"])
def test_a_name_that_is_no_digest_is_refused(digest: str, tmp_path: Path):
    """So a name can never lead out of the folder."""
    with pytest.raises(ValueError, match="lower-case hex"):
        Blobs(tmp_path).get(digest)


def test_a_blob_that_cannot_be_stored_says_so(tmp_path: Path):
    """The caller hears of it before any event names the blob."""
    (tmp_path / "file").write_text("")
    with pytest.raises(Unwritten, match="Not a directory"):
        Blobs(tmp_path / "file").put(b"seen")
