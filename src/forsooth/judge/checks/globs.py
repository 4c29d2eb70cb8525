"""Which paths a glob names: `*` stays in a folder, `**` crosses them, `{a,b}` is either.

A plain path names a file, or everything below a folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

from forsooth.hooks.globs import MAGIC, regex


def matches(pattern: str, path: str) -> bool:
    """Whether a glob names a path."""
    return _compiled(pattern).fullmatch(path) is not None


def any_matches(patterns: Iterable[str], path: str) -> bool:
    """Whether one of several globs names a path."""
    return any(matches(pattern, path) for pattern in patterns)


def folded(name: str) -> str:
    """A path or glob as a file system sees it that knows neither case nor composition."""
    return normalize("NFC", normalize("NFC", name).casefold())


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = pattern.removeprefix("./")
    if pattern.endswith("/"):
        pattern += "**"
    if not MAGIC & set(pattern):
        return re.compile(re.escape(pattern) + r"(?:/.*)?", re.DOTALL)
    try:
        return re.compile(regex(pattern), re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))
