"""A disk in memory that fails like a real one: a page cache, a platter, names, locks, processes.

What is written is visible at once and durable after fsync. A crash keeps any prefix of what was not
synced, cut at any byte. An fsync that fails drops the unsynced pages: they stay visible until the
crash and never reach the platter. It does not model blocks written out of order within a file.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Literal

from forsooth.ledger.disk import Disk

Fault = Literal["EIO", "ENOSPC", "EINTR", "short", "kill", "crash", "kill-inside", "crash-inside"]
ERRORS = ("EIO", "ENOSPC", "EINTR")


class Killed(BaseException):
    """The process making the call is gone."""


class Crashed(BaseException):
    """The machine is gone."""


class Blocked(BaseException):
    """The call waits for a lock that somebody holds; the process gives up here."""


class File:
    """One inode: what processes see, what the platter has, and what lies between."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.cache = bytearray()
        self.platter = bytearray()
        self.unsynced: list[tuple[int, bytes | None]] = []
        self.dropped: int | None = None
        self.exclusive: int | None = None
        self.shared: set[int] = set()

    def write(self, offset: int, data: bytes) -> None:
        self.cache[offset : offset + len(data)] = data
        self.unsynced.append((offset, data))

    def truncate(self, size: int) -> None:
        del self.cache[size:]
        self.unsynced.append((size, None))
        if self.dropped is not None and self.dropped >= size:
            self.dropped = None

    def flush(self, count: int, *, cut: int | None = None) -> None:
        """Bring the first so many changes to the platter, the last of them cut short."""
        for index, (offset, data) in enumerate(self.unsynced[:count]):
            if data is None:
                del self.platter[offset:]
                continue
            kept = data if cut is None or index < count - 1 else data[:cut]
            self.platter.extend(bytes(max(0, offset - len(self.platter))))
            self.platter[offset : offset + len(kept)] = kept
        del self.unsynced[:count]

    def lose(self) -> None:
        """Drop what is unsynced from its way to the platter, leaving it in view."""
        written = [offset for offset, data in self.unsynced if data]
        if written and min(written) < len(self.cache):
            self.dropped = min(written) if self.dropped is None else min(self.dropped, *written)
        self.unsynced.clear()


class Handle:
    """An open descriptor."""

    def __init__(self, file: File, owner: Process, *, flags: int) -> None:
        self.file, self.owner, self.flags, self.at = file, owner, flags, 0


class Machine:
    """Files, names and locks, shared by all processes on it."""

    def __init__(self, rng: Random | None = None) -> None:
        self.rng = rng or Random(0)  # a fixed seed keeps every run the same
        self.names: dict[Path, File] = {}
        self.durable_names: dict[Path, File] = {}
        self.renames: list[dict[Path, File | None]] = []
        self.folders = {Path("/")}
        self.handles: dict[int, Handle] = {}
        self.counter = 100
        self.is_down = False

    def number(self) -> int:
        self.counter += 1
        return self.counter

    def rename(self, change: dict[Path, File | None]) -> None:
        self.renames.append(change)
        _apply(self.names, change)

    def end(self, process: Process) -> None:
        """Do what the kernel does for a process that is gone."""
        for fd in [fd for fd, handle in self.handles.items() if handle.owner is process]:
            self.release(fd)
            del self.handles[fd]

    def release(self, fd: int) -> None:
        file = self.handles[fd].file
        file.shared.discard(fd)
        if file.exclusive == fd:
            file.exclusive = None

    def restart(self) -> None:
        """Lose power: only the platter is left, and some prefix of what was under way."""
        for change in self.renames[: self.rng.randint(0, len(self.renames))]:
            _apply(self.durable_names, change)
        self.names, self.renames = dict(self.durable_names), []
        self.handles.clear()
        self.is_down = False
        for file in self.names.values():
            count = self.rng.randint(0, len(file.unsynced))
            length = len((file.unsynced[count - 1][1] or b"") if count else b"")
            file.flush(count, cut=self.rng.randint(0, length))
            file.unsynced.clear()
            file.cache = bytearray(file.platter)
            file.exclusive, file.dropped = None, None
            file.shared.clear()


def _apply(names: dict[Path, File], change: dict[Path, File | None]) -> None:
    for path, file in change.items():
        if file is None:
            names.pop(path, None)
        else:
            names[path] = file


def nothing(process: Process, call: str) -> Fault | None:
    """A disk without faults."""


class Process(Disk):
    """The disk as one process has it; `trouble` decides what goes wrong with each call."""

    def __init__(
        self, machine: Machine, trouble: Callable[[Process, str], Fault | None] = nothing
    ) -> None:
        self.machine, self.trouble = machine, trouble
        self.is_gone = False

    def step(self, call: str) -> Fault | None:
        if self.machine.is_down:
            raise Crashed
        if self.is_gone:
            raise Killed
        fault = self.trouble(self, call)
        if fault in ERRORS:
            raise OSError(getattr(errno, fault), os.strerror(getattr(errno, fault)))
        if fault in ("kill", "crash"):
            self.go(fault)
        return fault

    def go(self, fault: Fault) -> None:
        self.machine.is_down = fault.startswith("crash")
        self.is_gone = True
        raise Crashed if self.machine.is_down else Killed

    def handle(self, fd: int) -> Handle:
        if fd not in self.machine.handles:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self.machine.handles[fd]

    def open(self, path: Path, flags: int) -> int:
        self.step("open")
        file = self.machine.names.get(path)
        if path.parent not in self.machine.folders or (file is None and not flags & os.O_CREAT):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if file is None:
            file = File(self.machine.number())
            self.machine.rename({path: file})
        elif flags & os.O_EXCL:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        if flags & os.O_TRUNC:
            file.truncate(0)
        fd = self.machine.number()
        self.machine.handles[fd] = Handle(file, self, flags=flags)
        return fd

    def close(self, fd: int) -> None:
        try:
            self.step("close")
        finally:
            self.machine.release(fd)
            del self.machine.handles[fd]

    def stat(self, where: int | Path) -> os.stat_result:
        self.step("stat")
        file = self.handle(where).file if isinstance(where, int) else self._named(where)
        return os.stat_result((0o100600, file.number, 1, 1, 0, 0, len(file.cache), 0, 0, 0))

    def _named(self, path: Path) -> File:
        if path not in self.machine.names:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return self.machine.names[path]

    def read(self, path: Path) -> bytes:
        self.step("read")
        return bytes(self._named(path).cache)

    def pread(self, fd: int, count: int, offset: int) -> bytes:
        fault = self.step("pread")
        data = bytes(self.handle(fd).file.cache[offset : offset + count])
        return data[: (len(data) + 1) // 2] if fault == "short" else data

    def write(self, fd: int, data: bytes | memoryview) -> int:
        handle = self.handle(fd)
        at = len(handle.file.cache) if handle.flags & os.O_APPEND else handle.at
        done = self.pwrite(fd, bytes(data), at, call="write")
        handle.at = at + done
        return done

    def pwrite(self, fd: int, data: bytes, offset: int, *, call: str = "pwrite") -> int:
        fault = self.step(call)
        file = self.handle(fd).file
        if fault in ("short", "kill-inside", "crash-inside"):
            data = data[: self.machine.rng.randint(0 if fault != "short" else 1, len(data))]
        # Bytes from another's append may have moved the end meanwhile: an appender follows it.
        offset = len(file.cache) if self.handle(fd).flags & os.O_APPEND else offset
        file.write(offset, data)
        if fault in ("kill-inside", "crash-inside"):
            self.go(fault)
        return len(data)

    def truncate(self, fd: int, size: int) -> None:
        self.step("truncate")
        self.handle(fd).file.truncate(size)

    def fsync(self, fd: int) -> None:
        file = self.handle(fd).file
        try:
            self.step("fsync")
        except OSError:
            file.flush(self.machine.rng.randint(0, len(file.unsynced)))
            file.lose()
            raise
        file.flush(len(file.unsynced))

    def fsync_folder(self, path: Path) -> None:
        self.step("fsync_folder")
        for change in self.machine.renames:
            _apply(self.machine.durable_names, change)
        self.machine.renames.clear()

    def replace(self, source: Path, target: Path) -> None:
        self.step("replace")
        self.machine.rename({target: self._named(source), source: None})

    def link(self, source: Path, target: Path) -> None:
        self.step("link")
        if target in self.machine.names:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        self.machine.rename({target: self._named(source)})

    def unlink(self, path: Path) -> None:
        self.step("unlink")
        self._named(path)
        self.machine.rename({path: None})

    def mkdir(self, path: Path) -> None:
        self.step("mkdir")
        if path in self.machine.folders:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        if path.parent not in self.machine.folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self.machine.folders.add(path)

    def lock(self, fd: int) -> None:
        self.step("lock")
        file = self.handle(fd).file
        if file.exclusive not in (None, fd) or file.shared - {fd}:
            raise Blocked
        file.shared.discard(fd)
        file.exclusive = fd

    def share(self, fd: int) -> None:
        self.step("share")
        file = self.handle(fd).file
        if file.exclusive not in (None, fd):
            raise Blocked
        file.exclusive = None
        file.shared.add(fd)

    def unlock(self, fd: int) -> None:
        self.step("unlock")
        self.machine.release(fd)

    def give_way(self) -> None:
        pass
