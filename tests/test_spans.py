"""What a person means by a range: both ends as trees, from where the branch parted."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify, UsageError
from forsooth.git.references import remotes
from forsooth.project.spans import default, span
from tests.git.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A main branch that went on after a branch of two commits parted from it."""
    made = Repo(tmp_path / "repo")
    made.commit("start", a="1")
    made.git("checkout", "-q", "-b", "work")
    made.commit("one", b="1")
    made.commit("two", c="1")
    made.git("checkout", "-q", "main")
    made.commit("later", d="1")
    made.git("checkout", "-q", "work")
    return made


@pytest.mark.parametrize("text", ["main..work", "main...work", "main..HEAD", "main.."])
def test_a_range_begins_where_the_sides_parted(repo: Repo, text: str):
    """Two dots and three mean the same: what the branch did, and nobody else."""
    found = span(repo.repo, text)
    assert found.base.commit == repo.git("rev-parse", "main~1")
    assert found.commit == repo.git("rev-parse", "work")
    assert found.tree == repo.git("rev-parse", "work^{tree}")
    assert not found.is_worktree
    assert span(repo.repo, found.text)._replace(says="", text="") == found._replace(
        says="", text=""
    )


def test_one_name_reaches_to_the_work_tree(repo: Repo):
    """Files as they lie are the head, what is not added among them."""
    repo.write("new.txt", "1")
    found = span(repo.repo, "HEAD~1")
    assert found.is_worktree
    assert found.base.commit == repo.git("rev-parse", "HEAD~1")
    assert found.tree == repo.added()


def test_nothing_said_means_since_the_branch_parted(repo: Repo):
    """The branch it will be merged into is found by its usual name, or by the remote's choice."""
    assert span(repo.repo).base.commit == repo.git("rev-parse", "main~1")
    assert default(repo.repo) == repo.git("rev-parse", "main")
    repo.git("update-ref", "refs/remotes/origin/release", "work~1")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release")
    assert default(repo.repo) == repo.git("rev-parse", "work~1")
    assert remotes(repo.repo) == {"origin"}
    repo.git("pack-refs", "--all")
    assert remotes(repo.repo) == {"origin"}


@pytest.mark.parametrize(
    "ref", ["refs/pull/3/head", "refs/remotes/up/pr/3", "refs/remotes/origin/pull/3/head"]
)
def test_a_request_is_found_wherever_it_was_fetched_to(repo: Repo, ref: str):
    """By the places the usual fetches put it."""
    repo.git("update-ref", ref, "work")
    assert span(repo.repo, pr=3).commit == repo.git("rev-parse", "work")


def test_what_cannot_be_meant_is_said(repo: Repo):
    """Two ways to name an end at once, no such request, or histories that never met."""
    with pytest.raises(UsageError):
        span(repo.repo, "main..work", branch="work")
    with pytest.raises(CouldNotVerify, match="request 9"):
        span(repo.repo, pr=9)
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("apart")
    with pytest.raises(CouldNotVerify) as failed:
        span(repo.repo, "main..other")
    assert failed.value.code == "unrelated"
