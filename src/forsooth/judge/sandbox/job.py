"""What is run in a sandbox and what came of it: the words all tiers share.

Values and one protocol; nothing here starts a process or looks at the machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from forsooth.core.policy import Tier

Mode = Literal["ro", "rw", "overlay", "tmpfs", "file"]
Network = Literal["none", "loopback", "host"]
Profile = Literal["default", "browser"]
End = Literal["exit", "timeout", "memory", "output", "error"]
Stream = Literal["stdout", "stderr"]
Progress = Callable[[Stream, bytes], None]

MIB = 1 << 20
GIB = 1 << 30


class Mount(NamedTuple):
    """One place of the sandbox: `overlay` shows a folder whose changes vanish with the run,
    `file` is one file that may only be read, `tmpfs` an empty folder that has no source.

    The source is reached through no link. Where judged code, or an installer, could write around
    it, `root` is the folder of ours that it must lie below.
    """

    source: Path | None
    target: str
    mode: Mode = "ro"
    root: Path | None = None


def _memory_of_machine() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 8 * GIB


MEMORY = max(GIB, _memory_of_machine() // 2)
SCRATCH = min(4 * GIB, max(256 * MIB, MEMORY // 4))


class Limits(NamedTuple):
    """What one run may use: seconds of wall clock, bytes of memory, of output and of scratch.

    Memory is half of the machine's unless said otherwise. Scratch is the size of each empty folder
    of a run, which lies in memory, and the most it may add to folders of the judge on disk.
    """

    seconds: float = 600.0
    memory: int | None = MEMORY
    output: int = 16 * MIB
    processes: int = 4096
    disk: int = SCRATCH


class Job(NamedTuple):
    """One command, the places it sees, and what it may use.

    `before` are run first, inside, one after another: services that stay behind end with the run.
    `network` "host" is for fetching dependencies alone, never for judged code. `watched` are files
    of its first overlay, by their paths below it: whether it wrote them is told.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = {}
    mounts: tuple[Mount, ...] = ()
    limits: Limits = Limits()
    network: Network = "loopback"
    profile: Profile = "default"
    before: tuple[tuple[str, ...], ...] = ()
    watched: tuple[str, ...] = ()


class Done(NamedTuple):
    """How a run ended. `error` means the command was never properly run, and `why` says so.

    A command that a signal ended has the signal and, as a shell would say it, 128 more as `exit`.
    `written` are the watched files that were written; none where that cannot be known.
    """

    exit: int | None
    signal: int | None
    ended: End
    stdout: bytes
    stderr: bytes
    took: float
    peak: int | None
    why: str = ""
    written: tuple[str, ...] | None = None


class Lack(NamedTuple):
    """A tier that this machine does not have, why, and what would give it."""

    tier: Tier
    why: str
    fix: str


class Sandbox(Protocol):
    """One way of running judged code.

    `overlays` is false where an overlay has to be a copy; `lacks` are the better tiers that are
    missing here.
    """

    tier: Tier
    overlays: bool
    lacks: tuple[Lack, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """The facts about it that a verdict records."""
        ...

    def run(self, job: Job, *, progress: Progress | None = None) -> Done: ...
