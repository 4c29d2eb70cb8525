"""A control group for one run, where this account may make one: memory and number of tasks.

An upgrade, never a need: without it a watchdog counts. Nothing above our own group's parent is
touched, and a group that limits us is never left.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple, Self

from forsooth.git.scratch import is_alive
from forsooth.judge.sandbox.job import GIB, Limits

Controller = Literal["memory", "pids"]
CONTROLLERS: tuple[Controller, ...] = ("memory", "pids")
PREFIX = "forsooth-"

# per version: the limit on memory, on memory with swap, the kills, the peak
_V1 = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control")
_V2 = ("memory.max", "memory.swap.max", "memory.events")
_PEAKS = ("memory.peak", "memory.max_usage_in_bytes")
_KILLS = re.compile(r"^oom_kill (\d+)", re.MULTILINE)


class Home(NamedTuple):
    """A folder in which groups for some controllers can be made."""

    folder: Path
    controllers: tuple[Controller, ...]
    unified: bool


class Group(NamedTuple):
    """The folders of one run; a process joins by writing its id into each of `joins`."""

    folders: tuple[Path, ...]
    controls: tuple[Controller, ...]

    @classmethod
    def make(cls, homes: tuple[Home, ...], limits: Limits) -> Self | None:
        """A new group with these limits; none when no home takes it."""
        folders: list[Path] = []
        controls: list[Controller] = []
        for home in homes:
            try:
                own = f"{PREFIX}{os.getpid()}-"
                folder = Path(tempfile.mkdtemp(prefix=own, dir=home.folder))
            except OSError:
                continue
            folders.append(folder)
            for one in home.controllers:
                if _limit(folder, one, limits, home):
                    controls.append(one)  # noqa: PERF401 — keeps the narrow type
        return cls(tuple(folders), tuple(controls)) if folders else None

    @property
    def joins(self) -> tuple[str, ...]:
        return tuple(str(folder / "cgroup.procs") for folder in self.folders)

    def overran(self) -> bool:
        """Whether the kernel killed something in it for want of memory."""
        texts = [_text(folder / name) for folder in self.folders for name in (_V1[2], _V2[2])]
        return any(int(kills) > 0 for text in texts for kills in _KILLS.findall(text))

    def peak(self) -> int | None:
        found = [_text(folder / name).strip() for folder in self.folders for name in _PEAKS]
        numbers = [int(text) for text in found if text.isdigit()]
        return max(numbers, default=None)

    def close(self) -> None:
        """Remove the folders; one that is still in use stays, empty of our processes."""
        for folder in self.folders:
            try:
                folder.rmdir()
            except OSError:
                continue


def sweep(homes: tuple[Home, ...]) -> None:
    """End what runs of dead processes left in their groups, which ends its mounts, and the groups.

    A group is named for the process that made it; a number that was given out again is left alone.
    """
    for folder in {path for home in homes for path in home.folder.glob(f"{PREFIX}*-*")}:
        maker = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not maker.isdecimal() or is_alive(int(maker)):
            continue
        for process in _text(folder / "cgroup.procs").split():
            with suppress(OSError):
                os.kill(int(process), signal.SIGKILL)
        with suppress(OSError):
            folder.rmdir()


def in_force(homes: tuple[Home, ...], limits: Limits) -> str:
    """Which limits a run has here and who keeps them, found by making a group as a run does."""
    group = Group.make(homes, limits)
    kept = group.controls if group else ()
    if group:
        group.close()
    memory = f"{(limits.memory or 0) / GIB:.1f} GiB of memory"
    by = {one: "control group" if one in kept else "watchdog" for one in CONTROLLERS}
    return (
        f"limits: {memory} ({by['memory']}), {limits.processes} processes ({by['pids']}), "
        f"{limits.disk / GIB:.1f} GiB in each scratch folder"
    )


def homes(proc: Path = Path("/proc/self")) -> tuple[Home, ...]:
    """Where this process may make groups: beside or below its own, for each controller once."""
    mounts = _mounts(_text(proc / "mountinfo"))
    found: list[Home] = []
    for line in _text(proc / "cgroup").splitlines():
        _, names, path = line.split(":", 2)
        for kinds, folder, root in mounts:
            if (names in kinds.split(",")) if names else kinds == "cgroup2":
                own = folder / path.removeprefix(root.rstrip("/")).lstrip("/")
                found += _unified(own, folder) if not names else _single(own, names)
    return tuple(_first([home for home in found if os.access(home.folder, os.W_OK)]))


def _first(found: list[Home]) -> list[Home]:
    """Each controller from the first home that has it."""
    left = set(CONTROLLERS)
    kept: list[Home] = []
    for home in found:
        mine = tuple(one for one in home.controllers if one in left)
        left -= set(mine)
        if mine:
            kept.append(home._replace(controllers=mine))
    return kept


def _mounts(mountinfo: str) -> list[tuple[str, Path, str]]:
    """Each mounted hierarchy: its controllers or `cgroup2`, where it is, and what part of it."""
    found: list[tuple[str, Path, str]] = []
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        fields, kind = left.split(), right.split()
        if kind[0] == "cgroup":
            found.append((kind[2], Path(fields[4]), fields[3]))
        elif kind[0] == "cgroup2":
            found.append(("cgroup2", Path(fields[4]), fields[3]))
    return found


def _single(own: Path, name: str) -> list[Home]:
    return [Home(own, (one,), unified=False) for one in CONTROLLERS if one == name]


def _unified(own: Path, top: Path) -> list[Home]:
    """Below our own group when it can have children with limits, else beside it.

    A group that limits us is not left: what we start must stay under that limit.
    """
    limited = [_text(own / name).strip() not in ("", "max") for name in ("memory.max", "pids.max")]
    places = [own] if own == top or any(limited) else [own, own.parent]
    for place in places:
        given = _text(place / "cgroup.subtree_control").split()
        mine: tuple[Controller, ...] = tuple(one for one in CONTROLLERS if one in given)
        if mine:
            return [Home(place, mine, unified=True)]
    return []


def _limit(folder: Path, controller: Controller, limits: Limits, home: Home) -> bool:
    """Set one limit; false when the kernel refuses, and then somebody else must watch."""
    if controller == "pids":
        return _write(folder / "pids.max", str(limits.processes))
    if limits.memory is None:
        return True
    names = _V2 if home.unified else _V1
    if not _write(folder / names[0], str(limits.memory)):
        return False
    _write(folder / names[1], "0" if home.unified else str(limits.memory))
    return True


def _write(path: Path, text: str) -> bool:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError:
        return False
    return True


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
