"""Moving a checkout from one tree to another, submodules and large files included.

Every repository in the checkout goes through the same steps, and everything written is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git import lfs
from forsooth.git.folder import Folder, Stamp
from forsooth.git.reader import Reader, reading
from forsooth.git.record import Kept, Module, Record
from forsooth.git.repository import Repository
from forsooth.git.submodules import submodule, submodule_tree
from forsooth.git.trees import LINK, NO_MODE, SUBMODULE, Change, differences, entries

_ATTRIBUTES = ".gitattributes"
MOST_BYTES = 16 << 30  # of one checkout: many names can mean one large object


class _Wanted(NamedTuple):
    path: str
    mode: str
    id: str


class Move:
    """One move of one checkout."""

    def __init__(self, folder: Folder, record: Record) -> None:
        self._folder = folder
        self._record = record
        self._bytes = 0

    def repository(self, repo: Repository, was: str | None, now: str, *, prefix: str = "") -> None:
        """Move one repository of the checkout.

        1. Find what differs. 2. Remove what is gone or changed its type. 3. Write files and links.
        4. Put large files in the place of their pointers. 5. Move the submodules.
        """
        with reading(repo) as reader:
            found = _differences(reader, was, now)
            for change in found:
                if _goes(change):
                    self._remove(prefix + change.path)
            pointers = self._write(reader, _files(found), prefix=prefix)
            pointers |= self._governed_anew(found, prefix)
            self._enlarge(reader, now, pointers, prefix=prefix)
        for path, commit in self._modules(repo, found, prefix).items():
            self._module(repo, path, commit, prefix=prefix)

    def rewrite(self, repo: Repository, spoilt: Iterable[str]) -> None:
        """Write files again, each from the repository it belongs to."""
        owners: dict[str, list[_Wanted]] = {}
        for path in sorted(spoilt):
            kept = self._record.row(path)
            row = _Wanted(path[len(kept.owner) :], kept.mode, kept.id)
            owners.setdefault(kept.owner, []).append(row)
        for owner, rows in owners.items():
            with reading(self._owner(repo, owner)) as reader:
                pointers = self._write(reader, rows, prefix=owner)
                self._enlarge(reader, self._tree(owner), pointers, prefix=owner)

    def _owner(self, repo: Repository, prefix: str) -> Repository:
        """The repository whose files lie below a prefix, found through those above it."""
        if not prefix:
            return repo
        above = self._record.submodules[prefix[:-1]].owner
        owner, path = self._owner(repo, above), prefix[len(above) : -1]
        return submodule(owner, path) or owner

    def _tree(self, prefix: str) -> str:
        return self._record.submodules[prefix[:-1]].tree if prefix else self._record.tree

    def _remove(self, path: str) -> None:
        self._folder.remove(path)
        self._record.drop(path)

    def _write(self, reader: Reader, rows: Iterable[_Wanted], *, prefix: str) -> set[str]:
        """Write files and links; say which of them look like pointers."""
        wanted, pointers = list(rows), set[str]()
        found = reader.each((row.id for row in wanted), "blob")
        for row, blob in zip(wanted, found, strict=True):
            path = prefix + row.path
            self._bytes += len(blob.data)
            if self._bytes > MOST_BYTES:
                says = f"this tree has more than {MOST_BYTES >> 30} GiB of files, the most copied"
                raise CouldNotVerify(says, code="too-large")
            seen = self._put(path, row.mode, [blob.data])
            is_pointer = row.mode != LINK and lfs.pointer(blob.data) is not None
            self._record.put(path, Kept(row.mode, row.id, seen, prefix), is_pointer=is_pointer)
            if is_pointer:
                pointers.add(row.path)
        return pointers

    def _put(self, path: str, mode: str, parts: Iterable[bytes]) -> Stamp:
        if mode == LINK:
            return self._folder.link(path, b"".join(parts))
        return self._folder.write(path, parts, is_executable=mode == "100755")

    def _governed_anew(self, found: Iterable[Change], prefix: str) -> set[str]:
        """Every pointer of a repository, when its attributes may have changed."""
        if not any(change.path.rpartition("/")[2] == _ATTRIBUTES for change in found):
            return set()
        mine = (path for path, owner in self._record.pointers.items() if owner == prefix)
        return {path[len(prefix) :] for path in mine}

    def _enlarge(self, reader: Reader, tree: str, pointers: set[str], *, prefix: str) -> None:
        """Put content in the place of pointers, where the tree's attributes say so."""
        governed = lfs.governed(reader.repo, tree, pointers)
        for path in sorted(pointers):
            kept = self._record.row(prefix + path)
            data = reader.read(kept.id, "blob").data
            found = lfs.pointer(data) if path in governed else None
            parts = lfs.content(reader.repo, found, path) if found else [data]
            seen = self._put(prefix + path, kept.mode, parts)
            self._record.put(prefix + path, kept._replace(stamp=seen), is_pointer=True)

    def _modules(self, repo: Repository, found: Iterable[Change], prefix: str) -> dict[str, str]:
        """Submodules to move: those that changed, and those that somebody initialised since."""
        moved = {c.path: c.new_id for c in found if c.new_mode == SUBMODULE}
        for path, known in self._record.submodules.items():
            name = path[len(prefix) :]
            if known.owner == prefix and not known.tree and submodule(repo, name):
                moved.setdefault(name, known.commit)
        return moved

    def _module(self, repo: Repository, path: str, commit: str, *, prefix: str) -> None:
        """Move one submodule; one that nobody initialised is an empty folder, as git leaves it."""
        whole = prefix + path
        known, found = self._record.submodules.get(whole), submodule(repo, path)
        if not (known and known.tree and found):
            self._record.drop_below(whole)
            self._folder.make(whole)
            known = None
        tree = submodule_tree(found, commit, path) if found else ""
        self._record.submodules[whole] = Module(prefix, commit, tree)
        if found:
            self.repository(found, known.tree if known else None, tree, prefix=f"{whole}/")


def _differences(reader: Reader, was: str | None, now: str) -> tuple[Change, ...]:
    if was:
        return differences(reader, was, now)
    listed = entries(reader, now)
    return tuple(Change(row.path, "A", NO_MODE, row.mode, "", row.id) for row in listed)


def _goes(change: Change) -> bool:
    """Whether what was there has to go first; content is replaced when it is written."""
    was_module, is_module = (mode == SUBMODULE for mode in (change.old_mode, change.new_mode))
    return change.status in "DT" and not (was_module and is_module)


def _files(found: Iterable[Change]) -> list[_Wanted]:
    return [
        _Wanted(change.path, change.new_mode, change.new_id)
        for change in found
        if change.new_mode not in (NO_MODE, SUBMODULE)
    ]
