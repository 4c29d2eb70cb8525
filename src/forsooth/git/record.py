"""What a kept checkout holds, written beside it once it is whole.

No record means nobody knows: a move takes it away first and writes it last, so a checkout that was
left half way is never taken for a whole one. Rows of files are a log that each move adds to, read
only when somebody asks for a row: a move by twenty files costs twenty.
"""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from forsooth.git.folder import Stamp

_VERSION = 1
_MOVES = 200  # then the log is written anew
_TICK = 20_000_000  # ns; a file this young may change again within one tick of its clock
_YOUNG = Stamp(-1, 0, 0, 0)


class Kept(NamedTuple):
    """One file as it was written; `owner` is the submodule it belongs to, with a slash."""

    mode: str
    id: str
    stamp: Stamp
    owner: str


class Module(NamedTuple):
    """A submodule: who has it, the commit it is at, its tree; none when nobody initialised it."""

    owner: str
    commit: str
    tree: str


class Record:
    """The tree a checkout is at, and what was written for it."""

    def __init__(self, into: Path) -> None:
        self._log = into.with_name(f"{into.name}.files")
        self._fresh: dict[str, Kept | None] = {}
        self.tree = ""
        self.size = self.moves = 0
        self.pointers: dict[str, str] = {}
        self.submodules: dict[str, Module] = {}

    @cached_property
    def _old(self) -> dict[str, str]:
        """Rows of earlier moves; nothing stands for a file, or a whole folder, that went."""
        rows: dict[str, str] = {}
        lines = self._log.read_bytes()[: self.size].splitlines() if self.size else []
        for line in lines:
            for path, row in json.loads(line).items():
                if row:
                    rows[path] = row
                else:
                    _remove(rows, path)
        return rows

    @property
    def files(self) -> set[str]:
        """Every file and link of the checkout."""
        left = dict(self._old)
        for path, kept in self._fresh.items():
            if kept is None:
                _remove(left, path)
        return {*left, *(path for path, kept in self._fresh.items() if kept)}

    def row(self, path: str) -> Kept:
        """How a file was written."""
        fresh = self._fresh.get(path)
        if fresh:
            return fresh
        mode, id_, size, modified, changed, inode, owner = self._old[path].split(" ", 6)
        return Kept(mode, id_, Stamp(int(size), int(modified), int(changed), int(inode)), owner)

    def put(self, path: str, kept: Kept, *, is_pointer: bool) -> None:
        """Say that a file was written."""
        self._fresh[path] = kept
        self.pointers.pop(path, None)
        if is_pointer:
            self.pointers[path] = kept.owner

    def drop(self, path: str) -> None:
        """Forget a file, or a submodule and everything in it."""
        self.pointers.pop(path, None)
        if path in self.submodules:
            self.drop_below(path)
        else:
            self._fresh[path] = None

    def drop_below(self, path: str) -> None:
        """Forget a submodule and everything in it."""
        below = f"{path}/"
        self._fresh = {p: row for p, row in self._fresh.items() if not p.startswith(below)}
        self._fresh[below] = None
        self.pointers = {p: row for p, row in self.pointers.items() if not p.startswith(below)}
        modules = self.submodules.items()
        self.submodules = {p: row for p, row in modules if not f"{p}/".startswith(below)}

    def write(self, now: int) -> None:
        """Add to the log; files too young to tell whether they change again carry no stamp."""
        rows = {path: _line(kept, now) if kept else "" for path, kept in self._fresh.items()}
        if self.moves >= _MOVES:
            rows = {path: rows.get(path) or self._old[path] for path in sorted(self.files)}
            self.size = self.moves = 0
        data = json.dumps(rows, separators=(",", ":")).encode() + b"\n"
        with self._log.open("r+b" if self.size else "wb") as file:
            file.truncate(self.size)
            file.seek(self.size)
            self.size += file.write(data)
        self.moves += 1


def _remove(rows: dict[str, str], path: str) -> None:
    """Take a file out of rows, or with a slash everything below a folder."""
    below = [name for name in rows if name.startswith(path)] if path.endswith("/") else [path]
    for name in below:
        rows.pop(name, None)


def _line(kept: Kept, now: int) -> str:
    seen = kept.stamp if kept.stamp.changed < now - _TICK else _YOUNG
    return " ".join((kept.mode, kept.id, *map(str, seen), kept.owner))


def beside(into: Path) -> Path:
    """Where the record of a checkout lies."""
    return into.with_name(f"{into.name}.record")


def load(into: Path) -> Record | None:
    """The record of a whole checkout; none when there is none to believe."""
    found = Record(into)
    try:
        data = json.loads(beside(into).read_bytes())
        version, found.tree, found.size, found.moves, found.pointers, submodules = data
        found.submodules = {path: Module(*row) for path, row in submodules.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return found if version == _VERSION else None


def save(into: Path, record: Record) -> None:
    """Write the record of a checkout that is whole."""
    path = beside(into)
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(b"")
    record.write(fresh.stat().st_ctime_ns)
    rows = [_VERSION, record.tree, record.size, record.moves, record.pointers, record.submodules]
    fresh.write_text(json.dumps(rows, separators=(",", ":")), encoding="utf-8")
    fresh.replace(path)


def forget(into: Path) -> None:
    """Say that a checkout is no longer whole."""
    beside(into).unlink(missing_ok=True)
