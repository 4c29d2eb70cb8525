"""Test modules in a file of Rust: `#[cfg(test)] mod tests { … }`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

_MODULE = re.compile(
    rb"#\[cfg\(\s*(?:test|all\(\s*test\b[^\]]*)\s*\)\]\s*(?:#\[[^\]]*\]\s*)*"
    rb"(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{"
)
# What a brace may lie in without being one, and braces themselves.
_TOKEN = re.compile(
    rb"//[^\n]*|(?P<comment>/\*)|\bb?r(?P<hashes>#*)\""
    rb"|\"(?:\\.|[^\"\\])*\"|'(?:\\[^\n']*\\?'|[^\\'\n]{1,4}')|[{}]",
    re.DOTALL,
)
_NESTED = re.compile(rb"/\*|\*/")


class _Block(NamedTuple):
    """A test module: the how-manieth of its name, and where it lies."""

    key: tuple[bytes, int]
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
    braces = _braces(data)
    if braces is None:
        return None
    found: list[_Block] = []
    counted: Counter[bytes] = Counter()
    for module in _MODULE.finditer(data):
        end = braces.get(module.end() - 1)
        if end is None or (found and module.start() < found[-1].end):
            continue
        found.append(_Block((module[1], counted[module[1]]), module.start(), end))
        counted[module[1]] += 1
    return found


def _braces(data: bytes) -> dict[int, int] | None:
    """Where each opening brace lies, and what follows its pair."""
    found: dict[int, int] = {}
    left: list[int] = []
    for at in _plain(data):
        if data[at : at + 1] == b"{":
            left.append(at)
        elif not left:
            return None
        else:
            found[left.pop()] = at + 1
    return None if left else found


def _plain(data: bytes) -> Iterator[int]:
    """Braces outside texts and comments."""
    at = 0
    while token := _TOKEN.search(data, at):
        at = token.end()
        if token["comment"]:
            at = _after_comment(data, at)
        elif token["hashes"] is not None:
            end = data.find(b'"' + token["hashes"], at)
            at = len(data) if end < 0 else end + 1 + len(token["hashes"])
        elif token[0] in (b"{", b"}"):
            yield token.start()


def _after_comment(data: bytes, at: int) -> int:
    """Where a comment ends that may hold others."""
    depth = 1
    for mark in _NESTED.finditer(data, at):
        depth += 1 if mark[0] == b"/*" else -1
        if not depth:
            return mark.end()
    return len(data)
