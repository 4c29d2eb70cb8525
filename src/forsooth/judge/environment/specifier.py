"""Version ranges, as far as choosing an interpreter needs them."""

from __future__ import annotations

import re

Version = tuple[int, ...]

CLAUSE = re.compile(r"^(~=|===?|!=|<=|>=|<|>|\^|~)?\s*v?(\d+(?:\.\d+)*)(\.\*|\.x)?\S*$")


def numbers(version: str) -> Version:
    """The leading numbers of a version: what comes after them is not compared."""
    found = re.match(r"^\D*(\d+(?:\.\d+)*)", version)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def is_within(version: str, wanted: str) -> bool:
    """Whether a version satisfies a range; clauses that cannot be read hold."""
    return any(
        all(_holds(numbers(version), clause) for clause in re.split(r"[,\s]+(?=[<>=!~^])|,", part))
        for part in wanted.split("||")
    )


def _holds(version: Version, clause: str) -> bool:
    found = CLAUSE.match(clause.strip())
    if not found:
        return True
    sign, wanted, star = found[1] or "==", numbers(found[2]), bool(found[3])
    width = max(len(version), len(wanted))
    have, want = _wide(version, width), _wide(wanted, width)
    match sign:
        case ">=":
            return have >= want
        case ">":
            return have > want
        case "<":
            return have < want
        case "<=":
            return have <= want
        case "~=":
            return have >= want and version[: len(wanted) - 1] == wanted[:-1]
        case "^":
            return have >= want and version[:1] == wanted[:1]
        case "~":
            return have >= want and version[:2] == wanted[:2]
        case "!=":
            return not _same(version, wanted, star=star)
        case _:
            return _same(version, wanted, star=True)


def _wide(version: Version, width: int) -> Version:
    return version + (0,) * (width - len(version))


def _same(version: Version, wanted: Version, *, star: bool) -> bool:
    return version[: len(wanted)] == wanted if star else version == wanted
