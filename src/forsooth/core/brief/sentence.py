"""A criterion sentence as tokens: words, commas, `code` and "quoted text".

One pass, no backtracking: a sentence comes from anyone. It knows no shape; `shapes` does.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

LONGEST = 8_000

_SPACE = re.compile(r"\s*")
_TICKS = re.compile(r"`+")
# A comma ends a word, except between the braces of a glob such as src/{a,b}.
_WORD = re.compile(r"(?:\{[^{}\s`]*\}|[^\s,`])+")
_CLOSES = {'"': '"', "“": "”"}
_ESCAPES = {'"': '"', "”": "”", "\\": "\\", "n": "\n", "t": "\t"}

Kind = Literal["word", "comma", "code", "text"]


class Token(NamedTuple):
    """One token; `low` is a word as a keyword is compared, and empty for all else."""

    kind: Kind
    text: str
    low: str = ""

    @property
    def is_apart(self) -> bool:
        """Whether the token only keeps two others apart."""
        return self.kind == "comma" or self.low == "and"


class Unclosed(ValueError):
    """A quote or a code span is opened and never closed."""


def tokens(sentence: str) -> list[Token]:
    """The tokens of a sentence, its final full stop left out."""
    found: list[Token] = []
    at = _skip(sentence, 0)
    while at < len(sentence):
        token, at = _next(sentence, at)
        found.append(token)
        at = _skip(sentence, at)
    if found and found[-1].kind == "word" and found[-1].text.endswith("."):
        bare = found[-1].text.rstrip(".")
        found[-1:] = [_word(bare)] if bare else []
    return found


def _skip(sentence: str, at: int) -> int:
    space = _SPACE.match(sentence, at)
    return space.end() if space else at


class _Step(NamedTuple):
    token: Token
    end: int


def _next(sentence: str, at: int) -> _Step:
    char = sentence[at]
    if char == ",":
        return _Step(Token("comma", ","), at + 1)
    if char == "`":
        return _code(sentence, at)
    if char in _CLOSES:
        return _text(sentence, at)
    word = _WORD.match(sentence, at)
    end = word.end() if word else at + 1
    return _Step(_word(sentence[at:end]), end)


def _word(text: str) -> Token:
    return Token("word", text, text.casefold())


def _code(sentence: str, at: int) -> _Step:
    """A code span ends at a run of as many backticks as began it."""
    ticks = _TICKS.finditer(sentence, at)
    opens = next(ticks)
    closes = next((run for run in ticks if len(run[0]) == len(opens[0])), None)
    if closes is None:
        raise Unclosed(opens[0])
    inner = sentence[opens.end() : closes.start()]
    if inner.strip() and inner[0] == inner[-1] == " ":
        inner = inner[1:-1]
    return _Step(Token("code", inner), closes.end())


def _text(sentence: str, at: int) -> _Step:
    quote, out = _CLOSES[sentence[at]], list[str]()
    at += 1
    while at < len(sentence) and sentence[at] != quote:
        pair = sentence[at : at + 2]
        if pair[0] == "\\" and pair[1:] in _ESCAPES:
            out.append(_ESCAPES[pair[1:]])
            at += 2
        else:
            out.append(pair[0])
            at += 1
    if at >= len(sentence):
        raise Unclosed(quote)
    return _Step(Token("text", "".join(out)), at + 1)
