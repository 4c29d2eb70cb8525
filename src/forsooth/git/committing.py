"""The work tree as a commit on its branch, made by hand for whoever may not write there.

Git itself would run the repository's hooks, filters and signing program, which an agent can write.
So none of them runs: only objects, one reference, its log and the index are written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git.edit import Put, write_object
from forsooth.git.index import borrow, flag, nul
from forsooth.git.objects import tree_of
from forsooth.git.publish import files, swap
from forsooth.git.references import branch
from forsooth.git.repository import Repository
from forsooth.git.run import asked, is_sha256, private
from forsooth.git.snapshot import Fence, snapshot
from forsooth.git.trees import Change, changes

BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
_FLAGS = {"--assume-unchanged": str.islower, "--skip-worktree": "Ss".__contains__}


class _Made(NamedTuple):
    """A commit that no branch stands at yet, the one before it, and what it changes."""

    id: str
    before: str | None
    tree: str | None
    found: tuple[Change, ...]


def commit_work(
    repo: Repository, message: str, *, who: str, seconds: int, fence: Fence | None = None
) -> str | None:
    """Commit what lies in the work tree where the fence admits it; none when HEAD holds that.

    1. The index, under git's own lock. 2. A branch, and nothing half done. 3. The commit, its
    objects in the repository's own store. 4. The index to be, in the lock. 5. The branch, if it
    still stands where it did. 6. The index in its place and the logs; from here on nothing fails.
    """
    lock, stamp, moved = _locked(repo), f"{who} {seconds} +0000", False  # 1
    try:
        name = _standing(repo)  # 2
        made = _made(repo, message.strip(), stamp=stamp, fence=fence or (lambda _: True))  # 3
        if made is None:
            return None
        _fill(repo, lock, made)  # 4
        moved = swap(repo, name, before=made.before, after=made.id)  # 5
        if not moved:
            raise _cannot(f"{name} moved meanwhile", "git status")
    finally:
        _release(repo, lock, is_index=moved)  # 6
    first = message.strip().partition("\n")[0]
    line = f"{made.before or _nothing(repo)} {made.id} {stamp}\tcommit: {first}\n".encode()
    for log in (repo.git_dir / "logs" / "HEAD", repo.common / "logs" / name):
        _add(log, line)
    return made.id


def _cannot(says: str, hint: str) -> CouldNotVerify:
    return CouldNotVerify(f"nothing was committed: {says}", hint=hint, code="not-committed")


def _locked(repo: Repository) -> Path:
    """Take the lock that every git takes before it writes the index of this work tree."""
    lock = repo.git_dir / "index.lock"
    try:
        os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
    except FileExistsError:
        hint = f"try again when it has ended; if no git runs here: rm {lock}"
        raise _cannot("another git is writing the index", hint) from None
    except OSError as error:
        says = f"{lock} cannot be written: {error.strerror}"
        raise CouldNotVerify(says, code="read-only") from None
    return lock


def _standing(repo: Repository) -> str:
    name = branch(repo)
    if not name:
        raise _cannot("HEAD is on no branch", "git switch BRANCH")
    if any((repo.git_dir / one).exists() for one in BUSY):
        raise _cannot("a merge or rebase is half done here", "git status")
    return name


def _made(repo: Repository, message: str, *, stamp: str, fence: Fence) -> _Made | None:
    """Write the commit: HEAD's tree with the changes the fence admits; none without any."""
    objects = repo.common / "objects"
    at = snapshot(repo, fence=fence, into=objects)
    before = tree_of(repo, at.commit) if at.commit else None
    found = tuple(one for one in changes(repo, before, at.tree) if fence(one.path))
    if not found:
        return None
    edits = {one.path: _put(one) for one in found}
    tree = files(repo, before, edits)
    for one in changes(repo, before, tree):
        if one.path not in edits:  # a file took the place of its folder, or a folder that of a file
            says = f"{one.path} may not change here and is in the way of what may"
            raise _cannot(says, "git status")
    lines = [f"tree {tree}", *([f"parent {at.commit}"] if at.commit else [])]
    body = "\n".join([*lines, f"author {stamp}", f"committer {stamp}", "", f"{message}\n"])
    id_ = write_object(objects, "commit", data=body.encode(), like=tree)
    return _Made(id_, at.commit, before, found)


def _put(change: Change) -> Put | None:
    return None if change.status == "D" else Put(change.new_mode, id=change.new_id)


def _fill(repo: Repository, lock: Path, made: _Made) -> None:
    """Write the index to be: as it is, with the committed paths as they were committed.

    It gets the time of the one before, by which git knows the files it must still look into.
    """
    index, env = repo.git_dir / "index", {"GIT_WORK_TREE": str(repo.root)}
    with private(repo) as git_dir:
        held = borrow(repo, git_dir, made.tree)
        given = nul(_rows(repo, made.found))
        # A split index would lead to a file of this folder, which goes away.
        asked(git_dir, "update-index", "--no-split-index", "-z", "--index-info", given=given)
        kept = [one.path for one in made.found if one.status != "D" and one.path in held]
        for option, is_set in _FLAGS.items():
            flag(git_dir, option, [path for path in kept if is_set(held[path][0])], env=env)
        data = (git_dir / "index").read_bytes()
    try:
        lock.write_bytes(data)
        if index.is_file():
            times = index.stat()
            os.utime(lock, ns=(times.st_atime_ns, times.st_mtime_ns))
    except OSError as error:
        raise _cannot(f"{lock} cannot be written: {error.strerror}", "git status") from None


def _rows(repo: Repository, found: Iterable[Change]) -> list[str]:
    """Changes as git's index takes them, what is gone first."""
    gone = [f"0 {_nothing(repo)}\t{one.path}" for one in found if one.status == "D"]
    return gone + [f"{c.new_mode} {c.new_id} 0\t{c.path}" for c in found if c.status != "D"]


def _nothing(repo: Repository) -> str:
    return "0" * (64 if is_sha256(repo) else 40)


def _release(repo: Repository, lock: Path, *, is_index: bool) -> None:
    """Put what is in the lock in the index's place, or take the lock away."""
    with suppress(OSError):
        if is_index:
            lock.replace(repo.git_dir / "index")
            return
    with suppress(OSError):
        lock.unlink()


def _add(log: Path, line: bytes) -> None:
    """Add to a log that git keeps; one that is not there is not wanted."""
    with suppress(OSError):
        if log.is_file() and not log.is_symlink():
            with log.open("ab") as file:
                file.write(line)
