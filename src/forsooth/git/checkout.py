"""A clean copy of a tree: files as stored, written by us, moved by what differs.

No filter runs and no line ending is changed. Large files come from their local store, submodules
from their own objects. What is written was checked against its name first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from forsooth.errors import UsageError
from forsooth.git import paths
from forsooth.git.folder import discard, empty, opened, stamp, unlock
from forsooth.git.move import Move
from forsooth.git.record import Record, forget, load, save
from forsooth.git.repository import Repository


def checkout(repo: Repository, tree: str, into: Path, *, before: str | None = None) -> None:
    """Make a folder hold exactly a tree.

    With `before`, a checkout we kept is moved by what differs; when its record does not say that it
    is whole and at that tree, it is emptied and made anew. Without, the folder must be empty.
    """
    record = load(into) if before else None
    if record is None or record.tree != before:
        _prepare(into, is_ours=before is not None)
        record = Record(into)
    forget(into)
    with opened(into) as folder:
        Move(folder, record).repository(repo, record.tree or None, tree)
    record.tree = tree
    save(into, record)


def clean(repo: Repository, into: Path) -> bool:
    """Bring a kept checkout back to its tree after a run in it; false when it must be made anew.

    1. Whatever the tree does not have is removed, compiled leftovers and a dressing included.
    2. A file that was touched, or is gone, is written again.
    """
    record = load(into)
    if record is None:
        return False
    forget(into)
    unlock(into)
    untouched = set(_untouched(into, record))
    with opened(into) as folder:
        Move(folder, record).rewrite(repo, record.files - untouched)
        for path in record.submodules:
            if not (into / path).is_dir():
                folder.make(path)
    save(into, record)
    return True


def _prepare(into: Path, *, is_ours: bool) -> None:
    if into.is_symlink():
        raise paths.unsafe(str(into))
    into.mkdir(parents=True, exist_ok=True)
    if is_ours:
        empty(into)
    elif any(into.iterdir()):
        raise UsageError(f"{into} is not empty", code="not-empty")


def _untouched(into: Path, record: Record) -> Iterator[str]:
    """Files that are as they were written; what does not belong is removed on the way."""
    root, files, left = os.fsencode(into), record.files, [""]
    folders = _folders({*files, *record.submodules}) | record.submodules.keys()
    while left:
        prefix = left.pop()
        with os.scandir(os.path.join(root, paths.raw(prefix))) as listed:  # noqa: PTH118
            found = list(listed)
        for entry in found:
            path = prefix + paths.text(entry.name)
            if entry.is_dir(follow_symlinks=False) and path in folders:
                unlock(entry)
                left.append(f"{path}/")
            elif path not in files or entry.is_dir(follow_symlinks=False):
                discard(entry)
            elif stamp(entry.stat(follow_symlinks=False)) == record.row(path).stamp:
                yield path


def _folders(listed: Iterable[str]) -> set[str]:
    """Every folder that paths are in."""
    known: set[str] = set()
    for path in listed:
        above = path.rpartition("/")[0]
        while above and above not in known:
            known.add(above)
            above = above.rpartition("/")[0]
    return known
