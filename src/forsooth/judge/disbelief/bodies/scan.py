"""A plain scan of languages with braces: words, numbers, text and marks, comments left out.

It knows no grammar. Where brackets do not match, or text does not end, it gives up.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["word", "number", "text", "mark"]

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(_OPEN.values())


class Token(NamedTuple):
    """A piece of code and where it is; `pair` is the place of its bracket's other half."""

    kind: Kind
    text: str
    at: int
    line: int
    pair: int = -1

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.at + len(self.text)


class Piece(NamedTuple):
    """One piece as a language's own pattern finds it."""

    kind: Kind
    start: int
    end: int


def tokens(text: str, pieces: Iterable[Piece]) -> tuple[Token, ...] | None:
    """Pieces with lines, brackets paired; none when they do not pair."""
    breaks = [found.end() for found in re.finditer("\n", text)]
    made: list[Token] = []
    open_: list[int] = []
    for kind, start, end in pieces:
        token = Token(kind, text[start:end], start, bisect_right(breaks, start) + 1)
        if kind == "mark" and token.text in _OPEN:
            open_.append(len(made))
        elif kind == "mark" and token.text in _CLOSE:
            if not open_ or _OPEN[made[open_[-1]].text] != token.text:
                return None
            first = open_.pop()
            made[first] = made[first]._replace(pair=len(made))
            token = token._replace(pair=first)
        made.append(token)
    return None if open_ else tuple(made)


def read(data: bytes) -> str | None:
    """Bytes one by one as characters, so that an offset in the text is one in the file."""
    return None if b"\0" in data else data.decode("latin-1")
