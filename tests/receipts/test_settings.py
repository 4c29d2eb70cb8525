"""Signers are those the base lists: not the user's file, not the tree that is judged."""

from pathlib import Path

import pytest

from forsooth.errors import UsageError
from forsooth.project.settings import settings
from forsooth.receipts import signers
from tests.git.repos import Repo
from tests.receipts.made import key

TABLE = '[[signers]]\nname = "{}"\nkey = "{}"\nroles = ["judge"]\n'


def table(name: str, seed: int = 1) -> str:
    return TABLE.format(name, key(seed).public.text)


def names(repo: Repo, home: Path, at: str | None = None) -> list[str]:
    return [one.name for one in signers.of(settings(repo.repo, home, at=at))]


def test_signers_come_from_the_commit_that_is_named(tmp_path: Path):
    """A later commit, or a file that is not committed, lists nobody for an earlier one."""
    repo = Repo(tmp_path / "repo")
    repo.write("forsooth.toml", table("ada"))
    base = repo.commit("base")
    repo.write("forsooth.toml", table("ada") + table("agent", 2))
    repo.commit("candidate")
    repo.write("forsooth.toml", table("stranger", 3))
    assert names(repo, tmp_path) == ["ada", "agent"]
    assert names(repo, tmp_path, base) == ["ada"]
    assert settings(repo.repo, tmp_path).warning
    assert not settings(repo.repo, tmp_path, at=base).warning


def test_signers_in_the_user_s_own_settings_are_refused(tmp_path: Path):
    """They would be listed for every repository, and nobody would see it in a review."""
    repo = Repo(tmp_path / "repo")
    repo.commit("first", a="1\n")
    assert names(repo, tmp_path) == []
    file = tmp_path / ".config/forsooth/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(table("ada"))
    with pytest.raises(UsageError) as caught:
        settings(repo.repo, tmp_path)
    assert caught.value.code == "bad-settings"
