"""JavaScript and TypeScript cut into words, just well enough to know code from text.

Whatever cannot be told apart for certain (a slash that may divide or begin a pattern, markup with
a stray quote, a bracket left open) makes the whole file unclear: none of it is then touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["name", "number", "text", "pattern", "sign"]


class Token(NamedTuple):
    """One word of a source; `text` holds no value that is filled in at run time when `plain`."""

    kind: Kind
    text: str
    start: int
    end: int
    plain: bool = True


class UnclearError(ValueError):
    """A source that was not understood to the letter."""


_SKIPPED = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|\A#![^\n]*)+", re.DOTALL)
_NAME = re.compile(r"#?(?:[^\W\d]|\$)[\w$]*")
_NUMBER = re.compile(r"\.?\d(?:[eE][+-]?\d|[\w.])*")
_QUOTED = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_PATTERN = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_SIGN = re.compile(r"=>|\.\.\.|[^\s\w]")
# After these words a slash begins a pattern; after any other name it divides.
_BEFORE_VALUE = frozenset(
    "return typeof instanceof in of new delete void throw case do else yield await".split()
)
_PAIRS = {")": "(", "]": "[", "}": "{"}


def tokens(source: str) -> list[Token]:
    """Every word of a source whose brackets all close."""
    found = list(_Walk(source).until(closing=""))
    open_: list[str] = []
    for token in found:
        if token.kind == "sign" and token.text in "([{":
            open_.append(token.text)
        elif (
            token.kind == "sign"
            and token.text in _PAIRS
            and (not open_ or open_.pop() != _PAIRS[token.text])
        ):
            raise UnclearError("a bracket closes what was not opened")
    if open_:
        raise UnclearError("a bracket is left open")
    return found


class _Walk:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def until(self, *, closing: str) -> Iterator[Token]:
        """The words up to a closing brace of one's own, or to the end."""
        before: Token | None = None
        depth = 0
        while True:
            if skipped := _SKIPPED.match(self.source, self.at):
                self.at = skipped.end()
            if self.at >= len(self.source):
                if closing:
                    raise UnclearError("a template is left open")
                return
            token = self._one(before)
            if token.kind == "sign" and token.text == "{":
                depth += 1
            elif token.kind == "sign" and token.text == "}":
                if closing and not depth:
                    return
                depth -= 1
            yield token
            before = token

    def _one(self, before: Token | None) -> Token:
        sign = self.source[self.at]
        if sign == "`":
            return self._template()
        if sign in "'\"":
            return self._matched(_QUOTED, "text")
        if sign == "/" and _begins_value(before):
            return self._matched(_PATTERN, "pattern")
        if found := _NUMBER.match(self.source, self.at):
            return self._took(found, "number")
        if found := _NAME.match(self.source, self.at):
            return self._took(found, "name")
        return self._matched(_SIGN, "sign")

    def _matched(self, pattern: re.Pattern[str], kind: Kind) -> Token:
        found = pattern.match(self.source, self.at)
        if found is None:
            raise UnclearError(f"{kind} at {self.at} does not end")
        return self._took(found, kind)

    def _took(self, found: re.Match[str], kind: Kind) -> Token:
        self.at = found.end()
        return Token(kind, found[0], found.start(), found.end())

    def _template(self) -> Token:
        start, plain = self.at, True
        self.at += 1
        while True:
            if self.at >= len(self.source):
                raise UnclearError("a template is left open")
            if self.source[self.at] == "\\":
                self.at += 2
            elif self.source.startswith("${", self.at):
                self.at, plain = self.at + 2, False
                for _ in self.until(closing="}"):
                    pass
            else:
                self.at += 1
                if self.source[self.at - 1] == "`":
                    return Token("text", self.source[start : self.at], start, self.at, plain)


def _begins_value(before: Token | None) -> bool:
    """Whether what follows a word is a value, so that a slash there begins a pattern."""
    if before is None:
        return True
    if before.kind == "name":
        return before.text in _BEFORE_VALUE
    if before.kind != "sign" or before.text in (")", "]"):
        return False
    if before.text in ("}", "<", "+", "-"):
        raise UnclearError("a slash that may divide or begin a pattern")
    return True
