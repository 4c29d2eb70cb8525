"""Go by a plain scan: a return of zero values as the first thing in a body.

What follows is not reached and still uses its imports and variables, as the compiler demands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from forsooth.judge.disbelief.bodies.body import Body, Put
from forsooth.judge.disbelief.bodies.scan import Piece, Token, read, tokens

_PIECE = re.compile(
    r"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>`[^`]*`|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+')"
    r"|(?P<word>[A-Za-z_\x80-\xff][\w\x80-\xff]*)"
    r"|(?P<number>\.?\d(?:[\w.]|(?<=[eEpP])[+-])*)"
    r"|(?P<mark>\.\.\.|<-|:=|==|!=|<=|>=|&&|\|\||\+\+|--|<<|>>|&\^|[-+*/%&|^]=|.)",
    re.DOTALL,
)
_TYPE_WORDS = frozenset(("chan", "func", "map", "interface", "struct"))


class _Function(NamedTuple):
    name: str
    line: int
    results: Sequence[Token]
    open: int
    close: int


def bodies(before: bytes | None, now: bytes) -> tuple[Body, ...] | None:
    """Every function and method that is new or changed; `init` is left alone."""
    found = scanned(now)
    if found is None:
        return None
    old = (scanned(before) or ()) if before is not None else ()
    known = {(one.name, _text(old, one)) for one in _functions(old)}
    return tuple(
        Body(one.name, one.line, (Put(found[one.open].end, put),), rough=one.name == "main")
        for one in _functions(found)
        if (one.name, _text(found, one)) not in known and (put := _returns(one, now))
    )


def scanned(data: bytes) -> tuple[Token, ...] | None:
    """The tokens of a file; none when it cannot be scanned for sure."""
    text = read(data)
    return None if text is None else tokens(text, _pieces(text))


def _pieces(text: str) -> Iterator[Piece]:
    for found in _PIECE.finditer(text):
        match found.lastgroup:
            case "text" | "word" | "number" | "mark" as kind:
                yield Piece(kind, found.start(), found.end())
            case _:
                pass


def _text(found: Sequence[Token], one: _Function) -> str:
    return "\n".join(token.text for token in found[one.open : one.close])


def _functions(found: Sequence[Token]) -> Iterator[_Function]:
    """Declarations at the top of the file that have a body with something in it."""
    at = 0
    while at < len(found):
        token = found[at]
        opens = token.text == "func" and (not at or found[at - 1].line != token.line)
        one = _declared(found, at) if opens else None
        if one and one.name not in ("init", "_") and one.close > one.open + 1:
            yield one
        at = one.close if one else token.pair + 1 if token.pair > at else at + 1


def _declared(found: Sequence[Token], at: int) -> _Function | None:
    """`func (receiver) name[types](parameters) results {`."""
    at += 1
    receiver = ""
    if at < len(found) and found[at].text == "(":
        receiver = "".join(token.text for token in found[at + 1 : found[at].pair])
        at = found[at].pair + 1
    if at + 1 >= len(found) or found[at].kind != "word":
        return None
    name, line = found[at].text, found[at].line
    at += 1
    if found[at].text == "[":
        at = found[at].pair + 1
    if at >= len(found) or found[at].text != "(":
        return None
    start = found[at].pair + 1
    brace = _brace(found, start)
    if brace is None:
        return None
    full = f"({receiver}).{name}" if receiver else name
    return _Function(full, line, found[start:brace], brace, found[brace].pair)


def _brace(found: Sequence[Token], at: int) -> int | None:
    """The brace that opens a body, past those that belong to a type; none where none follows."""
    line = found[at - 1].line
    while at < len(found):
        token = found[at]
        if token.line != line:
            return None
        if token.text == "{" and found[at - 1].text not in ("interface", "struct"):
            return at
        line = token.line
        if token.pair > at:
            line = found[token.pair].line
            at = token.pair
        at += 1
    return None


def _returns(one: _Function, now: bytes) -> bytes:
    """Zero values by type; a bare return where there are no results, or they have names."""
    results = one.results
    if results and results[0].text == "(" and results[0].pair >= 0:
        inner = results[1:-1]
        parts = list(_parts(inner))
        if any(_named(part) for part in parts):
            return b" return;"
    else:
        parts = [results] if results else []
    if not parts:
        return b" return;"
    types = (now[part[0].at : part[-1].end] for part in parts)
    return b" return " + b", ".join(b"*new(" + type_ + b")" for type_ in types) + b";"


def _parts(inner: Sequence[Token]) -> Iterator[Sequence[Token]]:
    depth, start = 0, 0
    for at, token in enumerate(inner):
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == "," and not depth:
            yield inner[start:at]
            start = at + 1
    if inner[start:]:
        yield inner[start:]


def _named(part: Sequence[Token]) -> bool:
    """`name type` rather than a type alone."""
    if len(part) < 2 or part[0].kind != "word" or part[0].text in _TYPE_WORDS:  # noqa: PLR2004
        return False
    if part[1].text == "[":
        depth = 0
        for at, token in enumerate(part):
            depth += (token.text == "[") - (token.text == "]")
            if at > 1 and not depth:
                return at + 1 < len(part)
    return part[1].text != "."
