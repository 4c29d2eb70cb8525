"""What lies in a work tree and not in git: ignored folders, and files that are not tracked."""

from __future__ import annotations

from forsooth.git.index import borrow
from forsooth.git.objects import tree_of
from forsooth.git.paths import text
from forsooth.git.references import head
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import asked, private

_ASIDE = tuple(
    f":(exclude,glob)**/{name}/**"
    for name in ("node_modules", ".venv", "venv", "site-packages", "target", "__pycache__", ".tox")
)


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


def undelivered_files(repo: Repository) -> dict[str, str]:
    """Each file of the work tree that git does not track, and whether it is `ignored` or `new`.

    Folders of installed packages are left out: what lies there is no part of the work.
    """
    commit = None if (repo.git_dir / "index").is_file() else head(repo)
    found: dict[str, str] = {}
    with private(repo) as git_dir:
        (git_dir / "info").mkdir()
        (git_dir / "info" / "exclude").write_bytes(bytes_of(repo.common / "info" / "exclude"))
        borrow(repo, git_dir, tree_of(repo, commit) if commit else None)
        for how, word in (("ignored", ("--ignored",)), ("new", ())):
            argv = ("ls-files", "-z", "--others", *word, "--exclude-standard", "--", ".", *_ASIDE)
            listed = text(asked(git_dir, *argv, env={"GIT_WORK_TREE": str(repo.root)}))
            found |= {path: how for path in listed.split("\0") if path and path not in found}
    return found
