"""Work committed by hand is what git itself would have committed, and git agrees afterwards."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git import committing
from forsooth.git.committing import commit_work
from forsooth.git.publish import swap
from forsooth.git.repository import locate
from tests.git.repos import Repo, held

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


def test_a_locked_index_is_refused_before_anything_changes(repo: Repo, tmp_path: Path):
    """A git that is at work here keeps its lock, and HEAD stays; each work tree has its own."""
    repo.write("a", "changed\n")
    lock = repo.folder / ".git/index.lock"
    lock.write_text("theirs")
    before = held(repo.folder / ".git")
    with pytest.raises(CouldNotVerify, match="another git") as caught:
        made(repo)
    assert caught.value.code == "not-committed"
    assert str(lock) in caught.value.hint
    assert held(repo.folder / ".git") == before
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    side.write("a", "there\n")
    assert made(side)
    lock.unlink()
    assert made(repo)
    assert repo.git("status", "--porcelain") == ""
    assert not list((repo.folder / ".git").rglob("*.lock"))


def test_a_branch_that_cannot_be_moved_leaves_the_index_as_it_was(repo: Repo):
    """Every way out gives the lock back."""
    repo.write("a", "changed\n")
    index = (repo.folder / ".git/index").read_bytes()
    (repo.folder / ".git/refs/heads/main.lock").touch()
    with pytest.raises(CouldNotVerify, match="moved meanwhile"):
        made(repo)
    assert (repo.folder / ".git/index").read_bytes() == index
    assert not (repo.folder / ".git/index.lock").exists()


def test_an_index_that_cannot_be_put_in_place_does_not_undo_the_commit(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
):
    """Once the branch has moved, the commit is told, whatever happens to the index."""
    repo.write("a", "changed\n")
    index = repo.folder / ".git/index"

    def moves_then_spoils(*given: Any, **more: Any) -> bool:
        done = swap(*given, **more)
        index.unlink()
        index.mkdir()
        return done

    monkeypatch.setattr(committing, "swap", moves_then_spoils)
    assert made(repo) == repo.git("rev-parse", "main")
    assert not (repo.folder / ".git/index.lock").exists()


def test_tracked_files_outside_the_fence_stay_as_head_has_them(repo: Repo):
    """A person's own edits, staged or not, are neither committed nor lost."""
    repo.write("a", "agent\n")
    repo.write("b", "person\n")
    repo.write("mine", "staged\n")
    repo.git("add", "mine")
    (repo.folder / "c/d").unlink()
    assert made(repo, fence=lambda path: path == "a")
    assert repo.git("show", "--name-only", "--format=") == "a"
    assert repo.git("status", "--porcelain").splitlines() == [" M b", " D c/d", "A  mine"]
    assert made(repo, fence=lambda path: path == "a") is None
    assert not (repo.folder / ".git/index.lock").exists()


def test_what_may_not_change_is_not_pushed_aside_by_what_may(repo: Repo):
    """A folder in the place of a file outside the fence takes that file away, so it is refused."""
    (repo.folder / "a").unlink()
    repo.write("a/x", "x\n")
    with pytest.raises(CouldNotVerify, match="a may not change here"):
        made(repo, fence=lambda path: path == "a/x")
    assert repo.git("rev-list", "--count", "HEAD") == "1"
    assert made(repo)
    assert repo.git("status", "--porcelain") == ""


def test_what_was_staged_stays_staged(repo: Repo):
    """The version in the index outside the fence is the person's, also where the file went on."""
    repo.write("b", "staged\n")
    repo.git("add", "b")
    repo.git("rm", "-q", "--cached", "c/d")
    repo.write("b", "later\n")
    repo.write("a", "agent\n")
    assert made(repo, fence=lambda path: path == "a")
    assert repo.git("show", ":b") == "staged"
    assert repo.git("status", "--porcelain").splitlines() == ["MM b", "D  c/d", "?? c/"]


def test_files_that_git_was_told_not_to_look_at_are_committed_and_stay_so_marked(repo: Repo):
    """A bit that hides a change neither stops the commit nor is lost by it."""
    repo.git("update-index", "--assume-unchanged", "a")
    repo.write("b", "staged\n")
    repo.git("add", "b")
    repo.git("update-index", "--skip-worktree", "b")
    repo.write("a", "hidden\n")
    repo.write("c/d", "seen\n")
    assert made(repo)
    assert repo.git("show", "HEAD:a") == "hidden"
    assert repo.git("ls-files", "-v").splitlines() == ["h a", "S b", "H c/d"]
    assert repo.git("diff", "--cached", "--name-only") == ""


def test_a_split_index_and_an_edit_in_the_same_tick_survive(repo: Repo):
    """The new index leads to no file of ours, and hides no edit by being younger than it."""
    repo.git("config", "core.trustctime", "false")
    repo.git("update-index", "--split-index")
    then = 1_700_000_000
    for text in ("one\n", "two\n"):
        os.utime(repo.write("b", text), (then, then))
        if text == "one\n":
            repo.git("add", "b")
            os.utime(repo.folder / ".git/index", (then, then))
    assert repo.git("--no-optional-locks", "status", "--porcelain") == "MM b"
    for name in ("a", "new/x", "new/y", "new/z"):
        repo.write(name, "agent\n")
    assert made(repo, fence=lambda path: path != "b")
    assert repo.git("status", "--porcelain") == "MM b"


def test_a_lock_that_somebody_takes_next_is_left_to_them(repo: Repo, monkeypatch):
    """Once the branch has moved, its lock is nobody's until another git takes it."""
    before, real = repo.git("rev-parse", "HEAD"), Path.replace

    def replace(self: Path, target: Path) -> Path:
        done = real(self, target)
        if self.name == "main.lock":
            self.write_text("theirs")
        return done

    monkeypatch.setattr(Path, "replace", replace)
    repository = locate(repo.folder)
    assert swap(repository, "refs/heads/main", before=before, after=before)
    assert (repository.common / "refs/heads/main.lock").read_text() == "theirs"
