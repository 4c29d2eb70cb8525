"""What a tree of processes uses, read from /proc; for machines that give us no cgroup.

Address space says nothing about use (a JavaScript runtime reserves many gigabytes), so resident
pages are counted, and shared ones only once when the sum looks too big.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
_THREADS, _RESIDENT = 17, 21  # places in /proc/PID/stat, counted after the name


class Load(NamedTuple):
    """Processes and threads, and resident bytes."""

    tasks: int
    memory: int


def load(root: int) -> Load:
    """What a process and all that descend from it use now; shared pages count more than once."""
    page = os.sysconf("SC_PAGE_SIZE")
    tasks = pages = 0
    for pid in tree(root):
        fields = _text(PROC / str(pid) / "stat").rpartition(")")[2].split()
        if len(fields) > _RESIDENT:
            tasks += int(fields[_THREADS])
            pages += int(fields[_RESIDENT])
    return Load(tasks, pages * page)


def proportional(root: int) -> int:
    """The same memory with each shared page split among those that share it; slower."""
    return sum(_share(PROC / str(pid)) for pid in tree(root))


def tree(root: int) -> list[int]:
    """A process and all that descend from it."""
    found = [root]
    for pid in found:
        found += _children(pid)
    return found


def _children(pid: int) -> Iterable[int]:
    for task in _listed(PROC / str(pid) / "task"):
        yield from map(int, _text(task / "children").split())


def _share(folder: Path) -> int:
    for line in _text(folder / "smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _text(path: Path) -> str:
    """A file of /proc; empty when its process is gone."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
