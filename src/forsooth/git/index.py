"""The user's index, read from a copy.

It says which paths are tracked and which of them a sparse checkout leaves out. The file itself is
never locked or written, so a locked or a missing one is no obstacle.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git import paths
from forsooth.git.repository import Repository
from forsooth.git.run import asked, run


class Tracked(NamedTuple):
    """One path of the index."""

    path: str
    mode: str
    id: str
    is_skipped: bool  # outside a sparse checkout, or local edits the user wants left alone
    is_assumed: bool  # "assume unchanged", which is not believed


def borrow(repo: Repository, git_dir: Path, tree: str | None) -> tuple[Tracked, ...]:
    """Copy the index into a git dir of ours and read it; without one, what HEAD holds is tracked.

    The copy keeps its times: by them git knows which files may have changed unseen.
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
    rows = {row.path: row for row in map(_row, listed.stdout.split(b"\0")[:-1])}
    return tuple(rows.values())


def _row(line: bytes) -> Tracked:
    head, _, path = line.partition(b"\t")
    tag, mode, id_, _ = head.decode("ascii").split(" ")
    skipped, assumed = tag.upper() == "S", tag.islower()
    return Tracked(paths.text(path), mode, id_, skipped, assumed)


def flag(git_dir: Path, option: str, listed: Iterable[str]) -> None:
    """Change one bit of some entries of the copy."""
    given = nul(listed)
    if given:
        asked(git_dir, "update-index", option, "-z", "--stdin", given=given)


def nul(listed: Iterable[str]) -> bytes:
    """Paths the way git reads them."""
    return b"".join(paths.raw(path) + b"\0" for path in listed)


def is_sparse(repo: Repository) -> bool:
    """Whether a sparse checkout was ever set up in this work tree."""
    return (repo.git_dir / "info" / "sparse-checkout").is_file()
