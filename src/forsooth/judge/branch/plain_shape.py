"""Tests in other languages by their text: from one test's head to the next, comments taken out.

Coarse on purpose: only how many assertions there are, and how exact each is by its name.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from forsooth.judge.branch.words import Assertion, Shape

_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"//[^\n\"'`]*$|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_GO = re.compile(r"^func (?:\([^)]*\) )?(\w+)\(", re.MULTILINE)
_GO_SAYS = re.compile(
    r"\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(.*"
    r"|\b(?:assert|require|is|qt|c|check|be)\.(\w+)\(.*"
)
_RUST = re.compile(r"^\s*(?:pub |async )*fn (\w+)", re.MULTILINE)
_RUST_SAYS = re.compile(
    r"\b(?:debug_)?(assert\w*|panic|prop_assert\w*)!.*|\.(unwrap_err|expect_err)\(.*"
)
_SCRIPT = re.compile(r"\b(?:it|test)(?:\.\w+)*\(\s*(['\"`])((?:\\.|(?!\1).)*)\1", re.DOTALL)
_SCRIPT_SAYS = re.compile(
    r"\bexpect\(.*|\bassert(?:\.(\w+))?\(.*|\bt\.(?:is|deepEqual|true|false|throws|equal|same|ok)\(.*"
)
_EXACT = re.compile(
    r"equal|exactly|_eq|errorf?\(|fatalf?\(|tobe\(|same|match|throw|len\(|errorcontains|t\.is\("
    r"|snapshot|calledwith|panics",
    re.IGNORECASE,
)


def go(data: bytes) -> dict[str, Shape]:
    """The functions of a Go file."""
    return _shapes(data, _GO, _GO_SAYS, group=1)


def rust(data: bytes) -> dict[str, Shape]:
    """The functions of a Rust file."""
    return _shapes(data, _RUST, _RUST_SAYS, group=1)


def javascript(data: bytes) -> dict[str, Shape]:
    """The tests of a script by their titles."""
    return _shapes(data, _SCRIPT, _SCRIPT_SAYS, group=2)


def _shapes(
    data: bytes, head: re.Pattern[str], says: re.Pattern[str], *, group: int
) -> dict[str, Shape]:
    text = _COMMENT.sub("", data.decode("utf-8", "replace"))
    heads = list(head.finditer(text))
    found: dict[str, Shape] = {}
    for one, after in zip_longest(heads, heads[1:]):
        body = text[one.end() : after.start() if after else len(text)]
        found[one[group]] = Shape(_SPACE.sub(" ", body).strip(), _assertions(body, says))
    return found


def _assertions(body: str, says: re.Pattern[str]) -> tuple[Assertion, ...]:
    lines = (_SPACE.sub(" ", one[0])[:80].strip() for one in says.finditer(body))
    return tuple(Assertion(line, 2 if _EXACT.search(line) else 1) for line in lines)
