"""References of our own, under refs/forsooth/, and the commits they stand at.

Written as files by hand, as git itself locks them: git would read the repository's configuration
and run its hooks. These objects go into the repository's own store, for the user's git to push.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.git.edit import Put, edited, write_object
from forsooth.git.reader import digest
from forsooth.git.references import is_name, reference
from forsooth.git.repository import Repository
from forsooth.git.run import is_sha256

OURS = "refs/forsooth/"
_WHO = "forsooth <forsooth@invalid>"


def commit(
    repo: Repository, tree: str, *, parents: Iterable[str], message: str, seconds: int
) -> str:
    """Write a commit; the same words make the same commit."""
    who = f"{_WHO} {seconds} +0000"
    lines = [f"tree {tree}", *(f"parent {one}" for one in parents)]
    text = "\n".join([*lines, f"author {who}", f"committer {who}", "", f"{message}\n"])
    return write_object(_objects(repo), "commit", data=text.encode(), like=tree)


def files(repo: Repository, tree: str | None, edits: Mapping[str, Put | None]) -> str:
    """A tree with files put into it; without one, a tree of these files alone."""
    start = tree or digest("tree", b"", like="0" * (64 if is_sha256(repo) else 40))
    return edited(repo, start, edits, into=_objects(repo))


def move(repo: Repository, name: str, *, before: str | None, after: str) -> bool:
    """Let a reference stand at a commit, if it still stands where it did; false when it moved."""
    if not name.startswith(OURS) or not is_name(name):
        raise CouldNotVerify(f"{name!r} is not a reference of ours", code="bad-ref")
    return swap(repo, name, before=before, after=after)


def swap(repo: Repository, name: str, *, before: str | None, after: str) -> bool:
    """Let any reference stand elsewhere, under the lock git itself would take."""
    path = repo.common / name
    lock = path.with_name(f"{path.name}.lock")
    try:
        _folder(repo.common, path.parent)
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    except OSError as error:
        raise _unwritten(path, error) from None
    is_ours = True
    try:
        with os.fdopen(handle, "wb") as file:
            if reference(repo, name) != before:
                return False
            file.write(f"{after}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        lock.replace(path)
        is_ours = False  # whoever takes it from here on is somebody else
    except OSError as error:
        raise _unwritten(path, error) from None
    finally:
        if is_ours:
            lock.unlink(missing_ok=True)
    return True


def _folder(common: Path, folder: Path) -> None:
    """Make the folder of a reference; one that leads elsewhere is an error."""
    folder.mkdir(parents=True, exist_ok=True)
    inside = folder.relative_to(common)
    for part in (folder, *(common / parent for parent in inside.parents[:-1])):
        if part.is_symlink():
            raise CouldNotVerify(f"{part} leads elsewhere", hint=f"rm {part}", code="bad-ref")


def _objects(repo: Repository) -> Path:
    return repo.common / "objects"


def _unwritten(path: Path, error: OSError) -> CouldNotVerify:
    return CouldNotVerify(f"{path} cannot be written: {error.strerror}", code="read-only")
