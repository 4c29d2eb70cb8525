"""Which paths a glob names: `*` stays in a folder, `**` crosses them, `{a,b}` is either.

A plain path names a file, or everything below a folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

_MAGIC = frozenset("*?[{")


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
    if not _MAGIC & set(pattern):
        return re.compile(re.escape(pattern) + r"(?:/.*)?", re.DOTALL)
    try:
        return re.compile(_translated(pattern), re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


def _translated(pattern: str) -> str:
    """The glob as a regular expression."""
    parts: list[str] = []
    at = depth = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*" and pattern.startswith("*", at):
            at += 1
            below = pattern.startswith("/", at) and (at < 3 or pattern[at - 3] == "/")  # noqa: PLR2004
            parts.append("(?:.*/)?" if below else ".*")
            at += 1 if below else 0
        elif char == "[" and (end := pattern.find("]", at + 1)) > 0:
            parts.append(_among(pattern[at:end]))
            at = end + 1
        elif char == "{" and "}" in pattern[at:]:
            parts.append("(?:")
            depth += 1
        elif depth and char in ",}":
            parts.append("|" if char == "," else ")")
            depth -= char == "}"
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
    return "".join(parts)


def _among(inside: str) -> str:
    no = inside[:1] in ("!", "^")
    chars = (inside[1:] if no else inside).replace("\\", "\\\\").replace("[", "\\[")
    return f"(?!/)[{'^' if no else ''}{chars}]"
