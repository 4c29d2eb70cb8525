"""Tests in a file of JavaScript or TypeScript that is product as well.

They stand in a block that only a test run enters, `if (import.meta.vitest) { … }` and
`if (require.main === module) { … }`, or as calls of `test`, `it` and `describe` at the top.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from forsooth.judge.checks.recipes.flips.script_tests import GROUPS, TESTS
from forsooth.judge.checks.recipes.flips.script_tokens import Token, UnclearError, tokens

_ENTERED = re.compile(
    r"import\s*\.\s*meta\s*\.\s*(?:vitest|main)|require\s*\.\s*main|NODE_ENV|process\s*\.\s*argv"
)
_ASKS = re.compile(r"\bassert\b|\bexpect\b|\bvitest\b|[!=]==?|\bthrow\b")
_PAIRS = {"(": ")", "{": "}", "[": "]"}


class _Stretch(NamedTuple):
    """A test and the characters it takes; `key` is its title, or the condition of its block."""

    key: tuple[str, int]
    start: int
    end: int


def has_tests(data: bytes) -> bool:
    """Whether a file has tests of itself."""
    return bool(_stretches(data))


def as_sealed(sealed: bytes, now: bytes) -> bytes | None:
    """The delivered file with each sealed test in its place, or at its end."""
    were, are = _stretches(sealed), _stretches(now)
    if were is None or are is None:
        return None
    was, text = sealed.decode("utf-8", "replace"), now.decode("utf-8", "replace")
    texts = {one.key: was[one.start : one.end] for one in were}
    made, at = "", 0
    for one in are:
        made += text[at : one.start] + texts.pop(one.key, text[one.start : one.end])
        at = one.end
    made += text[at:] + "".join(f"\n{left}\n" for left in texts.values())
    return made.encode()


def _stretches(data: bytes) -> list[_Stretch] | None:
    """The tests at the top of a file; none when the file is not understood."""
    text = data.decode("utf-8", "replace")
    try:
        words = tokens(text)
    except (UnclearError, RecursionError):
        return None
    seen: Counter[str] = Counter()
    found: list[_Stretch] = []
    for key, first, last in _spans(words, text):
        end = words[last].end
        found.append(_Stretch((key, seen[key]), words[first].start, end))
        seen[key] += 1
    return found


def _spans(words: list[Token], text: str) -> Iterator[tuple[str, int, int]]:
    at = 0
    while at < len(words):
        word = words[at]
        if word.text in _PAIRS and word.kind == "sign":
            at = _closing(words, at) + 1
            continue
        is_first = at == 0 or words[at - 1].text in (";", "}", ")")
        end, key = None, word.text
        if word.kind == "name" and word.text == "if":
            end = _block(words, at, text)
        elif is_first and word.kind == "name" and word.text in TESTS | GROUPS:
            end = _call(words, at)
            title = next((one for one in words[at : (end or at) + 1] if one.kind == "text"), None)
            key = title.text if title else word.text
        if end is None:
            at += 1
            continue
        if end + 1 < len(words) and words[end + 1].text == ";":
            end += 1
        yield key, at, end
        at = end + 1


def _block(words: list[Token], at: int, text: str) -> int | None:
    """The end of a block that only a test run enters, and that asks something."""
    if at + 1 >= len(words) or words[at + 1].text != "(":
        return None
    close = _closing(words, at + 1)
    if close + 1 >= len(words) or words[close + 1].text != "{":
        return None
    end = _closing(words, close + 1)
    condition = text[words[at + 1].start : words[close].end]
    inner = text[words[close + 1].start : words[end].end]
    return end if _ENTERED.search(condition) and _ASKS.search(inner) else None


def _call(words: list[Token], at: int) -> int | None:
    """The end of a call such as `test(…)`, `test.skip(…)` or `test.each(…)(…)`."""
    at += 1
    while at + 1 < len(words) and words[at].text == "." and words[at + 1].kind == "name":
        at += 2
    end = None
    while at < len(words) and words[at].text == "(":
        end = _closing(words, at)
        at = end + 1
    return end


def _closing(words: list[Token], at: int) -> int:
    """The place of the bracket that closes the one that opens here."""
    depth = 0
    for place in range(at, len(words)):
        if words[place].kind == "sign":
            depth += words[place].text in _PAIRS
            depth -= words[place].text in _PAIRS.values()
            if not depth:
                return place
    return len(words) - 1
