"""Tests in a file of Rust: `#[cfg(test)] mod tests { … }`, plain `#[test]` functions, and the
examples in documentation, which `cargo test` runs as well.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from forsooth.judge.checks.recipes.flips.rust_text import bare, closing

_MODULE = re.compile(
    r"#\[cfg\(\s*(?:test|all\(\s*test\b[^\]]*)\s*\)\]\s*(?:#\[[^\]]*\]\s*)*"
    r"(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{"
)


_TEST = re.compile(
    r"#\[(?:\w+::)*test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:\w+\s+)*?fn\s+(\w+)[^{;]*\{"
)
_DOC = re.compile(r"(?:^[ \t]*//[/!](?!/)[^\n]*\n)+", re.MULTILINE)
_ITEM = re.compile(r"(?:\s*#\[[^\n]*\n)*\s*([^\n{(;]*)")
_FENCE = "```"


class _Block(NamedTuple):
    """A test module, function or example: the how-manieth of its name, and where it lies."""

    key: tuple[str, int]
    start: int
    end: int


def has_tests(data: bytes) -> bool:
    """Whether a file has a test module."""
    return bool(_blocks(data))


def as_sealed(sealed: bytes, now: bytes) -> bytes | None:
    """The delivered file with each sealed test in its place; gone ones before their item, or last.

    An example whose item is gone has nothing left to show.
    """
    were, are = _blocks(sealed), _blocks(now)
    if were is None or are is None:
        return None
    texts = {one.key: sealed[one.start : one.end] for one in were}
    made, at = b"", 0
    for one in are:
        made += now[at : one.start] + texts.pop(one.key, now[one.start : one.end])
        at = one.end
    made += now[at:]
    for (name, _), text in texts.items():
        if name.startswith(_FENCE):
            item = re.compile(rb"^[ \t]*" + re.escape(name[3:].encode("latin-1")), re.MULTILINE)
            found = item.search(made)
            made = made[: found.start()] + text + made[found.start() :] if found else made
        else:
            made += b"\n" + text + b"\n"
    return made


def _blocks(data: bytes) -> list[_Block] | None:
    """The outermost tests in their order; none when braces do not pair."""
    source = data.decode("latin-1")  # bytes one by one, so that places are the file's own
    plain = bare(source)
    if plain.count("{") != plain.count("}"):
        return None
    spans = [
        (one[1], one.start(), closing(plain, one.end() - 1) or len(plain))
        for pattern in (_MODULE, _TEST)
        for one in pattern.finditer(plain)
    ]
    spans += [
        (_FENCE + _item_after(source, one.end()), one.start(), one.end())
        for one in _DOC.finditer(source)
        if _FENCE in one[0]
    ]
    found: list[_Block] = []
    counted: Counter[str] = Counter()
    for name, start, end in sorted(spans, key=lambda span: span[1]):
        if found and start < found[-1].end:
            continue
        found.append(_Block((name, counted[name]), start, end))
        counted[name] += 1
    return found


def _item_after(source: str, at: int) -> str:
    """The head of what stands after some documentation; of a whole file, nothing."""
    found = _ITEM.match(source, at)
    return found[1].strip() if found else ""
