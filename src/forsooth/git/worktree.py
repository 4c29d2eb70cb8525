"""What lies in a work tree, seen without following a link and without opening a file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from forsooth.git import paths
from forsooth.git.folder import Stamp, stamp


class Seen(NamedTuple):
    """A file or a link as it lay there."""

    mode: int
    stamp: Stamp

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def git_mode(self) -> str:
        """The mode git gives to a file like this."""
        return "100755" if self.mode & stat.S_IXUSR else "100644"


class Look(NamedTuple):
    """Which of the paths asked for are files or links, and which are folders."""

    files: dict[str, Seen]
    folders: frozenset[str]


def look(root: Path, names: Iterable[str]) -> Look:
    """Look once at each path; what lies behind a linked folder is not there."""
    top, files, folders = os.fsencode(root) + b"/", dict[str, Seen](), set[str]()
    known = {b"": True}
    for name in names:
        raw = paths.raw(name)
        if not _is_folder(top, raw.rpartition(b"/")[0], known):
            continue
        found = _lstat(top + raw)
        if found and (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
            files[name] = Seen(found.st_mode, stamp(found))
        elif found and stat.S_ISDIR(found.st_mode):
            folders.add(name)
    return Look(files, frozenset(folders))


def unreachable(root: Path, names: Iterable[str]) -> set[str]:
    """Paths whose folder is not there, or is a link to somewhere else."""
    top, known, above = os.fsencode(root) + b"/", {b"": True}, dict[str, list[str]]()
    for name in names:
        above.setdefault(name.rpartition("/")[0], []).append(name)
    lost = (
        below for folder, below in above.items() if not _is_folder(top, paths.raw(folder), known)
    )
    return {name for below in lost for name in below}


def _is_folder(top: bytes, path: bytes, known: dict[bytes, bool]) -> bool:
    if path not in known:
        found = _lstat(top + path) if _is_folder(top, path.rpartition(b"/")[0], known) else None
        known[path] = bool(found and stat.S_ISDIR(found.st_mode))
    return known[path]


def _lstat(path: bytes) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None
