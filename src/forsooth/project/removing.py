"""What `uninstall` takes away: everything of ours, listed first, and nothing else.

Receipts are the user's own proof and stay unless they are named. Folders are removed without
following a link, and a repository is only ours to clean where its own place says so.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from forsooth.git import folder
from forsooth.git.repository import Repository, repository_at
from forsooth.project import undoing
from forsooth.project.hosting import SHARE, Ended
from forsooth.project.installing import Installing
from forsooth.project.shelf import STATE, Shelf
from forsooth.project.undoing import Held

OURS = "refs/forsooth/"
_PACKED = re.compile(rb"^[0-9a-f]+ refs/forsooth/[^\n]*\n(?:\^[0-9a-f]+\n)*", re.MULTILINE)


class Leftover(NamedTuple):
    """One thing that goes, and what it is."""

    path: Path
    what: str


class Going(NamedTuple):
    """Everything that goes: files put back, folders and files removed, and what stays."""

    restored: tuple[Path, ...]
    removed: tuple[Leftover, ...]
    edited: tuple[Path, ...] = ()
    hosts: tuple[str, ...] = ()
    ends: tuple[Ended, ...] = ()  # how it went with the hosts
    receipts: bool = False

    def __bool__(self) -> bool:
        return bool(self.restored or self.removed or self.hosts)


class Removing(Installing):
    """The last minute."""

    def going(self, *, everywhere: bool = False, receipts: bool = False) -> Going:
        """What an uninstall would take away, without touching it."""
        shelves = [self, *self._others()] if everywhere else [self]
        rows = [row for one in shelves for row in one.installed()]
        ends = [(row.path, undoing.undone(row)) for row in rows]
        found = [left for one in shelves for left in one.leftovers(receipts=receipts)]
        if everywhere:
            found = [one for one in found if not one.path.is_relative_to(self.home / STATE)]
            found = [one for one in found if not one.path.is_relative_to(self.cache)]
            found.append(Leftover(self.home / STATE, "state and key of every repository"))
            found.append(Leftover(self.cache, "cache of every repository"))
            found.append(Leftover(self.home / SHARE, "packages for agents"))
        return Going(
            tuple(path for path, end in ends if undoing.held(path) != end.held),
            tuple(one for one in found if os.path.lexists(one.path)),
            tuple(path for path, end in ends if end.is_edited),
            self.leaving(everywhere=everywhere),
            receipts=any(one.has_receipts() for one in shelves),
        )

    def uninstall(self, *, everywhere: bool = False, receipts: bool = False) -> Going:
        """Undo `init` and take away what was listed."""
        self.need_person("uninstall")
        going = self.going(everywhere=everywhere, receipts=receipts)
        ends = self.undo(keeping_edited=True, everywhere=everywhere).hosts
        others = list(self._others()) if everywhere else []
        for one in others:
            one.undo(keeping_edited=True)
        for one in [self, *others] if receipts else []:
            _unpack(one.repo.common)
        for left in going.removed:
            _remove(left.path)
        return going._replace(ends=ends)

    def leftovers(self, *, receipts: bool) -> Iterator[Leftover]:
        """What is kept of this repository, whether it is there or not."""
        count = len(self.ids())
        plans = f"{count} plan{'' if count == 1 else 's'}, with all that happened"
        yield Leftover(self.root, plans)
        yield Leftover(self.own, "what anchors plans, and what init did")
        yield Leftover(self.home / STATE / "trust" / f"{self.place}.json", "commands allowed")
        yield Leftover(self.own_cache, "cache")
        yield Leftover(self.cache / "again", "looks to tell again")
        if receipts:
            yield Leftover(self.repo.common / OURS, "receipts")
            yield Leftover(self.repo.common / "logs" / OURS, "receipts")

    def has_receipts(self) -> bool:
        """Whether receipts are carried in this repository."""
        packed = self.repo.common / "packed-refs"
        is_packed = packed.is_file() and bool(_PACKED.search(packed.read_bytes()))
        return is_packed or (self.repo.common / OURS).exists()

    def _others(self) -> Iterator[Removing]:
        """Every other repository that a record of ours leads to, where it still lies."""
        for record in sorted((self.home / STATE).glob("*/init.json")):
            with suppress(OSError, ValueError, KeyError, TypeError):
                repo = repository_at(Path(json.loads(record.read_bytes())["root"]))
                if repo is None or repo.common == self.repo.common:
                    continue
                other = _at(repo, self)
                if record.parent.name == other.place:
                    yield other


def _at(repo: Repository, like: Shelf) -> Removing:
    return Removing(repo.root, actor=like.actor, environment={"HOME": str(like.home)})


def _unpack(common: Path) -> None:
    """Take our references out of the file of packed ones."""
    path = common / "packed-refs"
    now = undoing.held(path)
    if now.data and (left := _PACKED.sub(b"", now.data)) != now.data:
        undoing.put(path, Held(left, now.mode))


def _remove(path: Path) -> None:
    """Remove a folder or a file of ours; what is locked against it included."""
    if path.is_dir() and not path.is_symlink():
        folder.empty(path)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
