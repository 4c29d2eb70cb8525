"""Large files: a pointer in the tree, the content in a local store, found by its digest.

The program that git would start is not needed: a pointer names a sha256, and content that does not
have it is no answer. A pointer counts only where the tree's attributes say `filter=lfs`.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git import paths
from forsooth.git.repository import Repository
from forsooth.git.run import asked, private
from forsooth.git.stores import OURS

LONGEST = 1024  # no pointer is longer; its own program reads no more either
_POINTER = re.compile(
    rb"version https://(?:git-lfs|hawser)\.github\.com/spec/v1\n(?:ext-[^\n]+\n)*"
    rb"oid sha256:(?P<oid>[0-9a-f]{64})\nsize (?P<size>\d+)\n?"
)
_CHUNK = 1 << 20


class Pointer(NamedTuple):
    """What stands in a tree for a large file."""

    oid: str
    size: int

    @property
    def data(self) -> bytes:
        """The pointer as it is stored."""
        spec = "https://git-lfs.github.com/spec/v1"
        return f"version {spec}\noid sha256:{self.oid}\nsize {self.size}\n".encode()


def pointer(data: bytes) -> Pointer | None:
    """The pointer that content is, if it is one."""
    found = _POINTER.fullmatch(data) if len(data) <= LONGEST else None
    return Pointer(found["oid"].decode(), int(found["size"])) if found else None


def governed(repo: Repository, tree: str, candidates: Iterable[str]) -> frozenset[str]:
    """Those paths of a tree that its attributes give to large-file storage."""
    listed = list(candidates)
    if not listed:
        return frozenset()
    with private(repo) as git_dir:
        asked(git_dir, "read-tree", tree)
        return governed_in(git_dir, listed, "--cached")


def governed_in(
    git_dir: Path, listed: Iterable[str], *options: str, env: Mapping[str, str] | None = None
) -> frozenset[str]:
    """The same in a git dir of ours that has an index, or a work tree in its environment."""
    given = b"".join(paths.raw(path) + b"\0" for path in listed)
    argv = ["check-attr", *options, "-z", "--stdin", "filter"]
    fields = asked(git_dir, *argv, given=given, env=env).split(b"\0")
    rows = zip(fields[0::3], fields[2::3], strict=False)
    return frozenset(paths.text(path) for path, value in rows if value == b"lfs")


def content(repo: Repository, wanted: Pointer, path: str) -> Iterator[bytes]:
    """The bytes a pointer stands for, checked once all of them have come."""
    found = next((place for place in _places(repo, wanted.oid) if place.is_file()), None)
    if found is None:
        raise _missing(path)
    hashed = hashlib.sha256()
    for part in _parts(found):
        hashed.update(part)
        yield part
    if hashed.hexdigest() != wanted.oid:
        raise _missing(path)


def stored(repo: Repository, path: str, *, is_kept: bool) -> Pointer:
    """What stands for a file of the work tree; its content is kept in a store of ours."""
    hashed, size = hashlib.sha256(), 0
    with _keeping(repo, is_kept=is_kept) as kept:
        for part in _parts(repo.root / path):
            hashed.update(part)
            size += kept.write(part)
        found = Pointer(hashed.hexdigest(), size)
        if is_kept:
            target = [*_places(repo, found.oid)][-1]
            target.parent.mkdir(parents=True, exist_ok=True)
            Path(kept.name).replace(target)
    return found


@contextmanager
def _keeping(repo: Repository, *, is_kept: bool) -> Generator[IO[bytes]]:
    """A file that takes content whose name is not known yet."""
    if not is_kept:
        with Path(os.devnull).open("wb") as file:
            yield file
        return
    folder = repo.common / OURS / "lfs"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


def _parts(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while part := file.read(_CHUNK):
            yield part


def _places(repo: Repository, oid: str) -> Iterator[Path]:
    for folder in (repo.common / "lfs", repo.common / OURS / "lfs"):
        yield folder / "objects" / oid[:2] / oid[2:4] / oid


def _missing(path: str) -> CouldNotVerify:
    says = f"the content of {path} is not in the local store of large files"
    return CouldNotVerify(says, hint="git lfs fetch", code="missing-lfs")
