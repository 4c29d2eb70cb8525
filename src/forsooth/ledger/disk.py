"""Every system call the ledger makes, one delegate each, so tests can put a failing disk here.

The class holds no decision: what to do when a call fails belongs to its callers.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from forsooth.hooks.ownership import open_own
from forsooth.ledger.waiting import wait

if TYPE_CHECKING:
    from pathlib import Path


class Disk:
    """The real one."""

    def open(self, path: Path, flags: int) -> int:
        """Open a file that only its owner may read, should the call create it.

        What is a link, no regular file or another account's is an error at once.
        """
        return open_own(str(path), flags)

    def close(self, fd: int) -> None:
        """Close a descriptor."""
        os.close(fd)

    def stat(self, where: int | Path) -> os.stat_result:
        """Describe a descriptor, or the file a path names."""
        return os.stat(where)

    def read(self, path: Path) -> bytes:
        """Read a whole file."""
        with os.fdopen(self.open(path, os.O_RDONLY), "rb") as file:
            return file.read()

    def pread(self, fd: int, count: int, offset: int) -> bytes:
        """Read at most so many bytes from a position."""
        return os.pread(fd, count, offset)

    def pwrite(self, fd: int, data: bytes, offset: int) -> int:
        """Write at a position; may write less than asked."""
        return os.pwrite(fd, data, offset)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """Write at the end; may write less than asked."""
        return os.write(fd, data)

    def truncate(self, fd: int, size: int) -> None:
        """Cut a file to a size."""
        os.ftruncate(fd, size)

    def fsync(self, fd: int) -> None:
        """Make a file's bytes durable."""
        os.fsync(fd)

    def fsync_folder(self, path: Path) -> None:
        """Make the names in a folder durable."""
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def replace(self, source: Path, target: Path) -> None:
        """Rename over whatever is there."""
        os.replace(source, target)

    def link(self, source: Path, target: Path) -> None:
        """Give a file a second name; an existing name is an error."""
        os.link(source, target)

    def unlink(self, path: Path) -> None:
        """Remove a name."""
        os.unlink(path)

    def mkdir(self, path: Path) -> None:
        """Make one folder that only its owner may enter."""
        os.mkdir(path, 0o700)

    def lock(self, fd: int) -> None:
        """Wait for the exclusive lock."""
        wait(fd, fcntl.LOCK_EX, "the ledger, which another process has locked")

    def share(self, fd: int) -> None:
        """Wait for the shared lock; a read-only descriptor is enough."""
        wait(fd, fcntl.LOCK_SH, "the ledger, which another process has locked")

    def unlock(self, fd: int) -> None:
        """Give the lock up, also for children that inherited the descriptor."""
        fcntl.flock(fd, fcntl.LOCK_UN)

    def give_way(self) -> None:
        """Let another process run first."""
        os.sched_yield()


REAL = Disk()


def make_folders(disk: Disk, folder: Path) -> None:
    """Make a folder and the missing ones above it, the name of each durable."""
    try:
        disk.mkdir(folder)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_folders(disk, folder.parent)
        with suppress(FileExistsError):
            disk.mkdir(folder)
    disk.fsync_folder(folder.parent)


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write every byte at the end, going on after a short write; what failed half-way stays."""
    view = memoryview(data)
    while view:
        done = disk.write(fd, view)
        if not done:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        view = view[done:]
