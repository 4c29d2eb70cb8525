"""JavaScript and TypeScript by a plain scan: `return undefined;` as the first thing in a body.

An arrow whose value is an expression gets it in brackets that are never looked into.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from forsooth.judge.disbelief.bodies.body import Body, Put
from forsooth.judge.disbelief.bodies.scan import Piece, Token, read, tokens

_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_WORD = re.compile(r"[#@]?[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_NUMBER = re.compile(r"(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?)n?")
_STRING = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_REGEX = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_MARK = re.compile(
    r"=>|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\.\.\.|\+\+|--|[-+*/%&|^]=|.", re.DOTALL
)
_BEFORE_REGEX = frozenset(
    "return typeof case in of delete void throw new else do instanceof yield await".split()
)
_CONTROL = frozenset("if for while switch catch with await return typeof super import".split())
_GOES_ON = frozenset("in instanceof of as satisfies".split())
_ENDS = frozenset(",;)]}")
_TYPES_JOIN = frozenset(("|", "&", "=>", ".", "is", "extends", "?", ":"))
_TYPES_LEAD = frozenset(("keyof", "typeof", "readonly", "unique", "asserts", "infer", "new", "|"))

_BEFORE_VALUE = frozenset(("return", "default", "await", "yield", "&&", "||", "??", "=>"))

_RETURN, _RETURN_TYPED = b" return undefined;", b" return undefined as never;"


def bodies(before: bytes | None, now: bytes) -> tuple[Body, ...] | None:
    """Every function that is new or changed, in JavaScript."""
    return _bodies(before, now, types=False)


def typed(before: bytes | None, now: bytes) -> tuple[Body, ...] | None:
    """Every function that is new or changed, in TypeScript."""
    return _bodies(before, now, types=True)


def scanned(data: bytes) -> tuple[Token, ...] | None:
    """The tokens of a file; none when it cannot be scanned for sure."""
    text = read(data)
    return None if text is None else tokens(text, _pieces(text))


def _bodies(before: bytes | None, now: bytes, *, types: bool) -> tuple[Body, ...] | None:
    found = scanned(now)
    if found is None:
        return None
    known: set[tuple[str, str]] = set()
    if before is not None:
        old = scanned(before) or ()
        known = {(one.name, _text(old, one)) for one in _Walk(old, types=types).functions()}
    walk = _Walk(found, types=types)
    return tuple(
        _body(found, one, types=types)
        for one in walk.functions()
        if (one.name, _text(found, one)) not in known
    )


class Part:
    """A function by name and by the tokens of its body, its braces left out."""

    def __init__(self, name: str, first: int, last: int, *, block: bool) -> None:
        self.name, self.first, self.last, self.block = name, first, last, block


def _text(found: Sequence[Token], one: Part) -> str:
    return "\n".join(token.text for token in found[one.first : one.last])


def _body(found: Sequence[Token], one: Part, *, types: bool) -> Body:
    line = found[one.first - 1].line
    if one.block:
        word = _RETURN_TYPED if types else _RETURN
        put = (Put(found[one.first - 1].end, word),)
        return Body(one.name, line, put, rough=one.name == "constructor")
    start, end = found[one.first].at, found[one.last - 1].end
    return Body(one.name, line, (Put(start, b"(undefined && ("), Put(end, b"))")))


class _Walk:
    """One pass over the tokens, from one outermost function to the next."""

    def __init__(self, found: Sequence[Token], *, types: bool) -> None:
        self._all, self._types = found, types

    def functions(self) -> Iterator[Part]:
        at = 0
        while at < len(self._all):
            part = self._arrow(at) or self._named(at)
            if part is None:
                at += 1
                continue
            if part.last > part.first:
                yield part
            at = part.last

    def _is(self, at: int, *texts: str) -> bool:
        return 0 <= at < len(self._all) and self._all[at].text in texts

    def _named(self, at: int) -> Part | None:
        """`function name(…) {`, `name(…) {` of a class or an object."""
        token = self._all[at]
        if not self._is(at, "(") or token.pair < 0 or at == 0:
            return None
        before = self._all[at - 1]
        if before.text == ">" and self._types:
            before = self._generic(at - 1) or before
        word = before.kind in ("word", "text", "number") or before.text == "]"
        plain = self._is(at - 1, "*") and self._is(at - 2, "function")
        if not (word or plain) or before.text in _CONTROL:
            return None
        start = self._after_type(token.pair + 1)
        if start is None or not self._is(start, "{"):
            return None
        if self._all[start].line != self._all[start - 1].line and not self._declared(at):
            return None
        return Part(before.text, start + 1, self._all[start].pair, block=True)

    def _generic(self, at: int) -> Token | None:
        """The word before `<T, …>`."""
        depth = 0
        for back in range(at, max(at - 60, -1), -1):
            depth += {">": 1, "<": -1}.get(self._all[back].text, 0)
            if depth == 0:
                return self._all[back - 1] if back else None
        return None

    def _declared(self, at: int) -> bool:
        """Whether `function` stands before the name."""
        return any(self._is(back, "function") for back in (at - 1, at - 2, at - 3))

    def _arrow(self, at: int) -> Part | None:
        if not self._is(at, "=>") or at + 1 >= len(self._all):
            return None
        if self._types and not self._valued(at):
            return None
        first = at + 1
        if self._all[first].text == "{":
            return Part(self._name(at), first + 1, self._all[first].pair, block=True)
        last = self._end(first)
        return Part(self._name(at), first, last, block=False) if last > first else None

    def _valued(self, at: int) -> bool:
        """Whether an arrow makes a function, and does not only tell the type of one."""
        head = self._head(at)
        if head is None:
            return False
        before = self._all[head - 1].text if head else ""
        if before == "=":
            return not self._is(head - 3, "type") and not self._is(head - 2, ">")
        if before == "(":
            return head > 1 and (self._all[head - 2].kind == "word" or self._is(head - 2, ")"))
        return before in _BEFORE_VALUE

    def _head(self, at: int) -> int | None:
        """Where an arrow's parameters start, past a result's type and `async`."""
        head = at - 1
        if self._all[head].text != ")":
            back = head
            while back > 1 and not (self._is(back, ":") and self._is(back - 1, ")")):
                back = self._all[back].pair if 0 <= self._all[back].pair < back else back - 1
                if self._is(back, ";", "=", "{", "(", ","):
                    break
            if self._is(back, ":") and self._is(back - 1, ")"):
                head = back - 1
            elif self._all[head].kind != "word":
                return None
        head = self._all[head].pair if self._all[head].pair >= 0 else head
        return head - 1 if self._is(head - 1, "async") else head

    def _name(self, at: int) -> str:
        """What an arrow is assigned to, as far as a few tokens back say."""
        for back in range(at, max(at - 40, 0), -1):
            if self._is(back, "=", ":") and self._all[back - 1].kind == "word":
                return self._all[back - 1].text
        return "=>"

    def _end(self, first: int) -> int:
        """The token after an expression."""
        at, asked = first, 0
        while at < len(self._all):
            token = self._all[at]
            if at > first and self._breaks(at):
                return at
            if token.text in _ENDS or (token.text == ":" and not asked):
                return at
            asked += {"?": 1, ":": -1}.get(token.text, 0)
            at = token.pair + 1 if token.pair > at else at + 1
        return at

    def _breaks(self, at: int) -> bool:
        """Whether a line's end before a token also ends the statement."""
        token, before = self._all[at], self._all[at - 1]
        ends = before.kind != "mark" or before.text in (")", "]", "}")
        starts = token.kind != "mark" and token.text not in _GOES_ON
        return token.line != before.line and ends and starts

    def _after_type(self, at: int) -> int | None:
        """The token after a result's type, where there may be one."""
        if not self._is(at, ":"):
            return at
        return self._type(at + 1) if self._types else None

    def _type(self, at: int) -> int | None:
        """The token after a type; none when it does not read like one."""
        while at < len(self._all):
            while at < len(self._all) and self._all[at].text in _TYPES_LEAD:
                at += 1
            token = self._all[at] if at < len(self._all) else None
            if token is None or (token.kind == "mark" and token.text not in "{(["):
                return None
            at = token.pair + 1 if token.pair > at else at + 1
            at = self._suffix(at)
            if not (at < len(self._all) and self._all[at].text in _TYPES_JOIN):
                return at
            at += 1
        return None

    def _suffix(self, at: int) -> int:
        while self._is(at, "[", "<"):
            if self._all[at].text == "[":
                at = self._all[at].pair + 1
                continue
            depth = 0
            while at < len(self._all):
                depth += {"<": 1, ">": -1}.get(self._all[at].text, 0)
                at = self._all[at].pair + 1 if self._all[at].pair > at else at + 1
                if depth == 0:
                    break
        return at


def _pieces(text: str) -> Iterator[Piece]:
    at = text.index("\n") if text.startswith("#!") and "\n" in text else 0
    before = ""
    while at < len(text):
        if blank := _BLANK.match(text, at):
            at = blank.end()
            continue
        piece = _piece(text, at, before)
        yield piece
        before, at = text[piece.start : piece.end], piece.end


def _piece(text: str, at: int, before: str) -> Piece:
    letter = text[at]
    if letter == "`":
        return Piece("text", at, _template(text, at))
    if letter in "'\"" and (found := _STRING.match(text, at)):
        return Piece("text", at, found.end())
    if found := _WORD.match(text, at):
        return Piece("word", at, found.end())
    if letter.isdigit() and (found := _NUMBER.match(text, at)):
        return Piece("number", at, found.end())
    if letter == "/" and _may_be_regex(before) and (found := _REGEX.match(text, at)):
        return Piece("text", at, found.end())
    found = _MARK.match(text, at)
    return Piece("mark", at, found.end() if found else at + 1)


def _may_be_regex(before: str) -> bool:
    last = before[-1:]
    return before in _BEFORE_REGEX or not (last.isalnum() or last in "_$)]}'\"`/")


def _template(text: str, at: int) -> int:
    """The end of a template, what it embeds being scanned by the same rules."""
    at += 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "`":
            return at + 1
        elif text.startswith("${", at):
            at = _embedded(text, at + 2)
        else:
            at += 1
    return len(text)


def _embedded(text: str, at: int) -> int:
    depth, before = 1, ""
    while at < len(text) and depth:
        if blank := _BLANK.match(text, at):
            at = blank.end()
            continue
        piece = _piece(text, at, before)
        before, at = text[piece.start : piece.end], piece.end
        depth += {"{": 1, "}": -1}.get(before, 0)
    return at
