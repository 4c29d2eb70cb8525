"""Work committed by hand is what git itself would have committed, and git agrees afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git.committing import commit_work
from forsooth.git.repository import locate
from tests.git.repos import Repo

WHO = "Ada <ada@example.org>"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit(a="a\n", b="b\n", c__d="d\n")
    return made


def made(repo: Repo, **more: object) -> str | None:
    return commit_work(
        locate(repo.folder), "Work\n\nWhy.\n", who=WHO, seconds=1_700_000_000, **more
    )


def test_the_commit_holds_what_git_add_would_have_taken(repo: Repo):
    """Changed, new, executable and gone; the branch, its log and the index agree with git."""
    before = repo.git("rev-parse", "HEAD")
    repo.write("a", "changed\n")
    repo.write("new/tool", "#!/bin/sh\n", mode=0o755)
    (repo.folder / "b").unlink()
    wanted = repo.added()
    commit = made(repo)
    assert commit == repo.git("rev-parse", "main")
    assert (repo.tree, repo.git("rev-parse", "HEAD^")) == (wanted, before)
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("fsck", "--strict") == ""
    assert repo.git("log", "-1", "--format=%an|%ae|%ct|%B") == (
        "Ada|ada@example.org|1700000000|Work\n\nWhy."
    )
    assert repo.git("reflog", "-2", "--format=%H %gs").splitlines() == [
        f"{commit} commit: Work",
        f"{before} commit (initial): work",
    ]


def test_what_the_fence_does_not_admit_stays_where_it_lies(repo: Repo):
    """New files outside it are neither committed nor lost."""
    repo.write("in/x", "x\n")
    repo.write("out/y", "y\n")
    assert made(repo, fence=lambda path: path.startswith("in/"))
    assert repo.git("show", "--name-only", "--format=") == "in/x"
    assert repo.git("status", "--porcelain") == "?? out/"


def test_the_first_commit_and_a_linked_work_tree_are_made_alike(tmp_path: Path, repo: Repo):
    """A branch without a commit gets its first; a linked work tree moves its own branch."""
    fresh = Repo(tmp_path / "fresh")
    fresh.write("a")
    assert made(fresh) == fresh.git("rev-parse", "main")
    assert fresh.git("status", "--porcelain") == ""
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    side.write("a", "there\n")
    main = repo.git("rev-parse", "main")
    assert made(side) == repo.git("rev-parse", "side")
    assert side.git("status", "--porcelain") == repo.git("status", "--porcelain") == ""
    assert repo.git("rev-parse", "main") == main


def test_nothing_is_committed_where_there_is_nothing_to_or_something_is_half_done(repo: Repo):
    """No empty commits, none on no branch, and none in the middle of a merge."""
    assert made(repo) is None
    repo.write("a", "changed\n")
    merge = repo.folder / ".git/MERGE_HEAD"
    merge.write_text("x")
    with pytest.raises(CouldNotVerify, match="half done"):
        made(repo)
    merge.unlink()
    repo.git("switch", "-q", "--detach")
    with pytest.raises(CouldNotVerify, match="no branch"):
        made(repo)
    repo.git("switch", "-q", "main")
    (repo.folder / ".git/refs/heads/main.lock").touch()
    with pytest.raises(CouldNotVerify, match="moved meanwhile"):
        made(repo)
    assert repo.git("rev-list", "--count", "HEAD") == "1"
