"""Paths as git stores them: bytes, shown as text with odd bytes escaped, and none that escapes.

A path in a tree is anybody's word. One that leads out, into a `.git` in any disguise a file system
knows, or that a folder cannot hold, is refused before anything is written.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from forsooth.errors import CouldNotVerify

_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")  # as HFS+ does in names
_PLAIN = re.compile(r"[^\x00-\x1f./\\gG\x7f-\U0010ffff][^\x00-\x1f/\\\x7f-\U0010ffff]*")
_DOT_GIT = re.compile(r"(?:\.git|git~\d+)[ .]*(?::.*)?", re.DOTALL)


def text(path: bytes) -> str:
    """A path as text; bytes that are no UTF-8 survive the way back."""
    return path.decode("utf-8", "surrogateescape")


def raw(path: str) -> bytes:
    """The bytes of a path."""
    return path.encode("utf-8", "surrogateescape")


def is_component(name: str) -> bool:
    """Whether a name may stand between two slashes."""
    return bool(_PLAIN.fullmatch(name)) or _is_harmless(name)


@lru_cache(maxsize=4096)
def _is_harmless(name: str) -> bool:
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        return False
    folded = unicodedata.normalize("NFKC", _IGNORED.sub("", name)).casefold()
    return not any(_DOT_GIT.fullmatch(part) for part in folded.split("\\"))


def check(path: str) -> str:
    """The path itself when it stays inside; an error otherwise."""
    if not all(map(is_component, path.split("/"))):
        raise unsafe(path)
    return path


def unsafe(path: str) -> CouldNotVerify:
    """The error for a path that would leave the copy or enter a git dir."""
    return CouldNotVerify(f"{path!r} is not a path that may be written", code="unsafe-path")
