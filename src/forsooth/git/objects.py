"""What a repository holds at its HEAD: the commit, its tree, and files of it."""

from __future__ import annotations

from collections.abc import Iterable

from forsooth.core.plan import Base
from forsooth.errors import CouldNotVerify
from forsooth.git.commit import parsed
from forsooth.git.reader import reading
from forsooth.git.references import head
from forsooth.git.repository import Repository
from forsooth.git.trees import FOLDER, at


def base(repo: Repository) -> Base:
    """The commit and tree at HEAD; empty before the first commit."""
    commit = head(repo)
    return Base(commit=commit, tree=tree_of(repo, commit)) if commit else Base()


def tree_of(repo: Repository, commit: str) -> str:
    """The tree of a commit."""
    with reading(repo) as reader:
        return parsed(reader.read(commit, "commit")).tree


def time_of(repo: Repository, commit: str) -> int:
    """When a commit was made, by its own word, in seconds since 1970."""
    with reading(repo) as reader:
        return parsed(reader.read(commit, "commit")).commit_time


def file_at(repo: Repository, commit: str, path: str) -> bytes | None:
    """A file's bytes as committed, no filter applied; none when it is not there.

    There and unreadable is not the same as not there: what a repository demands would be lost.
    """
    with reading(repo) as reader:
        found = at(reader, parsed(reader.read(commit, "commit")).tree, path)
        if found is None:
            return None
        says = f"{path} of commit {commit[:12]} cannot be read from this repository's objects"
        held = None if found.mode == FOLDER else reader.find(found.id)
    if held is None or held.kind != "blob":
        raise CouldNotVerify(says, hint="git fsck")
    return held.data


def blob(repo: Repository, id_: str) -> bytes:
    """The bytes of one blob, as stored."""
    return blobs(repo, [id_])[id_]


def blobs(repo: Repository, ids: Iterable[str]) -> dict[str, bytes]:
    """The bytes of many blobs, read by one process."""
    wanted = dict.fromkeys(ids)
    with reading(repo) as reader:
        return {found.id: found.data for found in reader.each(wanted, "blob")}
