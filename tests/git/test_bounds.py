"""What a repository names is bounded before anything of it is trusted: entries, paths, bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git import move, reader, trees
from forsooth.git.checkout import checkout
from forsooth.git.objects import file_at
from forsooth.git.trees import changes, listing
from tests.git.repos import Repo


def made(repo: Repo, *rows: str) -> str:
    """A tree of these rows, written by git itself."""
    return repo.git("mktree", given="".join(f"{row}\n" for row in rows).encode())


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")


@pytest.mark.timeout(60)
def test_a_tree_of_a_hundred_million_paths_in_nine_objects_is_refused(repo: Repo, monkeypatch):
    """Its listing, and its difference from nothing, end at a bound instead of going on."""
    monkeypatch.setattr(trees, "MOST", 10_000)
    id_, kind = repo.git("hash-object", "-w", "--stdin"), "100644 blob"
    for _ in range(8):
        id_ = made(repo, *(f"{kind} {id_}\t{n}" for n in range(10)))
        kind = "040000 tree"
    for ask in (lambda: listing(repo.repo, id_), lambda: changes(repo.repo, None, id_)):
        with pytest.raises(CouldNotVerify, match="more than 10,000 entries") as refused:
            ask()
        assert refused.value.code == "too-large"


def test_a_tree_that_goes_on_downwards_is_refused(repo: Repo, monkeypatch):
    """A path that no file system holds is not built up piece by piece."""
    monkeypatch.setattr(trees, "LONGEST", 40)
    id_, kind = repo.git("hash-object", "-w", "--stdin"), "100644 blob"
    for _ in range(30):
        id_, kind = made(repo, f"{kind} {id_}\tab"), "040000 tree"
    with pytest.raises(CouldNotVerify, match="paths longer than 40") as refused:
        listing(repo.repo, id_)
    assert refused.value.code == "too-large"


def test_an_object_of_more_bytes_than_are_read_is_refused_before_it_is_read(
    repo: Repo, monkeypatch
):
    """A small pack can hold a file of many gigabytes."""
    monkeypatch.setattr(reader, "LARGEST", 1000)
    commit = repo.commit(large=b"x" * 1001)
    with pytest.raises(CouldNotVerify, match="has 1,001 bytes, and at most 1,000") as refused:
        file_at(repo.repo, commit, "large")
    assert refused.value.code == "too-large"


def test_a_checkout_of_more_bytes_than_are_copied_is_refused(repo: Repo, monkeypatch, tmp_path):
    """One object under many names fills a disk as many objects do."""
    monkeypatch.setattr(move, "MOST_BYTES", 2500)
    repo.commit(a=b"x" * 1000, b=b"x" * 1000, c=b"x" * 1000)
    with pytest.raises(CouldNotVerify, match="of files, the most copied") as refused:
        checkout(repo.repo, repo.git("rev-parse", "HEAD^{tree}"), tmp_path / "copy")
    assert refused.value.code == "too-large"
