"""Where objects lie: the repository's own folder, what it borrows, and a store of ours.

What we write goes to our own store under the common dir, so a repository's objects are never
touched. Nothing here is trusted for content: whoever reads an object checks its name.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.git.repository import Repository, bytes_of

OURS = "forsooth"
_PLAIN = frozenset(string.ascii_letters + string.digits + "/._-+ ")
_DEPTH = 5  # as git: a chain of borrowing longer than this is not followed


def stores(repo: Repository) -> tuple[Path, ...]:
    """Every folder that holds objects of a repository, ours first; borrowed ones included."""
    own = repo.common / OURS / "objects"
    found = [own] if own.is_dir() else []
    _follow(repo.common / "objects", found, depth=0)
    return tuple(found)


def _follow(folder: Path, found: list[Path], *, depth: int) -> None:
    if folder in found or depth > _DEPTH:
        return
    found.append(folder)
    for line in bytes_of(folder / "info" / "alternates").splitlines():
        text = line.decode("utf-8", "surrogateescape")
        if text and not text.startswith("#") and "\0" not in text:
            _follow((folder / _unquoted(text)).resolve(), found, depth=depth + 1)


def _unquoted(text: str) -> str:
    """A path as written in alternates; in quotes when it begins with one."""
    if not text.startswith('"'):
        return text
    raw = text.strip().strip('"').encode("utf-8", "surrogateescape")
    return raw.decode("unicode_escape").encode("latin-1").decode("utf-8", "surrogateescape")


def alternates(folders: Iterable[Path | str]) -> bytes:
    """The file that lends objects, with odd paths in quotes."""
    return b"".join(_line(str(folder)) for folder in folders)


def _line(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    if path.isascii() and path.isprintable() and not path.startswith(('"', "#")):
        return raw + b"\n"
    kept = (chr(c) if chr(c) in _PLAIN else f"\\{c:03o}" for c in raw)
    return f'"{"".join(kept)}"\n'.encode()


def store(repo: Repository) -> Path:
    """Our own store, made when it is not there."""
    folder = repo.common / OURS / "objects"
    try:
        (folder / "info").mkdir(parents=True, exist_ok=True)
        lent = alternates([repo.common / "objects"])
        if bytes_of(folder / "info" / "alternates") != lent:
            (folder / "info" / "alternates").write_bytes(lent)
    except OSError as error:
        says = f"{folder} cannot be written: {error.strerror}"
        raise CouldNotVerify(says, code="read-only") from None
    return folder
