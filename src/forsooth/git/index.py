"""Indexes: the user's, read from a copy, and the one we write for a dressed copy.

The user's says which paths are tracked and which a sparse checkout leaves out. The file itself is
never locked or written, so a locked or a missing one is no obstacle.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git import paths
from forsooth.git.folder import Stamp
from forsooth.git.repository import Repository
from forsooth.git.run import asked, run

_ASSUMED = 0x8000  # git: do not look at this file
_LONGEST = 0xFFF
_NANO = 1_000_000_000
_SHORT = 40


class Row(NamedTuple):
    """One entry of an index that we write."""

    path: str
    mode: str
    id: str
    stamp: Stamp
    is_assumed: bool


def borrow(repo: Repository, git_dir: Path, tree: str | None) -> dict[str, str]:
    """Copy the index into a git dir of ours; without one, what HEAD holds is tracked.

    Returns each path with git's flag, its mode, id and stage. The copy keeps its times: by them git
    knows which files may have changed unseen.
    """
    for path in [repo.git_dir / "index", *repo.git_dir.glob("sharedindex.*")]:
        if path.is_file():
            shutil.copy2(path, git_dir / path.name)
    if not (git_dir / "index").exists() and tree:
        asked(git_dir, "read-tree", tree)
    listed = run(git_dir, "ls-files", "-z", "-v", "--stage")
    if listed.returncode:
        says = "the index of this work tree cannot be read"
        raise CouldNotVerify(says, hint="git reset", code="bad-index")
    lines = paths.text(listed.stdout).split("\0")[:-1]
    return {path: head for head, _, path in (line.partition("\t") for line in lines)}


def flag(git_dir: Path, option: str, listed: Iterable[str], *, env: Mapping[str, str]) -> None:
    """Change one bit of some entries of the copy."""
    _rewrite(git_dir, option, "-z", "--stdin", given=nul(listed), env=env)


def inform(git_dir: Path, lines: Iterable[str]) -> None:
    """Put entries into the copy, or take them out, without looking at files."""
    _rewrite(git_dir, "-z", "--index-info", given=nul(lines))


def _rewrite(
    git_dir: Path, *options: str, given: bytes, env: Mapping[str, str] | None = None
) -> None:
    """Change entries and leave the copy as old as it was.

    A younger one would vouch for files of the others that changed unseen: git looks at those when
    it writes an index, but not from outside the work tree.
    """
    if not given:
        return
    path = git_dir / "index"
    before = path.stat() if path.exists() else None
    asked(git_dir, "update-index", *options, given=given, env=env)
    if before:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def nul(listed: Iterable[str]) -> bytes:
    """Paths the way git reads them."""
    return paths.raw("".join(f"{path}\0" for path in listed))


def is_sparse(repo: Repository) -> bool:
    """Whether a sparse checkout was ever set up in this work tree."""
    return (repo.git_dir / "info" / "sparse-checkout").is_file()


def written(rows: Iterable[Row]) -> bytes:
    """An index, version 2, that believes each file to be as its stamp says."""
    listed = sorted(rows, key=lambda row: paths.raw(row.path))
    body = struct.pack(">4sII", b"DIRC", 2, len(listed)) + b"".join(map(_entry, listed))
    is_long = any(len(row.id) > _SHORT for row in listed)
    hashed = hashlib.sha256 if is_long else hashlib.sha1
    return body + hashed(body, usedforsecurity=False).digest()


def _entry(row: Row) -> bytes:
    raw, size = paths.raw(row.path), row.stamp.size & 0xFFFFFFFF
    modified, changed = divmod(row.stamp.modified, _NANO), divmod(row.stamp.changed, _NANO)
    times = [part & 0xFFFFFFFF for part in (*changed, *modified)]
    head = struct.pack(">10I", *times, 0, 0, int(row.mode, 8), 0, 0, size) + bytes.fromhex(row.id)
    flags = min(len(raw), _LONGEST) | (_ASSUMED if row.is_assumed else 0)
    entry = head + struct.pack(">H", flags) + raw
    return entry + b"\0" * (8 - len(entry) % 8)
