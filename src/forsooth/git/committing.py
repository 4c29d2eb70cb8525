"""The work tree as a commit on its branch, made by hand for whoever may not write there.

Git itself would run the repository's hooks, filters and signing program, which an agent can write.
So none of them runs: only objects, one reference, its log and the index are written.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.git.edit import write_object
from forsooth.git.objects import tree_of
from forsooth.git.publish import swap
from forsooth.git.references import branch
from forsooth.git.repository import Repository
from forsooth.git.run import asked, is_sha256, private
from forsooth.git.snapshot import Fence, snapshot

BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


def commit_work(
    repo: Repository, message: str, *, who: str, seconds: int, fence: Fence | None = None
) -> str | None:
    """Commit what lies in the work tree; none when that is what HEAD holds already.

    1. A branch, and nothing half done. 2. The tree, its objects in the repository's own store.
    3. The commit. 4. The branch, if it still stands where it did. 5. Its log and the index.
    """
    name = branch(repo)
    if not name:
        raise _cannot("HEAD is on no branch", "git switch BRANCH")
    if any((repo.git_dir / one).exists() for one in BUSY):
        raise _cannot("a merge or rebase is half done here", "git status")  # 1
    objects = repo.common / "objects"
    at = snapshot(repo, fence=fence, into=objects)  # 2
    before = at.commit
    if before and tree_of(repo, before) == at.tree:
        return None
    stamp = f"{who} {seconds} +0000"
    lines = [f"tree {at.tree}", *([f"parent {before}"] if before else [])]
    body = "\n".join([*lines, f"author {stamp}", f"committer {stamp}", "", f"{message.strip()}\n"])
    made = write_object(objects, "commit", data=body.encode(), like=at.tree)  # 3
    if not swap(repo, name, before=before, after=made):
        raise _cannot(f"{name} moved meanwhile", "git status")  # 4
    first = message.strip().partition("\n")[0]
    none = "0" * (64 if is_sha256(repo) else 40)
    line = f"{before or none} {made} {stamp}\tcommit: {first}\n".encode()
    for log in (repo.git_dir / "logs" / "HEAD", repo.common / "logs" / name):
        _add(log, line)
    _index(repo, at.tree)  # 5
    return made


def _cannot(says: str, hint: str) -> CouldNotVerify:
    return CouldNotVerify(f"nothing was committed: {says}", hint=hint, code="not-committed")


def _add(log: Path, line: bytes) -> None:
    """Add to a log that git keeps; one that is not there is not wanted."""
    with suppress(OSError):
        if log.is_file() and not log.is_symlink():
            with log.open("ab") as file:
                file.write(line)


def _index(repo: Repository, tree: str) -> None:
    """Let the index hold what was committed; the work tree is not touched."""
    env = {"GIT_INDEX_FILE": str(repo.git_dir / "index"), "GIT_WORK_TREE": str(repo.root)}
    with private(repo) as git_dir:
        asked(git_dir, "read-tree", "--reset", tree, env=env)
