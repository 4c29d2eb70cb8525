"""What a kept checkout holds, written beside it once it is whole.

No record means nobody knows: a move takes it away first and writes it last, so a checkout that was
left half way is never taken for a whole one.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from forsooth.git.folder import Stamp

_VERSION = 1
_TICK = 20_000_000  # ns; a file this young may change again within one tick of its clock
_NO = Stamp(-1, 0, 0, 0)


class Kept(NamedTuple):
    """One file as it was written; `owner` is the submodule it belongs to."""

    mode: str
    id: str
    owner: str
    stamp: Stamp


class Module(NamedTuple):
    """A submodule: who has it, the commit it is at, its tree; none when nobody initialised it."""

    owner: str
    commit: str
    tree: str


@dataclass
class Record:
    """The tree a checkout is at, and what was written for it."""

    tree: str
    files: dict[str, Kept] = field(default_factory=dict[str, Kept])
    pointers: set[str] = field(default_factory=set[str])
    submodules: dict[str, Module] = field(default_factory=dict[str, Module])


def beside(into: Path) -> Path:
    """Where the record of a checkout lies."""
    return into.with_name(f"{into.name}.record")


def load(into: Path) -> Record | None:
    """The record of a whole checkout; none when there is none to believe."""
    try:
        data = json.loads(beside(into).read_bytes())
        version, tree, files, pointers, submodules = data
        kept = {path: _kept(*row) for path, row in files.items()}
        modules = {path: Module(*row) for path, row in submodules.items()}
    except (OSError, ValueError, TypeError):
        return None
    return Record(tree, kept, set(pointers), modules) if version == _VERSION else None


def _kept(mode: str, id_: str, owner: str, *seen: int) -> Kept:
    size, modified, changed, inode = seen
    return Kept(mode, id_, owner, Stamp(size, modified, changed, inode))


def save(into: Path, record: Record) -> None:
    """Write the record of a checkout that is whole; files too young to tell carry no stamp."""
    path = beside(into)
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(b"")
    young = os.stat(fresh).st_ctime_ns - _TICK  # noqa: PTH116
    files = {
        name: [row.mode, row.id, row.owner, *(row.stamp if row.stamp.changed < young else _NO)]
        for name, row in record.files.items()
    }
    rows = [_VERSION, record.tree, files, sorted(record.pointers), record.submodules]
    fresh.write_text(json.dumps(rows, separators=(",", ":")), encoding="utf-8")
    fresh.replace(path)


def forget(into: Path) -> None:
    """Say that a checkout is no longer whole."""
    beside(into).unlink(missing_ok=True)
