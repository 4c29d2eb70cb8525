"""When one glob surely covers another. It may say no when unsure, never yes."""

from __future__ import annotations

from fnmatch import fnmatchcase

_MAGIC = frozenset("*?[{")


def covers(outer: str, inner: str) -> bool:
    """Whether every path that matches `inner` surely matches `outer`."""
    if outer in (inner, "**"):
        return True
    if outer.endswith("/**") and not _MAGIC & set(outer[:-2]):
        return inner.startswith(outer[:-2])
    return not _MAGIC & set(inner) and fnmatchcase(inner, outer.replace("**", "*"))
