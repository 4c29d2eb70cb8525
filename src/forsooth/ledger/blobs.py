"""Bytes too large for a line, named by their digest and therefore never edited.

A name is given only after the bytes are durable, so a blob that is there is whole. It must not
decide what to keep: unnamed leftovers of a crash are for the garbage collector.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from forsooth.core.canonical import digest as name_of
from forsooth.errors import CouldNotVerify, Tampered, Unwritten
from forsooth.ledger.disk import REAL, Disk, make_folders, write_all

if TYPE_CHECKING:
    from pathlib import Path

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """A folder of blobs, spread over 256 others by the first two digits of their digests."""

    def __init__(self, folder: Path, *, disk: Disk = REAL) -> None:
        self.folder = folder
        self._disk = disk

    def put(self, data: bytes) -> str:
        """Make bytes durable and return their digest; putting them again changes nothing."""
        digest = name_of(data)
        path = self._path(digest)
        try:
            make_folders(self._disk, path.parent)
            if not self._holds(path, digest):
                self._write(path, data)
            # Also for a blob that is there: whoever put it may have been killed before this.
            self._disk.fsync_folder(path.parent)
            self._disk.fsync_folder(self.folder)
        except OSError as error:
            says = f"{path}: the blob could not be stored ({error.strerror})"
            raise Unwritten(says) from error
        return digest

    def get(self, digest: str) -> bytes:
        """Read a blob and verify that it still has its digest."""
        path = self._path(digest)
        try:
            data = self._disk.read(path)
        except FileNotFoundError as error:
            says = f"{path}: the blob is lost"
            raise CouldNotVerify(says, hint="forsooth fsck", code="blob-missing") from error
        except OSError as error:
            says = f"{path}: the blob cannot be read ({error.strerror})"
            raise CouldNotVerify(says) from error
        if name_of(data) != digest:
            raise Tampered(f"{path}: the blob no longer has its digest", hint="forsooth fsck")
        return data

    def _path(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise ValueError(f"{digest!r} is not a sha256 in lower-case hex")
        return self.folder / digest[:2] / digest[2:]

    def _holds(self, path: Path, digest: str) -> bool:
        try:
            return name_of(self._disk.read(path)) == digest
        except FileNotFoundError:
            return False

    def _write(self, path: Path, data: bytes) -> None:
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
        try:
            self._fill(draft, data)
            self._disk.replace(draft, path)
        except OSError:
            with suppress(OSError):
                self._disk.unlink(draft)
            raise

    def _fill(self, draft: Path, data: bytes) -> None:
        fd = self._disk.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            write_all(self._disk, fd, data)
            self._disk.fsync(fd)
        finally:
            self._disk.close(fd)
