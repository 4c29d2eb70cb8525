"""The ledger's head, noted outside the repository, so that a rewound chain is noticed.

Written after the ledger's own fsync: it may lag behind the ledger and never leads it. It is a
witness, not a record: losing it costs nothing but that witness, and it must never fail an append.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core.canonical import digest
from forsooth.ledger.disk import REAL, Disk, make_folders

if TYPE_CHECKING:
    from pathlib import Path

LENGTH = 16 + 1 + 64 + 1 + 16 + 1

_LINE = re.compile(rb"(([0-9]{16}) ([0-9a-f]{64})) ([0-9a-f]{16})\n")


class Mark(NamedTuple):
    """An event that was acknowledged, and the digest of its line."""

    seq: int
    head: str


class Anchor:
    """One small file of a fixed size, overwritten in place."""

    def __init__(self, path: Path, *, disk: Disk = REAL) -> None:
        self.path = path
        self._disk = disk

    def write(self, seq: int, head: str) -> None:
        """Note the head; raises OSError, which an append ignores."""
        noted = b"%016d %b" % (seq, head.encode())
        fd = self._open()
        try:
            self._disk.pwrite(fd, b"%b %b\n" % (noted, _seal(noted)), 0)
        finally:
            self._disk.close(fd)

    def read(self) -> Mark | None:
        """Say what was noted last; a missing, torn or unreadable note is none."""
        try:
            fd = self._disk.open(self.path, os.O_RDONLY)
            try:
                found = _LINE.fullmatch(self._disk.pread(fd, LENGTH + 1, 0))
            finally:
                self._disk.close(fd)
        except OSError:
            return None
        # A write cut short may join a new number to an old digest: the seal tells.
        if found is None or found[4] != _seal(found[1]):
            return None
        return Mark(int(found[2]), found[3].decode())

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT
        try:
            return self._disk.open(self.path, flags)
        except FileNotFoundError:
            make_folders(self._disk, self.path.parent)
            return self._disk.open(self.path, flags)


def _seal(noted: bytes) -> bytes:
    return digest(noted)[:16].encode()
