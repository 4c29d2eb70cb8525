"""Where a repository keeps itself, read from its files alone; no program runs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from forsooth.errors import UsageError
from forsooth.hooks import ownership


class Repository(NamedTuple):
    """One work tree: its root, its own git dir, and the dir all its work trees share."""

    root: Path
    git_dir: Path
    common: Path

    @property
    def worktree(self) -> str:
        """The work tree's name; linked ones are named by git, and one may be called main."""
        return "main" if self.git_dir == self.common else f"linked/{self.git_dir.name}"


def locate(start: Path) -> Repository:
    """The repository a folder is in."""
    for folder in (start, *start.parents):
        found = repository_at(folder)
        if found is not None:
            _refuse_strangers(found)
            return found
    raise UsageError(f"{start} is not in a git repository", hint="cd into one, or: git init")


def _refuse_strangers(repo: Repository) -> None:
    """Refuse a repository that another account owns, as git does, unless the user calls it safe."""
    every = (repo.root, repo.root / ".git", repo.git_dir, repo.common)
    strange = ownership.stranger(*map(str, every))
    if strange and not ownership.is_listed(str(repo.root), str(repo.git_dir)):
        raise UsageError(
            f"dubious ownership: {strange} belongs to another account",
            hint=f"git config --global --add safe.directory {repo.root}, if you trust it",
            code="dubious-ownership",
        )


def repository_at(folder: Path) -> Repository | None:
    """The repository whose root a folder is; none when it is no root."""
    git_dir = _git_dir(folder)
    return None if git_dir is None else Repository(folder, git_dir, _common(git_dir))


def _git_dir(folder: Path) -> Path | None:
    entry = folder / ".git"
    if entry.is_dir():
        found = entry.resolve()
    else:
        text = text_of(entry)
        if not text.startswith("gitdir:"):
            return None
        found = (folder / text.removeprefix("gitdir:").strip()).resolve()
    return found if text_of(found / "HEAD") else None


def _common(git_dir: Path) -> Path:
    text = text_of(git_dir / "commondir").strip()
    return (git_dir / text).resolve() if text else git_dir


def text_of(path: Path) -> str:
    """The text of one of git's own files; empty when it has none, and a pipe is never waited on."""
    try:
        return bytes_of(path).decode("utf-8")
    except UnicodeDecodeError:
        return ""


def bytes_of(path: Path) -> bytes:
    """The bytes of one of git's own files, by the same rule."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""
