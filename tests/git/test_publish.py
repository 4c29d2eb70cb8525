"""References of our own: moved only from where they stood, and never out of their folder."""

from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git import config, publish, references
from forsooth.git.edit import Put
from tests.git.repos import Repo

NAME = "refs/forsooth/receipts"


@pytest.fixture
def made(tmp_path: Path) -> Repo:
    found = Repo(tmp_path / "repo")
    found.commit(a="1\n")
    return found


def commit(made: Repo, text: str = "x") -> str:
    tree = publish.files(made.repo, None, {"a/b": Put("100644", text.encode())})
    return publish.commit(made.repo, tree, parents=(), message="Add", seconds=7)


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_plain_git_reads_what_was_written(tmp_path: Path, form: str):
    """Objects lie in the repository's own store, so that its own git can push them."""
    made = Repo(tmp_path / "repo", f"--object-format={form}")
    made.commit(a="1\n")
    first = commit(made)
    assert publish.move(made.repo, NAME, before=None, after=first)
    assert made.git("show", f"{NAME}:a/b") == "x"
    assert made.git("log", "-1", "--format=%an %at %s", NAME) == "forsooth 7 Add"
    made.git("fsck", "--strict")
    made.git("gc", "-q", "--prune=now")
    made.git("pack-refs", "--all")
    assert references.reference(made.repo, NAME) == first


def test_a_reference_moves_only_from_where_it_was_seen(made: Repo):
    """Whoever comes second is told, and looks again; nothing is left behind."""
    first, second = commit(made, "1"), commit(made, "2")
    assert publish.move(made.repo, NAME, before=None, after=first)
    assert not publish.move(made.repo, NAME, before=None, after=second)
    assert references.reference(made.repo, NAME) == first
    assert publish.move(made.repo, NAME, before=first, after=second)
    assert [path.name for path in (made.repo.common / "refs/forsooth").iterdir()] == ["receipts"]


def test_a_reference_that_is_locked_does_not_move(made: Repo):
    """As git itself would hold it."""
    lock = made.repo.common / f"{NAME}.lock"
    lock.parent.mkdir()
    lock.touch()
    assert not publish.move(made.repo, NAME, before=None, after=commit(made))
    assert lock.exists()


@pytest.mark.parametrize("name", ["refs/heads/main", "refs/forsooth/../heads/main", "HEAD"])
def test_only_references_of_ours_are_written(made: Repo, name: str):
    """A branch is the user's."""
    with pytest.raises(CouldNotVerify) as caught:
        publish.move(made.repo, name, before=None, after=commit(made))
    assert caught.value.code == "bad-ref"


def test_a_folder_that_leads_elsewhere_is_not_followed(made: Repo, tmp_path: Path):
    """An agent may plant a link; nothing is written through it."""
    (tmp_path / "away").mkdir()
    (made.repo.common / "refs/forsooth").symlink_to(tmp_path / "away")
    with pytest.raises(CouldNotVerify) as caught:
        publish.move(made.repo, NAME, before=None, after=commit(made))
    assert caught.value.code == "bad-ref"
    assert list((tmp_path / "away").iterdir()) == []


def test_a_place_that_cannot_be_written_is_said(made: Repo):
    """A file where a folder should be, and a folder where the file should be."""
    (made.repo.common / "refs/forsooth").write_text("in the way")
    with pytest.raises(CouldNotVerify) as caught:
        publish.move(made.repo, f"{NAME}/x/y", before=None, after=commit(made))
    assert caught.value.code == "read-only"
    (made.repo.common / "refs/forsooth").unlink()
    (made.repo.common / NAME / "full").mkdir(parents=True)
    with pytest.raises(CouldNotVerify) as caught:
        publish.move(made.repo, NAME, before=None, after=commit(made))
    assert caught.value.code == "read-only"
    assert not (made.repo.common / f"{NAME}.lock").exists()


def test_nothing_of_the_repository_runs(made: Repo, tmp_path: Path):
    """Neither a hook on references nor a program its configuration names."""
    hook = made.repo.common / "hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    assert publish.move(made.repo, NAME, before=None, after=commit(made))
    assert not (tmp_path / "ran").exists()


def test_a_value_is_read_from_a_file_and_nothing_it_includes(tmp_path: Path):
    """What the user's own file says, and no more."""
    (tmp_path / "more").write_text("[user]\n\tname = other\n")
    file = tmp_path / "config"
    file.write_text(f"[user]\n\tname = Ada\n[include]\n\tpath = {tmp_path}/more\n")
    assert config.value(file, "user.name") == "Ada"
    assert config.value(file, "user.email") == ""
    assert config.value(tmp_path / "none", "user.name") == ""
