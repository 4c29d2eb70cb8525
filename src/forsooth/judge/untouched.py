"""Whether a held checkout is its tree: every byte read once, then by the stamp of every file.

What is known is kept in memory alone, for whoever can edit a checkout can edit a record beside it.
It writes nothing; what does not hold is for the pool to make anew, or to refuse.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from forsooth.git import lfs, paths
from forsooth.git.folder import Stamp, stamp
from forsooth.git.objects import blob
from forsooth.git.repository import Repository
from forsooth.git.submodules import submodule, submodule_tree
from forsooth.git.trees import LINK, Entry, listing

TICK = 20_000_000  # ns; a file this close to the newest may change and keep its stamp
SHA256_LENGTH = 64
_OWN = ".git/"
_CHUNK = 1 << 20


_Files = dict[str, tuple[Repository, Entry]]


class _Wanted(NamedTuple):
    files: _Files
    folders: set[str]


class Watch:
    """One checkout, and what this process has read in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamps: dict[str, Stamp] | None = None
        self._files: _Files = {}
        self._young: _Files = {}

    def is_untouched(self) -> bool:
        """Whether nothing below the folder changed since it was read.

        A change within a tick of the last one leaves the stamp as it was: those files are read.
        """
        return _walked(self._folder) == self._stamps and self._are(self._young)

    def holds(self, repo: Repository, tree: str, *, dressed: bool) -> bool:
        """Whether the folder is exactly a tree; a dressed one's `.git` is taken as it is found.

        1. Note every stamp before any content is read.
        2. Nothing is there that the tree does not have, and nothing is missing.
        3. Read what was not read before, or was touched since.
        """
        wanted, stamps = _wanted(repo, tree), _walked(self._folder)  # 1
        before, read = self._stamps or {}, self._files
        self._stamps, self._files = None, {}
        there = {path for path in stamps if not (dressed and path.startswith(_OWN))}
        if there != wanted.files.keys() | wanted.folders:  # 2
            return False
        newest = max((row.changed for row in stamps.values()), default=0)
        self._young = {
            path: row for path, row in wanted.files.items() if stamps[path].changed > newest - TICK
        }
        left = {
            path: row
            for path, row in wanted.files.items()
            if read.get(path) != row or before.get(path) != stamps[path] or path in self._young
        }
        if not self._are(left):  # 3
            return False
        self._stamps, self._files = stamps, wanted.files
        return True

    def _are(self, files: _Files) -> bool:
        return all(
            _is(self._folder, path, owner=owner, row=row) for path, (owner, row) in files.items()
        )


def _walked(folder: Path) -> dict[str, Stamp]:
    """The stamp of everything below a folder; a folder's name ends with a slash."""
    root, left, found = os.fsencode(folder), [""], dict[str, Stamp]()
    while left:
        prefix = left.pop()
        try:
            with os.scandir(os.path.join(root, paths.raw(prefix))) as listed:  # noqa: PTH118
                for entry in listed:
                    path = prefix + paths.text(entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        path += "/"
                        left.append(path)
                    found[path] = stamp(entry.stat(follow_symlinks=False))
        except OSError:
            found[prefix] = Stamp(-1, 0, 0, 0)
    return found


def _wanted(repo: Repository, tree: str) -> _Wanted:
    files = {path: (owner, row) for path, owner, row in _rows(repo, tree, "")}
    folders: set[str] = set()
    for path, (_, row) in files.items():
        above = path if row.kind == "submodule" else path.rpartition("/")[0]
        while above and f"{above}/" not in folders:
            folders.add(f"{above}/")
            above = above.rpartition("/")[0]
    kept = {path: found for path, found in files.items() if found[1].kind != "submodule"}
    return _Wanted(kept, folders)


def _rows(repo: Repository, tree: str, prefix: str) -> Iterator[tuple[str, Repository, Entry]]:
    """Every file of a tree and of the submodules somebody initialised."""
    for row in listing(repo, tree):
        path = prefix + row.path
        yield path, repo, row
        found = submodule(repo, row.path) if row.kind == "submodule" else None
        if found:
            yield from _rows(found, submodule_tree(found, row.id, row.path), f"{path}/")


def _is(folder: Path, path: str, *, owner: Repository, row: Entry) -> bool:
    """Whether a file has the type and the content of its row."""
    place = folder / path
    try:
        mode = place.lstat().st_mode
        if row.mode == LINK:
            target = _target(place) if stat.S_ISLNK(mode) else b""
            return _name(row.id, len(target), [target]) == row.id
        if not stat.S_ISREG(mode) or bool(mode & stat.S_IXUSR) != (row.mode == "100755"):
            return False
        size = place.stat().st_size
        return _name(row.id, size, _parts(place)) == row.id or _is_large(place, owner, row.id)
    except OSError:
        return False


def _target(place: Path) -> bytes:
    """A link's own words; a `Path` made of them would leave out `./` and a slash at the end."""
    return os.readlink(os.fsencode(place))  # noqa: PTH115


def _name(like: str, size: int, parts: Iterable[bytes]) -> str:
    """The name git has for content, by the same digest as another name."""
    start = b"blob %d\0" % size
    hashed = hashlib.sha256(start) if len(like) == SHA256_LENGTH else hashlib.sha1(start)  # noqa: S324
    for part in parts:
        hashed.update(part)
    return hashed.hexdigest()


def _is_large(place: Path, owner: Repository, id_: str) -> bool:
    """Whether a file is what a pointer in the tree stands for."""
    found = lfs.pointer(blob(owner, id_))
    hashed = hashlib.sha256()
    for part in _parts(place) if found else ():
        hashed.update(part)
    return found is not None and hashed.hexdigest() == found.oid


def _parts(place: Path) -> Iterator[bytes]:
    with place.open("rb") as file:
        while part := file.read(_CHUNK):
            yield part
