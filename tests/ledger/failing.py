"""A real disk on which chosen calls fail."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from forsooth.ledger.disk import Disk


class Failing(Disk):
    """The real disk, with some calls that fail when asked."""

    def __init__(self, *calls: str) -> None:
        self.calls = set(calls)

    def fail(self, call: str) -> None:
        if call in self.calls:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def write(self, fd: int, data: bytes | memoryview) -> int:
        if "silent write" in self.calls:
            return 0
        done = super().write(fd, data[: len(data) // 2] if "write" in self.calls else data)
        self.fail("write")
        return done

    def fsync(self, fd: int) -> None:
        self.fail("fsync")
        super().fsync(fd)

    def truncate(self, fd: int, size: int) -> None:
        self.fail("truncate")
        super().truncate(fd, size)

    def open(self, path: Path, flags: int) -> int:
        if path.name.endswith(".poisoned"):
            self.fail("poison")
        return super().open(path, flags)

    def pread(self, fd: int, count: int, offset: int) -> bytes:
        self.fail("pread")
        return super().pread(fd, count, offset)

    def unlock(self, fd: int) -> None:
        super().unlock(fd)
        self.fail("unlock")
