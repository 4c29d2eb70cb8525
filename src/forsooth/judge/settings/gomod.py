"""go.mod with the replacements of modules the base already had as sealed; requirements stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_OPENS = re.compile(r"(\w+)\s*\(\s*")
_RULE = re.compile(r"(\S+)(?:\s+v\S+)?\s*=>\s*\S.*")


class _Line(NamedTuple):
    """One line of the file: the directive it belongs to, and what it says of it."""

    text: str
    directive: str = ""
    rule: str = ""

    @property
    def replaced(self) -> str:
        """The module that it replaces."""
        found = _RULE.fullmatch(self.rule) if self.directive == "replace" else None
        return found[1] if found else ""


def merged(sealed: bytes, now: bytes, _: tuple[str, ...] = ()) -> bytes | None:
    """The delivered file without replacements that bend what was there."""
    before, lines = list(_lines(sealed)), list(_lines(now))
    known = {one.rule.split()[0] for one in before if one.directive == "require" and one.rule}
    was = {one.replaced: one.rule for one in before if one.replaced}
    is_ = {one.replaced: one.rule for one in lines if one.replaced}
    bent = {module for module in known | was.keys() if was.get(module) != is_.get(module)}
    if not bent:
        return now
    kept = "".join(one.text for one in lines if one.replaced not in bent)
    put = "".join(f"replace {was[module]}\n" for module in sorted(bent & was.keys()))
    return (kept + "\n" * (not kept.endswith("\n")) + put).encode("utf-8", "surrogateescape")


def has_settings(data: bytes) -> bool:
    """Whether anything is replaced."""
    return any(one.replaced for one in _lines(data))


def _lines(data: bytes) -> Iterator[_Line]:
    inside = ""
    for text in data.decode("utf-8", "surrogateescape").splitlines(keepends=True):
        bare = text.partition("//")[0].strip()
        if inside:
            yield _Line(text, inside, "" if bare == ")" else bare)
            inside = "" if bare == ")" else inside
        elif opened := _OPENS.fullmatch(bare):
            inside = opened[1]
            yield _Line(text)
        else:
            directive, _, rule = bare.partition(" ")
            yield _Line(text, directive, rule.strip())
