"""What is committed is read from objects and references alone, whatever their form."""

from __future__ import annotations

import os

import pytest

from forsooth.core.plan import Base
from forsooth.errors import CouldNotVerify
from forsooth.git import run as running
from forsooth.git.objects import base, file_at
from forsooth.git.repository import locate
from tests.e2e.place import Place


def expected(place: Place) -> Base:
    commit, tree = place.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    return Base(commit=commit, tree=tree)


def test_before_the_first_commit_there_is_no_base(place: Place):
    """An unborn branch is nothing to start from, and no error."""
    place.git("checkout", "-q", "--orphan", "fresh")
    assert base(locate(place.folder)) == Base()


@pytest.mark.parametrize(
    "argv",
    [
        ["status"],
        ["pack-refs", "--all"],
        ["checkout", "-q", "--detach"],
        ["checkout", "-q", "-b", "feature/deep"],
        ["gc", "-q"],
        ["symbolic-ref", "refs/heads/alias", "refs/heads/main"],
    ],
)
def test_the_base_is_what_head_names_in_every_form(place: Place, argv):
    """Loose and packed references, a detached head, nested branches and packed objects."""
    place.git(*argv)
    if argv[0] == "symbolic-ref":
        place.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert base(locate(place.folder)) == expected(place)


def test_each_work_tree_has_its_own_base(place: Place):
    """A linked work tree stands at its own commit."""
    linked = place.linked("second")
    linked.commit("new.txt", "new\n")
    assert base(locate(linked.folder)) == expected(linked)
    assert base(locate(place.folder)) == expected(place) != expected(linked)


def test_a_repository_of_longer_names_is_read_as_well(tmp_path):
    """Objects named by sha256 need a private dir that says so."""
    place = Place(tmp_path / "repo", tmp_path)
    place.folder.mkdir()
    place.git("init", "-q", "--object-format=sha256")
    place.commit("a.txt", "a\n")
    found = base(locate(place.folder))
    assert found == expected(place)
    assert len(found.commit or "") == 64
    assert file_at(locate(place.folder), found.commit or "", "a.txt") == b"a\n"


def test_borrowed_objects_are_found_where_they_are_borrowed_from(place: Place):
    """A shared clone keeps its objects in another repository."""
    place.git("clone", "-q", "--shared", str(place.folder), "../shared")
    shared = Place(place.folder.parent / "shared", place.home)
    assert base(locate(shared.folder)) == expected(place)


def test_a_file_is_read_as_committed(place: Place):
    """Not as it lies in the work tree, and none when the commit has no such file."""
    commit = place.commit("sub/a.txt", "one\r\n")
    place.write("sub/a.txt", "two\n")
    repo = locate(place.folder)
    assert file_at(repo, commit, "sub/a.txt") == b"one\r\n"
    assert file_at(repo, commit, "sub/b.txt") is None
    assert file_at(repo, commit, "sub/*.txt") is None
    with pytest.raises(CouldNotVerify):
        file_at(repo, commit, "sub")


def test_a_file_that_is_there_and_cannot_be_read_is_not_called_absent(place: Place):
    """A lost object must not turn settings into no settings."""
    commit = place.commit("a.txt", "one\n")
    blob = place.git("rev-parse", "HEAD:a.txt")
    (place.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(CouldNotVerify, match=r"a\.txt of commit"):
        file_at(locate(place.folder), commit, "a.txt")
    with pytest.raises(CouldNotVerify):
        file_at(locate(place.folder), "0" * 40, "a.txt")


@pytest.mark.parametrize(
    "head",
    ["0" * 40, "abc", "--help", "ref: ../../secret", "ref: refs/../../../secret", "ref: refs/a"],
)
def test_a_head_that_leads_nowhere_is_an_error_and_reads_nothing_else(place: Place, head):
    """References stay inside the repository, and what they hold must be an id."""
    (place.folder / "secret").write_text("hunter2 and more\n")
    git_dir = place.folder / ".git"
    (git_dir / "HEAD").write_text(head + "\n")
    (git_dir / "refs" / "a").write_text("ref: refs/a\n")
    with pytest.raises(CouldNotVerify) as error:
        base(locate(place.folder))
    assert "hunter2" not in error.value.message


def test_a_store_of_references_that_is_not_read_is_not_taken_for_empty(place: Place):
    """No base because nobody looked would be a wrong answer."""
    (place.folder / ".git" / "reftable").mkdir()
    with pytest.raises(CouldNotVerify, match="reftable"):
        base(locate(place.folder))


def test_without_git_or_an_answer_from_it_nothing_is_verified(place: Place, monkeypatch):
    """A missing program and one that hangs are told apart from a bad repository."""
    repo = locate(place.folder)
    commit = place.git("rev-parse", "HEAD")
    loose = place.folder / ".git" / "objects" / commit[:2] / commit[2:]
    loose.unlink()
    os.mkfifo(loose)
    monkeypatch.setattr(running, "SECONDS", 0.2)
    with pytest.raises(CouldNotVerify, match="did not answer"):
        base(repo)
    monkeypatch.setattr(running, "PLACES", ())
    with pytest.raises(CouldNotVerify, match="not installed"):
        base(repo)


def test_a_repository_without_a_configuration_is_read_all_the_same(place: Place):
    """Nothing of it is needed."""
    wanted = expected(place)
    (place.folder / ".git" / "config").unlink()
    assert base(locate(place.folder)) == wanted
