"""What a look rests on, as files whose stamps can be compared before anything is loaded."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from forsooth.git.ignored import ignored_folders
from forsooth.project.judging import Checked
from forsooth.project.settings import USER
from forsooth.project.shelf import Shelf

OWN = ("HEAD", "index", "info/sparse-checkout", "config.worktree")
SHARED = ("packed-refs", "config", "info/exclude", "shallow")
LAST = 1 << 17  # bytes; a line of the ledger is at most half of it


class Rests(NamedTuple):
    """The work tree and the folders left out of it, what is outside of it, and the ledger.

    A folder whose whole content counts ends with a slash.
    """

    root: str
    left: tuple[str, ...]
    others: tuple[str, ...]
    ledger: tuple[str, ...]


def rests(shelf: Shelf, plan: str, found: Checked) -> Rests:
    """The files a look rests on; which programs it was given must be known."""
    repo = shelf.repo
    others = [
        *(repo.git_dir / name for name in OWN),
        *(repo.common / name for name in SHARED),
        shelf.root / "plans",
        shelf.root / "bound" / repo.worktree,
        shelf.home / USER,
        *map(Path, found.seen.tools),
    ]
    folders = [f"{repo.common / 'refs'}/"]
    ledger = (shelf.root / "plans" / plan / "ledger.jsonl", shelf.own / f"{plan}.head")
    return Rests(
        str(repo.root),
        ignored_folders(repo),
        (*map(str, others), *folders),
        tuple(map(str, ledger)),
    )


def last_event(shelf: Shelf, plan: str) -> int:
    """The number of the ledger's last event; none of them where it cannot be read at a glance."""
    path = shelf.root / "plans" / plan / "ledger.jsonl"
    with suppress(OSError, ValueError, KeyError, IndexError), path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - LAST))
        return int(json.loads(file.read().splitlines()[-1])["seq"])
    return -1
