"""Shell by its lines: `return 0` as the first thing in a function, or in a whole script.

Lines of here-documents are data and are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from forsooth.judge.disbelief.bodies.body import Body, Put

_HEAD = re.compile(
    rb"^[ \t]*(?:function[ \t]+([\w:.-]+)[ \t]*(?:\([ \t]*\))?|([\w:.-]+)[ \t]*\([ \t]*\))\s*"
    rb"[{(](?=[\s])",
    re.MULTILINE,
)
_HERE = re.compile(rb"<<(-?)[ \t]*(?:\"([^\"\n]+)\"|'([^'\n]+)'|\\?([\w.]+))")


class _Function(NamedTuple):
    name: str
    at: int
    inner: int
    end: int


def bodies(before: bytes | None, now: bytes) -> tuple[Body, ...] | None:
    """Every function that is new or changed, and the script itself if what it does is."""
    if b"\0" in now:
        return None
    found = tuple(_functions(now))
    old = before or b""
    olds = tuple(_functions(old))
    known = {(one.name, old[one.inner : one.end].strip()) for one in olds}
    made = [
        Body(one.name, now[: one.inner].count(b"\n") + 1, (Put(one.inner, b" return 0;"),))
        for one in found
        if (one.name, now[one.inner : one.end].strip()) not in known
    ]
    if _rest(now, found) != _rest(old, olds):
        start = now.find(b"\n") + 1 if now.startswith(b"#!") else 0
        put = Put(start, b"return 0 2>/dev/null || exit 0\n")
        made.append(Body("<script>", 1, (put,), rough=True))
    return tuple(made)


def _functions(text: bytes) -> Iterator[_Function]:
    """Functions outside here-documents, each up to the line that closes it as it was opened."""
    data = tuple(_documents(text))
    for found in _HEAD.finditer(text):
        if any(start <= found.start() < end for start, end in data):
            continue
        name = (found[1] or found[2]).decode("utf-8", "replace")
        yield _Function(name, found.start(), found.end(), _end(text, found))


def _end(text: bytes, found: re.Match[bytes]) -> int:
    """The first line as deep as the head that closes; a body on one line ends with it."""
    line_end = text.find(b"\n", found.end())
    if line_end < 0:
        return len(text)
    if text[found.end() : line_end].rstrip().endswith((b"}", b")")):
        return line_end
    blank = re.match(rb"[ \t]*", found[0])
    indent = re.escape(blank[0]) if blank else b""
    closing = re.compile(rb"^" + indent + rb"[})]", re.MULTILINE).search(text, line_end)
    return closing.end() if closing else len(text)


def _documents(text: bytes) -> Iterator[tuple[int, int]]:
    """Where here-documents lie."""
    at = 0
    while found := _HERE.search(text, at):
        word = found[2] or found[3] or found[4]
        start = text.find(b"\n", found.end()) + 1
        tabs = rb"\t*" if found[1] else b""
        ends = re.compile(rb"^" + tabs + re.escape(word) + rb"$", re.MULTILINE)
        closing = ends.search(text, start) if start else None
        if closing is None:
            at = found.end()
            continue
        yield start, closing.start()
        at = closing.end()


def _rest(text: bytes, found: tuple[_Function, ...]) -> bytes:
    """What a script does outside its functions."""
    left, at = b"", 0
    for one in found:
        left += text[at : one.at]
        at = max(at, one.end)
    lines = (left + text[at:]).splitlines()
    return b"\n".join(line.strip() for line in lines if line.strip()[:1] not in (b"", b"#"))
