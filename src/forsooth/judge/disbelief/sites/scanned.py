"""Mutants of languages that are only scanned, by tokens that can be nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from forsooth.judge.disbelief.bodies import go, javascript
from forsooth.judge.disbelief.bodies.body import Put
from forsooth.judge.disbelief.bodies.scan import Token
from forsooth.judge.disbelief.sites.site import Site

_MARKS = {
    "===": "!==",
    "!==": "===",
    "==": "!=",
    "!=": "==",
    "<=": ">",
    ">=": "<",
    "&&": "||",
    "||": "&&",
}
_SPACED = {"<": ">=", ">": "<=", "+": "-", "-": "+", "*": "+"}
_WORDS = {"true": "false", "false": "true"}
_TESTS = {
    b"-eq": b"-ne",
    b"-ne": b"-eq",
    b"-lt": b"-ge",
    b"-ge": b"-lt",
    b"-gt": b"-le",
    b"-le": b"-gt",
    b"-z": b"-n",
    b"-n": b"-z",
    b"=": b"!=",
    b"!=": b"=",
    b"&&": b"||",
    b"||": b"&&",
    b"true": b"false",
    b"false": b"true",
}
_SHELL = re.compile(
    rb"(?<=[ \t])(-(?:eq|ne|lt|ge|gt|le|z|n)|=|!=|&&|\|\||true|false|\d{1,9})(?=[ \t;\n]|$)"
)
_SHOWN = 30
_HEAD = re.compile(r"func(?:tion)?|class|const|let|var|def")


def sites(name: str, now: bytes) -> list[Site]:
    """Every mutant of a file; none when the scan is not sure of it."""
    if name == "shell":
        return list(_shell(now))
    found = (go.scanned if name == "go" else javascript.scanned)(now)
    return list(_tokens(found, now, go_=name == "go")) if found else []


def _tokens(found: Sequence[Token], now: bytes, *, go_: bool) -> Iterator[Site]:
    within, imports = "", False
    for at, token in enumerate(found):
        if token.kind == "word" and _HEAD.fullmatch(token.text):
            within = found[at + 1].text if at + 1 < len(found) else within
        first = at == 0 or found[at - 1].line != token.line
        imports = token.text in ("import", "export", "package") if first else imports
        by = _other(token, now)
        if by and not (imports and token.kind == "text"):
            put = Put(token.at, by.encode(), over=len(token.text))
            rank = 3 if token.kind == "text" else 0 if token.kind == "mark" else 1
            says = f"{token.text if len(token.text) <= _SHOWN else 'text'} became {by}"
            yield Site(rank, token.line, within, says, put, value=token.kind != "mark")
        elif not go_ and token.text == "return" and _value_follows(found, at):
            put = Put(token.end, b" undefined &&")
            yield Site(2, token.line, within, "the result became undefined", put)


def _other(token: Token, now: bytes) -> str:
    """What a token is put to; empty where it is left alone."""
    match token.kind:
        case "mark" if token.text in _SPACED:
            beside = now[token.at - 1 : token.at] + now[token.end : token.end + 1]
            return _SPACED[token.text] if beside == b"  " else ""
        case "mark":
            return _MARKS.get(token.text, "")
        case "word":
            return _WORDS.get(token.text, "")
        case "number":
            return str(int(token.text) + 1) if token.text.isdecimal() else ""
        case "text":
            quote = token.text[0]
            return f"{quote}changed{quote}" if quote in "'\"`" and len(token.text) > 3 else ""  # noqa: PLR2004


def _value_follows(found: Sequence[Token], at: int) -> bool:
    after = found[at + 1] if at + 1 < len(found) else None
    return (
        after is not None
        and after.line == found[at].line
        and after.text not in (";", "}", "undefined", "null")
    )


def _shell(now: bytes) -> Iterator[Site]:
    start = 0
    for number, line in enumerate(now.splitlines(keepends=True), 1):
        if not line.lstrip().startswith(b"#"):
            for found in _SHELL.finditer(line):
                was = found[1]
                by = _TESTS.get(was) or str(int(was) + 1).encode()
                put = Put(start + found.start(1), by, over=len(was))
                says = f"{was.decode()} became {by.decode()}"
                yield Site(1 if was.isdigit() else 0, number, "", says, put, value=was.isdigit())
        start += len(line)
