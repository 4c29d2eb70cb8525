"""The little Markdown a brief depends on: lines, and the code fences that hide them.

Only fences are recognised (CommonMark 4.5); everything else is text and stays as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_UNREADABLE = re.compile("[\x00\ud800-\udfff]")
_MARKS = re.compile("^\ufeff+", re.MULTILINE)
_OPENS = re.compile(r"( {0,3})(`{3,}|~{3,})(.*)")


class Line(NamedTuple):
    """One line outside every fence."""

    number: int
    text: str


class Block(NamedTuple):
    """A fenced block, as written. `source` has the fence's own lines, `body` has not."""

    number: int
    fence: str
    info: str
    source: tuple[str, ...]
    body: tuple[str, ...]
    closed: bool


class Source(NamedTuple):
    """Normalised lines, and the numbers of those that held something no reader can show."""

    lines: tuple[str, ...]
    unreadable: tuple[int, ...]


def normalise(text: str) -> Source:
    """One line ending, no byte order marks, no NUL and no half surrogate pairs."""
    text = _MARKS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = text.split("\n")
    wrong = tuple(at for at, line in enumerate(lines, 1) if _UNREADABLE.search(line))
    return Source(tuple(_UNREADABLE.sub("\ufffd", line) for line in lines), wrong)


def pieces(lines: Sequence[str]) -> Iterator[Line | Block]:
    """The lines outside fences and the fenced blocks, in order."""
    at = 0
    while at < len(lines):
        opened = _OPENS.fullmatch(lines[at])
        if opened is None or (opened[2][0] == "`" and "`" in opened[3]):
            yield Line(at + 1, lines[at])
            at += 1
        else:
            block = _block(lines, at, opened)
            yield block
            at += len(block.source)


def _block(lines: Sequence[str], at: int, opened: re.Match[str]) -> Block:
    indent, fence = len(opened[1]), opened[2]
    closes = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*")
    end = next((n for n in range(at + 1, len(lines)) if closes.fullmatch(lines[n])), None)
    body = lines[at + 1 : end]
    return Block(
        number=at + 1,
        fence=fence,
        info=opened[3].strip(),
        source=tuple(lines[at:] if end is None else lines[at : end + 1]),
        body=tuple(_outdent(line, indent) for line in body),
        closed=end is not None,
    )


def _outdent(line: str, most: int) -> str:
    spaces = len(line) - len(line.lstrip(" "))
    return line[min(spaces, most) :]
