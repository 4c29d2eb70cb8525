"""Submodules: repositories of their own, found from their files and read by the same rule.

Where one is found does not matter for what is judged: the commit is named by the tree above it,
and its objects are checked like all others.
"""

from __future__ import annotations

from forsooth.errors import CouldNotVerify
from forsooth.git.commit import parsed
from forsooth.git.reader import reading
from forsooth.git.repository import Repository, repository_at, text_of


def submodule(repo: Repository, path: str) -> Repository | None:
    """The initialised submodule at a path; none when nobody initialised it."""
    found = repository_at(repo.root / path)
    if found and found.git_dir != repo.git_dir:
        return found
    for git_dir in (repo.git_dir / "modules" / path, repo.common / "modules" / path):
        if text_of(git_dir / "HEAD"):
            return Repository(repo.root / path, git_dir, git_dir)
    return None


def submodule_tree(module: Repository, commit: str, path: str) -> str:
    """The tree of the commit that the repository above names."""
    with reading(module) as reader:
        found = reader.find(commit)
    if found is None:
        says = f"submodule {path} does not have commit {commit[:12]}"
        hint = f"git submodule update --init {path}"
        raise CouldNotVerify(says, hint=hint, code="missing-objects")
    return parsed(found).tree
