"""A snapshot is what `git add -A` would commit, without touching anything of the user's."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git.checkout import checkout
from forsooth.git.snapshot import snapshot
from forsooth.git.trees import listing
from tests.git.repos import Repo, held, pointer


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.write("run.sh", "#!/bin/sh\n", mode=0o755)
    (made.folder / "link").symlink_to("run.sh")
    made.commit(a="a\n", src__b="b\n", src__deep__c="c\n")
    return made


def names(made: Repo, tree: str) -> set[str]:
    return {entry.path for entry in listing(made.repo, tree)}


def state(made: Repo) -> dict[str, bytes]:
    """Every byte of the git dir but our own corner."""
    found = held(made.folder / ".git")
    return {path: data for path, (_, data) in found.items() if not path.startswith("forsooth")}


def test_a_clean_work_tree_is_its_commit(made: Repo):
    """Nothing is dirty and the tree is HEAD's own."""
    taken = snapshot(made.repo)
    assert taken == (made.tree, made.git("rev-parse", "HEAD"), (), ())


def test_every_kind_of_change_is_taken_as_git_would_commit_it(made: Repo):
    """Edits, deletions, modes, links, new files, and files that became folders or the reverse."""
    made.write("a", "changed\n")
    (made.folder / "src" / "b").unlink()
    (made.folder / "run.sh").chmod(0o644)
    (made.folder / "link").unlink()
    (made.folder / "link").symlink_to("elsewhere")
    made.write("new/file with spaces", "n\n", mode=0o755)
    made.write("odd\nname", "o\n")
    (made.folder / "src" / "deep" / "c").unlink()
    (made.folder / "src" / "deep").rmdir()
    made.write("src/deep", "a file now\n")
    made.write("src/b/inner", "a folder now\n")
    before = state(made)
    taken = snapshot(made.repo)
    assert state(made) == before
    assert taken.tree == made.added()
    assert set(taken.dirty) == {
        *("a", "src/b", "run.sh", "link", "new/file with spaces", "odd\nname", "src/deep/c"),
        *("src/deep", "src/b/inner"),
    }


def test_untracked_files_outside_the_fence_are_listed_and_not_taken(made: Repo):
    """And ignored ones are neither."""
    made.write(".gitignore", "*.log\n")
    made.commit("ignore")
    for name in ("src/new", "elsewhere", "x.log", "src/y.log"):
        made.write(name)
    taken = snapshot(made.repo, fence=lambda path: path.startswith("src/"))
    assert taken.dirty == ("src/new",)
    assert taken.untracked == ("elsewhere",)


def test_a_new_file_that_was_added_is_tracked_wherever_it_lies(made: Repo):
    """The fence is asked about untracked files only."""
    made.write("elsewhere")
    made.git("add", "-N", "elsewhere")
    assert snapshot(made.repo, fence=lambda _: False).dirty == ("elsewhere",)


def test_patterns_of_the_clone_and_of_the_user_are_honoured(made: Repo, tmp_path):
    """Patterns name files and no programs."""
    made.write(".git/info/exclude", "mine\n")
    own = tmp_path / "ignore"
    own.write_text("*.swp\n")
    for name in ("mine", "x.swp", "new"):
        made.write(name)
    assert snapshot(made.repo, excludes=[own]).dirty == ("new",)


def test_before_the_first_commit_everything_is_new(tmp_path):
    """There is no commit and no index to go by."""
    made = Repo(tmp_path / "repo")
    made.write("a")
    taken = snapshot(made.repo)
    assert taken == (made.added(), None, ("a",), ())


@pytest.mark.parametrize("index", ["locked", "missing", "split", "untracked-cache"])
def test_the_state_of_the_index_file_is_no_obstacle(made: Repo, index):
    """It is copied, never locked."""
    if index == "split":
        made.git("update-index", "--split-index")
    if index == "untracked-cache":
        made.git("update-index", "--force-untracked-cache")
        made.git("status")
    made.write("a", "changed\n")
    made.write("new")
    wanted = made.added()
    if index == "locked":
        made.write(".git/index.lock", b"")
    if index == "missing":
        (made.folder / ".git" / "index").unlink()
    assert snapshot(made.repo).tree == wanted


def test_an_index_that_cannot_be_read_is_an_error(made: Repo):
    """Guessing what is tracked would change what is delivered."""
    made.write(".git/index", b"DIRC and nonsense")
    with pytest.raises(CouldNotVerify) as error:
        snapshot(made.repo)
    assert error.value.code == "bad-index"


def test_a_merge_in_progress_is_taken_as_it_lies(made: Repo):
    """Conflicted files are files; one deleted is gone."""
    made.git("checkout", "-qb", "other")
    made.commit(a="theirs\n", src__b="theirs\n")
    made.git("checkout", "-q", "main")
    made.commit(a="ours\n", src__b="ours\n")
    with pytest.raises(AssertionError):
        made.git("merge", "other")
    (made.folder / "src" / "b").unlink()
    taken = snapshot(made.repo)
    assert taken.tree == made.added()
    assert set(taken.dirty) == {"a", "src/b"}


def test_bits_that_hide_a_change_are_not_believed(made: Repo):
    """An agent may mark a file as assumed unchanged and edit it."""
    made.git("update-index", "--assume-unchanged", "a")
    made.write("a", "changed\n")
    assert snapshot(made.repo).dirty == ("a",)


def gone(made: Repo) -> None:
    (made.folder / "src" / "b").unlink()


def assumed(made: Repo) -> None:
    made.write("src/b", "c\n")


@pytest.mark.parametrize("other", [gone, assumed])
def test_an_edit_in_the_second_of_the_commit_is_taken_whatever_else_changed(made: Repo, other):
    """Same size, same second: only the age of the index tells git to read the file."""
    for number in range(10):
        time.sleep(1 - time.time() % 1)
        at = int(time.time())
        made.commit(a=f"{number}\n")
        if other is assumed:
            made.git("update-index", "--assume-unchanged", "src/b")
        made.write("a", "z\n")
        if int(time.time()) == at:
            break
    other(made)
    time.sleep(1 - time.time() % 1)
    assert set(snapshot(made.repo).dirty) == {"a", "src/b"}


def test_local_edits_the_user_wants_left_alone_are_left(made: Repo):
    """Skip-worktree outside a sparse checkout means just that, present or gone."""
    made.git("update-index", "--skip-worktree", "a", "src/b")
    made.write("a", "changed\n")
    (made.folder / "src" / "b").unlink()
    assert snapshot(made.repo).tree == made.tree


@pytest.mark.parametrize("sparse_index", ["--no-sparse-index", "--sparse-index"])
def test_what_a_sparse_checkout_leaves_out_is_not_deleted(made: Repo, sparse_index):
    """It stays as recorded, and a file made there all the same is taken."""
    made.commit(docs__x="x\n", docs__y="y\n")
    made.git("sparse-checkout", "set", "--cone", sparse_index, "src")
    assert not (made.folder / "docs").exists()
    assert snapshot(made.repo).tree == made.tree
    made.write("src/b", "changed\n")
    made.write("docs/x", "changed\n")
    assert snapshot(made.repo).dirty == ("docs/x", "src/b")


def test_a_folder_swapped_for_a_link_is_gone_and_its_files_are_not_read(made: Repo, tmp_path):
    """What lies behind a link is somewhere else, whatever its stamps say."""
    (made.folder / "src").rename(tmp_path / "moved")
    (made.folder / "src").symlink_to(tmp_path / "moved")
    made.write(".git/info/exclude", "src\n")
    taken = snapshot(made.repo)
    assert {path for path in names(made, taken.tree) if path.startswith("src")} == set()
    made.write(".git/info/exclude", "")
    assert "src" in names(made, snapshot(made.repo).tree)


def test_a_pipe_in_the_place_of_a_file_is_a_deletion(made: Repo):
    """Git cannot record it, and nobody waits on it."""
    (made.folder / "a").unlink()
    os.mkfifo(made.folder / "a")
    assert snapshot(made.repo).dirty == ("a",)


def test_conversions_of_the_tree_are_made_as_git_makes_them(made: Repo):
    """A checkout with other line endings is not a change."""
    made.write(".gitattributes", "*.bat text eol=crlf\n*.id ident\n")
    made.commit("attributes", **{"x.bat": "one\r\ntwo\r\n", "y.id": "$Id$\n"})
    (made.folder / "x.bat").unlink()
    (made.folder / "y.id").unlink()
    made.git("checkout", "--", ".")
    assert (made.folder / "x.bat").read_bytes() == b"one\r\ntwo\r\n"
    os.utime(made.folder / "x.bat", (1, 1))
    assert snapshot(made.repo).tree == made.tree
    made.write("x.bat", "three\r\n")
    assert snapshot(made.repo).tree == made.added()


def test_a_linked_work_tree_is_taken_by_its_own_index(made: Repo, tmp_path):
    """Objects are shared, HEAD and index are not."""
    made.git("worktree", "add", "-q", "--detach", str(tmp_path / "second"))
    second = Repo(tmp_path / "second")
    second.write("a", "second\n")
    taken = snapshot(second.repo)
    assert taken.dirty == ("a",)
    assert snapshot(made.repo).dirty == ()
    assert names(made, taken.tree) == names(made, made.tree)


def test_a_repository_inside_is_listed_and_never_taken(made: Repo):
    """Its files are its own."""
    Repo(made.folder / "nested").commit(inner="i\n")
    taken = snapshot(made.repo)
    assert taken.tree == made.tree
    assert taken.untracked == ("nested/",)


def test_a_branch_is_delivered_as_committed_and_says_what_is_not(made: Repo):
    """What lies in the work tree of that branch is named, not taken."""
    made.write("a", "changed\n")
    made.write("new")
    taken = snapshot(made.repo, deliver="branch main")
    assert taken.tree == made.tree
    assert taken.dirty == ("a", "new")
    made.git("branch", "other")
    assert snapshot(made.repo, deliver="branch refs/heads/other").dirty == ()
    assert not (made.folder / ".git" / "forsooth").exists()
    with pytest.raises(CouldNotVerify, match="refs/heads/gone"):
        snapshot(made.repo, deliver="branch gone")


def test_a_large_file_is_taken_as_its_pointer(made: Repo, tmp_path):
    """Its content goes to a store of ours, from which a copy gets it back."""
    made.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    made.commit("attributes", **{"old.bin": made.large(b"old"), "kept.bin": pointer(b"kept")})
    made.write("old.bin", b"old")
    made.write("new.bin", b"new content", mode=0o755)
    taken = snapshot(made.repo, deliver="branch main")
    assert taken.dirty == ("new.bin",)
    taken = snapshot(made.repo)
    assert taken.dirty == ("new.bin",)
    made.large(b"kept")
    checkout(made.repo, taken.tree, tmp_path / "copy")
    found = held(tmp_path / "copy")
    assert found["new.bin"] == ("program", b"new content")
    assert found["old.bin"] == ("file", b"old")
    assert found["kept.bin"] == ("file", b"kept")


def test_a_file_that_never_stops_changing_is_an_error(made: Repo):
    """A tree of half a file would be nobody's work."""
    with Writer(made.folder / "a"), pytest.raises(CouldNotVerify) as error:
        snapshot(made.repo)
    assert error.value.code == "changing"


def test_a_file_that_changes_once_is_read_again(made: Repo):
    """The second look finds it at rest."""
    made.write("new")
    writer, calls = Writer(made.folder / "a"), list[str]()

    def fence(path: str) -> bool:
        calls.append(path)
        (writer.__enter__ if len(calls) == 1 else writer.__exit__)()
        return True

    taken = snapshot(made.repo, fence=fence)
    assert len(calls) == 2
    assert taken.tree == made.added()


def test_a_file_that_cannot_be_read_is_an_error_in_git_s_words(made: Repo):
    """A name that git will not store says so."""
    made.write("sub/git~1", "x")
    with pytest.raises(CouldNotVerify) as error:
        snapshot(made.repo)
    assert error.value.code == "unreadable"
    assert "git~1" in error.value.message


def test_a_git_dir_that_cannot_be_written_is_an_error_and_reads_still_work(made: Repo):
    """A file in the place of our folder stands for a read-only disk, which root would not feel."""
    made.write(".git/forsooth", "in the way")
    with pytest.raises(CouldNotVerify) as error:
        snapshot(made.repo)
    assert error.value.code == "read-only"
    assert names(made, made.tree)


class Writer:
    """Somebody who adds to a file without end; it takes git a while to read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        self._path.write_bytes(bytes(1 << 24))
        argv = ["sh", "-c", 'while :; do echo more >> "$0"; done', str(self._path)]
        self._process = subprocess.Popen(argv)
        while self._path.stat().st_size == 1 << 24:
            pass

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
