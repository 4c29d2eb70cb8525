"""Test modules in a file of Rust: `#[cfg(test)] mod tests { … }`."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from forsooth.judge.checks.recipes.flips.rust_text import bare, closing

_MODULE = re.compile(
    r"#\[cfg\(\s*(?:test|all\(\s*test\b[^\]]*)\s*\)\]\s*(?:#\[[^\]]*\]\s*)*"
    r"(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{"
)


class _Block(NamedTuple):
    """A test module: the how-manieth of its name, and where it lies."""

    key: tuple[str, int]
    start: int
    end: int


def has_tests(data: bytes) -> bool:
    """Whether a file has a test module."""
    return bool(_blocks(data))


def as_sealed(sealed: bytes, now: bytes) -> bytes | None:
    """The delivered file with each sealed test module in its place, or at its end."""
    were, are = _blocks(sealed), _blocks(now)
    if were is None or are is None:
        return None
    texts = {one.key: sealed[one.start : one.end] for one in were}
    made, at = b"", 0
    for one in are:
        made += now[at : one.start] + texts.pop(one.key, now[one.start : one.end])
        at = one.end
    return made + now[at:] + b"".join(b"\n" + text + b"\n" for text in texts.values())


def _blocks(data: bytes) -> list[_Block] | None:
    """The outermost test modules; none when braces do not pair."""
    plain = bare(data.decode("latin-1"))  # bytes one by one, so that places are the file's own
    if plain.count("{") != plain.count("}"):
        return None
    found: list[_Block] = []
    counted: Counter[str] = Counter()
    for module in _MODULE.finditer(plain):
        if found and module.start() < found[-1].end:
            continue
        end = closing(plain, module.end() - 1) or len(plain)
        found.append(_Block((module[1], counted[module[1]]), module.start(), end))
        counted[module[1]] += 1
    return found
