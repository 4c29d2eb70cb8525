"""A tree that differs from another by some files, written to our own store.

Only the folders on the way to an edit are written; nothing of the repository's own is touched.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git import paths
from forsooth.git.reader import Kind, Reader, digest, reading
from forsooth.git.repository import Repository
from forsooth.git.stores import store
from forsooth.git.trees import FOLDER, rows

_QUICK = 1


class Put(NamedTuple):
    """What is to lie at a path: its mode, and its bytes or the id of an object that is there."""

    mode: str
    data: bytes | None = None
    id: str | None = None


class _Row(NamedTuple):
    mode: str
    id: str


@dataclass
class _Edit:
    """What is to become of one name: gone, put, or edited below."""

    gone: bool = False
    put: Put | None = None
    below: dict[str, _Edit] = field(default_factory=dict[str, "_Edit"])


def edited(
    repo: Repository, tree: str, edits: Mapping[str, Put | None], *, into: Path | None = None
) -> str:
    """The tree with files put or, where there is none, removed with whatever lies below.

    What is removed goes first, so a folder may take the place of a file and a file that of a
    folder. A folder left empty vanishes; a tree that would not differ is the same tree. What is
    written goes to our own store unless another folder of objects is named.
    """
    if not edits:
        return tree
    plan = _planned(edits)
    with reading(repo) as reader:
        writing = _Writing(reader, into or store(repo), like=tree)
        return writing.folder(plan, tree) or writing.write("tree", b"")


def _planned(edits: Mapping[str, Put | None]) -> _Edit:
    """The edits folder by folder; a file below a file is an error."""
    root = _Edit()
    for path, put in edits.items():
        at = root
        for name in paths.check(path).split("/"):
            at = at.below.setdefault(name, _Edit())
        at.gone, at.put = put is None, put
    for path, put in edits.items():
        if put:
            _refuse_below(root, path)
    return root


def _refuse_below(root: _Edit, path: str) -> None:
    at = root
    for name in path.split("/")[:-1]:
        at = at.below[name]
        if at.put:
            raise CouldNotVerify(f"{path!r} cannot lie below a file", code="unsafe-path")


class _Writing:
    """One edit on its way into the store."""

    def __init__(self, reader: Reader, into: Path, *, like: str) -> None:
        self._reader, self._into, self._like = reader, into, like

    def folder(self, edit: _Edit, id_: str | None) -> str | None:
        """A folder with its edits made; none when nothing is left in it."""
        held = rows(self._reader.read(id_, "tree")) if id_ else {}
        was = {name: _Row(row.mode, row.id) for name, row in held.items()}
        now = dict(was)
        for name, below in edit.below.items():
            row = self._row(below, was.get(name))
            if row:
                now[name] = row
            else:
                now.pop(name, None)
        if now == was:
            return id_
        return self.write("tree", _serial(now)) if now else None

    def _row(self, edit: _Edit, was: _Row | None) -> _Row | None:
        if edit.put:
            return self._put(edit.put)
        left = None if edit.gone else was
        if not edit.below:
            return left
        id_ = self.folder(edit, left.id if left and left.mode == FOLDER else None)
        if id_:
            return _Row(FOLDER, id_)
        return left if left and left.mode != FOLDER else None

    def _put(self, put: Put) -> _Row:
        if put.data is not None:
            return _Row(put.mode, self.write("blob", put.data))
        if put.id is None:
            raise ValueError("a file is put by its bytes or by its id")
        return _Row(put.mode, put.id)

    def write(self, kind: Kind, data: bytes) -> str:
        """Write one object of this edit."""
        return write_object(self._into, kind, data=data, like=self._like)


def write_object(into: Path, kind: Kind, *, data: bytes, like: str) -> str:
    """Write an object whole, also where one of its name lies: that one may be torn."""
    id_ = digest(kind, data, like=like)
    folder = into / id_[:2]
    packed = zlib.compress(f"{kind} {len(data)}\0".encode() + data, _QUICK)
    try:
        folder.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(prefix="tmp_obj_", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
        Path(name).chmod(0o444)
        Path(name).replace(folder / id_[2:])
    except OSError as error:
        says = f"{folder} cannot be written: {error.strerror}"
        raise CouldNotVerify(says, code="read-only") from None
    return id_


def _serial(found: Mapping[str, _Row]) -> bytes:
    """A tree as git stores it: by the bytes of names, a folder's as if it ended in a slash."""
    lines = [
        (paths.raw(f"{name}/" if row.mode == FOLDER else name), paths.raw(name), row)
        for name, row in found.items()
    ]
    return b"".join(
        row.mode.lstrip("0").encode() + b" " + name + b"\0" + bytes.fromhex(row.id)
        for _, name, row in sorted(lines)
    )
