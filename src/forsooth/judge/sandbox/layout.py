"""Where a job's places are when nothing can be mounted: the lesser tiers' stand-in for mounts.

An overlay becomes a throwaway copy, a place inside another a link or a copied file, and every
mention of a place in the command and its environment is rewritten. Kept folders are never written.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from forsooth.git.folder import Stamp, stamp
from forsooth.judge.sandbox.job import Job, Mount
from forsooth.judge.sandbox.mounts import MountGate
from forsooth.judge.sandbox.root import environment

Nodes = dict[str, tuple[int, int]]


class Placed(NamedTuple):
    """A job rewritten for the machine's own paths, and what it may read and write.

    `copy` stands for the job's first overlay, where it has one. `nodes` are device and inode of
    each source, by its path: what lies there later must be the same.
    """

    job: Job
    read: tuple[str, ...]
    write: tuple[str, ...]
    copy: Path | None = None
    nodes: Mapping[str, tuple[int, int]] = {}

    def stamps(self) -> dict[str, Stamp | None]:
        """The stamps of the watched files as they are now.

        A file that was written and put back has another one; one whose folder was moved away and
        back has not, and is missed.
        """
        at = self.copy
        return {path: _stamped(at / path) for path in self.job.watched} if at else {}


def placed(job: Job, scratch: Path, *, uid: int, gate: MountGate) -> Placed:
    """Lay out a job's places under a scratch folder that is removed after the run.

    1. A home and a temporary folder of its own.
    2. Each mount in order: where its target really is.
    3. The command, its folder and its environment, with targets replaced, longest first.
    """
    home, tmp = scratch / "home", scratch / "tmp"
    home.mkdir()
    tmp.mkdir()
    where: dict[str, Path] = {}
    read: list[str] = []
    write = [str(home), str(tmp)]
    nodes: Nodes = {}
    for index, mount in enumerate(job.mounts):
        real = _real(mount, scratch / str(index), gate=gate, nodes=nodes)
        (read if mount.mode in ("ro", "file") else write).append(str(real))
        inside = _inside(mount.target, where)
        if inside is not None:
            _put(real, inside)
        where[str(PurePosixPath(mount.target))] = real
    own = {"HOME": str(home), "TMPDIR": str(tmp)}
    env = environment(uid) | own | dict(job.env)
    moved = job._replace(
        argv=tuple(_moved(word, where) for word in job.argv),
        before=tuple(tuple(_moved(word, where) for word in argv) for argv in job.before),
        cwd=_moved(job.cwd, where),
        env={name: _moved(value, where) for name, value in env.items()},
    )
    copies = (where[str(PurePosixPath(m.target))] for m in job.mounts if m.mode == "overlay")
    return Placed(moved, tuple(read), tuple(write), next(copies, None), nodes)


def _stamped(path: Path) -> Stamp | None:
    try:
        return stamp(path.lstat())
    except OSError:
        return None


def _real(
    mount: Mount, folder: Path, *, gate: MountGate, nodes: dict[str, tuple[int, int]]
) -> Path:
    """The folder or file that stands for a mount."""
    if mount.mode == "tmpfs" or mount.source is None:
        folder.mkdir()
        return folder
    source = gate.open(mount)
    if mount.mode == "overlay":
        here = Path(f"/proc/self/fd/{source}")
        shutil.copytree(here if here.exists() else mount.source, folder, symlinks=True)
        return folder
    seen = os.fstat(source)
    nodes[str(mount.source)] = (seen.st_dev, seen.st_ino)
    return mount.source


def _inside(target: str, where: dict[str, Path]) -> Path | None:
    """The path a place has inside an earlier one that holds it."""
    for outer in sorted(where, key=len, reverse=True):
        if PurePosixPath(target).is_relative_to(outer) and target != outer:
            return where[outer] / PurePosixPath(target).relative_to(outer)
    return None


def _put(real: Path, path: Path) -> None:
    """Make a place appear inside a throwaway tree, instead of what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
    if real.is_dir():
        path.symlink_to(real)
    else:
        shutil.copy2(real, path)


def _moved(text: str, where: dict[str, Path]) -> str:
    """A text with each target replaced where it stands as a whole path or the start of one."""
    if not where:
        return text
    targets = "|".join(re.escape(target) for target in sorted(where, key=len, reverse=True))
    whole = re.compile(rf"(?<![\w.-])({targets})(?![\w.-])")
    return whole.sub(lambda found: str(where[found[1]]), text)
