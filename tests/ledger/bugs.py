"""Mistakes somebody could make in the ledger: each must turn a test red."""

from __future__ import annotations

from contextlib import suppress

from forsooth.ledger.chain import Tail
from forsooth.ledger.disk import Disk
from forsooth.ledger.journal import Journal, Turn


class Altered:
    """A disk that does one thing wrong and hands the rest on."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def __getattr__(self, name: str):
        return getattr(self._disk, name)


class Unsynced(Altered):
    """Says the bytes are durable without asking for it."""

    def fsync(self, fd: int) -> None:
        pass


class Retrying(Altered):
    """Asks again after a failed fsync; the second answer means nothing."""

    def fsync(self, fd: int) -> None:
        with suppress(OSError):
            return self._disk.fsync(fd)
        return self._disk.fsync(fd)


class Hasty(Altered):
    """Takes a short write for a whole one."""

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self._disk.write(fd, data)
        return len(data)


class Unlocked(Altered):
    """Never takes the lock."""

    def lock(self, fd: int) -> None:
        pass


class Nameless(Altered):
    """Never makes a name durable."""

    def fsync_folder(self, path: object) -> None:
        pass


class Unpoisoned(Altered):
    """Forgets that an undo after a failed fsync may not be enough."""

    def open(self, path, flags: int) -> int:
        if path.name.endswith(".poisoned"):
            raise OSError
        return self._disk.open(path, flags)


def with_disk(altered: type[Altered]) -> type[Journal]:
    """A journal on a disk that does one thing wrong."""

    class Faulty(Journal):
        def __init__(self, path, *, repaired, disk, anchor=None) -> None:
            super().__init__(path, repaired=repaired, disk=altered(disk), anchor=anchor)

    return Faulty


class UnrepairedTurn(Turn):
    """Writes on behind torn bytes."""

    def __init__(self, journal: Journal, fd: int) -> None:
        super().__init__(journal, fd)
        self.tail = Tail(self.tail.seq, self.tail.head, self.tail.size + self._torn)
        self._torn = 0


class TrustingTurn(Turn):
    """Takes every line before its own for durable when an fsync fails."""

    def __init__(self, journal: Journal, fd: int) -> None:
        super().__init__(journal, fd)
        self._is_durable = True
