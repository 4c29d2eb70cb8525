"""Lines about the whole plan: `Deliver: branch NAME`, `Upstream: REF`, `Suite: COMMAND`.

They stand before the first goal. A suite that cannot be read is a defect, never prose: a plan
that quietly keeps nothing green is worse than one that is refused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from forsooth.core.brief import shapes
from forsooth.core.brief.draft import Defect, Terms, shown
from forsooth.core.brief.shell import is_program

_LINE = re.compile(r"(deliver|upstream|suite):[ \t]*(\S.*)", re.IGNORECASE)
_REF = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|[./]$|\.lock$))[^\s~^:?*\[\\\x00-\x20\x7f]+")
_SUITE = "Suite: `pytest -q`"


class Agreed(NamedTuple):
    """What one line settles for the whole plan, and what is wrong with it."""

    terms: Terms
    defects: tuple[Defect, ...] = ()


def agreed(text: str, line: int) -> Agreed | None:
    """What a line settles; None when it is prose."""
    form = _LINE.fullmatch(text.rstrip())
    if form is None:
        return None
    word, value = form[1].casefold(), form[2]
    if word == "suite":
        return _suite(value, line)
    return _deliver(value, line) if word == "deliver" else _upstream(value, line)


def _deliver(value: str, line: int) -> Agreed | None:
    word, *rest = value.split()
    if word.casefold() == "worktree" and not rest:
        return Agreed(Terms(deliver="worktree"))
    if word.casefold() == "branch" and len(rest) == 1 and _REF.fullmatch(rest[0]):
        return Agreed(Terms(deliver=f"branch {rest[0]}"))
    if rest and word.casefold() != "branch":
        return None
    says = f"`{shown(value)}` is neither `worktree` nor `branch` and a name."
    return _wrong(line, says, "Deliver: branch main")


def _upstream(value: str, line: int) -> Agreed | None:
    if len(value.split()) > 1:
        return None
    if _REF.fullmatch(value):
        return Agreed(Terms(upstream=value))
    return _wrong(line, f"`{shown(value)}` is no name of a ref.", "Upstream: origin/main")


def _suite(value: str, line: int) -> Agreed:
    if "`" not in value and not is_program(value):
        says = f"“{shown(value)}” does not look like a command; put one in backticks."
        return _wrong(line, says, _SUITE)
    read = shapes.draft(f"stays green: {value if '`' in value else f'`{value}`'}", line)
    if isinstance(read, Defect):
        return _wrong(line, f"`{shown(value)}` is not one command.", _SUITE)
    if not read.guard or read.check.kind not in ("command", "tests"):
        return _wrong(line, f"`{shown(value)}` is not one command.", _SUITE)
    return Agreed(Terms(suite=read.check))


def _wrong(line: int, says: str, fix: str) -> Agreed:
    return Agreed(Terms(), (Defect(line=line, code="bad-attribute", says=says, fix=fix),))
