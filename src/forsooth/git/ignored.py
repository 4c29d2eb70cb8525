"""The folders of a work tree that git does not look into: all of what lies there is ignored."""

from __future__ import annotations

from forsooth.git.index import borrow
from forsooth.git.objects import tree_of
from forsooth.git.paths import text
from forsooth.git.references import head
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import asked, private


def ignored_folders(repo: Repository) -> tuple[str, ...]:
    """Each ignored folder without a tracked file, by its path with a slash at the end."""
    commit = None if (repo.git_dir / "index").is_file() else head(repo)
    with private(repo) as git_dir:
        (git_dir / "info").mkdir()
        (git_dir / "info" / "exclude").write_bytes(bytes_of(repo.common / "info" / "exclude"))
        borrow(repo, git_dir, tree_of(repo, commit) if commit else None)
        argv = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        found = text(asked(git_dir, *argv, env={"GIT_WORK_TREE": str(repo.root)}))
    return tuple(path for path in found.split("\0") if path.endswith("/"))
