"""Where a repository keeps itself is read from its files, wherever inside it one stands."""

from __future__ import annotations

import os

import pytest

from forsooth.errors import UsageError
from forsooth.git.repository import Repository, bytes_of, locate, text_of
from tests.e2e.place import Place


def test_the_main_work_tree_is_found_from_any_folder_in_it(place: Place):
    """Root, git dir and common dir are the same from the top and from below."""
    deep = place.folder / "a" / "b"
    deep.mkdir(parents=True)
    found = locate(place.folder)
    assert found == Repository(place.folder, place.folder / ".git", place.folder / ".git")
    assert locate(deep) == found
    assert found.worktree == "main"


def test_a_linked_work_tree_has_its_own_dir_and_shares_the_common_one(place: Place):
    """Its name is git's own, and never that of the main one."""
    linked = place.linked("main")
    found = locate(linked.folder)
    assert found.root == linked.folder
    assert found.git_dir == place.folder / ".git" / "worktrees" / "main"
    assert found.common == place.folder / ".git"
    assert found.worktree != locate(place.folder).worktree


def test_a_git_file_is_followed_relative_to_where_it_lies(place: Place, tmp_path):
    """As a submodule's does, which shares nothing with the repository around it."""
    modules = place.folder / ".git" / "modules" / "lib"
    modules.parent.mkdir()
    place.git("clone", "-q", "--separate-git-dir", str(modules), str(place.folder), "lib")
    (place.folder / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    found = locate(place.folder / "lib")
    assert found == Repository(place.folder / "lib", modules, modules)


@pytest.mark.parametrize("content", ["", "gitdir: nowhere\n", "not a git file\n", "\udcff"])
def test_what_only_looks_like_a_repository_is_passed_over(place: Place, content):
    """Git looks further up, and so do we."""
    inner = place.folder / "inner"
    inner.mkdir()
    (inner / ".git").write_bytes(content.encode(errors="surrogateescape"))
    assert locate(inner).root == place.folder
    (inner / ".git").unlink()
    (inner / ".git").mkdir()
    assert locate(inner).root == place.folder


def test_a_pipe_in_the_place_of_a_git_file_is_never_waited_on(place: Place):
    """A hostile folder cannot hang the command line."""
    inner = place.folder / "inner"
    inner.mkdir()
    os.mkfifo(inner / ".git")
    assert locate(inner).root == place.folder


def test_outside_any_repository_the_error_says_where(tmp_path):
    """And which command would make one."""
    with pytest.raises(UsageError) as error:
        locate(tmp_path)
    assert str(tmp_path) in error.value.message
    assert error.value.hint == "cd into one, or: git init"


def test_a_file_that_cannot_be_opened_is_as_good_as_none(tmp_path):
    """A name too long to be a file is one that even root cannot open."""
    assert bytes_of(tmp_path / ("x" * 300)) == b""
    assert text_of(tmp_path) == ""
