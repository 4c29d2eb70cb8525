"""What a node script expects, changed in its own source: assertions and conditions that fail.

Read by its words and brackets alone; a source whose words are not clear is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from forsooth.judge.checks.recipes.flips.script_tokens import Token, UnclearError, tokens
from forsooth.judge.disbelief.scripts.expected import (
    Change,
    Drawn,
    Helper,
    Helpers,
    asserts,
    branch,
    chosen,
    fails,
    is_count,
    is_otherwise,
    is_wanted,
    parts_of,
)

_ABOUT_THE_RUN = re.compile(r"\bargv\b|\bplatform\b|\bprocess\b|require\.main|\bmodule\b")
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_MESSAGE = 2  # the third argument of node's own assertions is what they say
_MATCHERS = frozenset(
    "toBe toEqual toStrictEqual toMatch toContain toHaveLength equal equals eql eq include".split()
)
_LISTENERS = frozenset("on once catch addListener addEventListener".split())
_DEFINED = re.compile(
    r"(?:\bfunction\s*\*?\s*(?P<one>\w+)\s*\(|\b(?P<two>\w+)\s*[=:]\s*(?:async\s*)?"
    r"(?:function\b[^(]*)?\((?=[^()]*\)\s*(?:=>|\{)))(?P<args>[^()]*)\)"
)


def changes(data: bytes, drawn: Drawn, helpers: Helpers) -> list[Change]:
    """Every expectation that is found, with another value; none in a source that is not clear."""
    source = _decoded(data)
    try:
        words = tokens(source)
    except (UnclearError, RecursionError):
        return []
    script = _Script(source, words, drawn, helpers)
    script.read()
    return [
        Change(_bytes(source, one.start), _bytes(source, one.end), one.text, sure=one.sure)
        for one in script.found.values()
    ]


def functions(data: bytes) -> dict[str, Helper]:
    """The functions of a source by their names, and which of their arguments they compare."""
    source = _decoded(data)
    found: dict[str, Helper] = {}
    for one in _DEFINED.finditer(source):
        body = source[one.end() : one.end() + 1500]
        body = re.split(r"\n(?:\}|(?:function|const|let|exports|module)\b)", body, maxsplit=1)[0]
        names = [word.partition("=")[0].strip() for word in one["args"].split(",")]
        pair = re.search(r"\b(\w+)\s*[!=]==?\s*(\w+)\b|qual\((\w+),\s*(\w+)", body)
        said = {word for word in pair.groups() if word} if pair else set[str]()
        compared = frozenset(n for n, name in enumerate(names) if name in said)
        if len(compared) < _MESSAGE:
            compared = frozenset(n for n, name in enumerate(names) if is_wanted(name))
        found[one["one"] or one["two"]] = Helper(body, compared)
    return found


class _Script:
    def __init__(self, source: str, words: list[Token], drawn: Drawn, helpers: Helpers) -> None:
        self.source, self.words, self.drawn, self._helpers = source, words, drawn, helpers
        self.found: dict[tuple[int, int], Change] = {}
        self._own = functions(_encoded(source))
        self._definitions = list(_DEFINED.finditer(source))
        self._pair: dict[int, int] = {}
        self._inside: list[int] = []  # the innermost brace around each word, or -1
        open_: list[int] = []
        for n, word in enumerate(words):
            braces = [at for at in open_ if words[at].text == "{"]
            self._inside.append(braces[-1] if braces else -1)
            if word.kind == "sign" and word.text in _CLOSES:
                open_.append(n)
            elif word.kind == "sign" and word.text in _CLOSES.values():
                at = open_.pop()
                self._pair[at], self._pair[n] = n, at

    def read(self) -> None:
        """Every condition, and every call of what asserts."""
        for n, word in enumerate(self.words):
            if word.kind != "name" or self._said(n + 1) != "(":
                continue
            if word.text == "if":
                self._if(n)
            elif self._said(self._pair[n + 1] + 1) not in ("{", "=>"):
                self._call(n)

    def _said(self, n: int) -> str:
        return self.words[n].text if 0 <= n < len(self.words) else ""

    def _text(self, first: int, last: int) -> str:
        """The source of some words, the last one left out."""
        if first >= last:
            return ""
        return self.source[self.words[first].start : self.words[last - 1].end]

    def _if(self, n: int) -> None:
        close = self._pair[n + 1]
        then, at = self._block(close + 1)
        other, _ = self._block(at + 1) if self._said(at) == "else" else ("", at)
        if which := branch(then, other):
            self._expected(n + 2, close, sure=self._sure(n), holds=which == "else")

    def _block(self, n: int) -> tuple[str, int]:
        """The text of a statement, and where the next one begins."""
        if self._said(n) == "{":
            return self._text(n + 1, self._pair[n]), self._pair[n] + 1
        at = n
        while at < len(self.words) and self._said(at) not in (";", "}"):
            at = self._pair.get(at, at) + 1
        return self._text(n, at), at + 1

    def _expected(self, first: int, last: int, *, sure: bool, holds: bool) -> None:
        """A condition that must hold, or must not: every comparison in it that stands alone."""
        for one, end in self._split(first, last, ("&", "|")):
            if _ABOUT_THE_RUN.search(self._text(one, end)) or self._said(one) == "!":
                continue
            found = [at for at in self._flat(one, end) if self._said(at) in ("=", "!")]
            if not found or found != list(range(found[0], found[0] + len(found))):
                continue
            sign = "".join(self._said(at) for at in found)
            if sign in (("==", "===") if holds else ("!=", "!==")):
                self._compared((one, found[0]), (found[-1] + 1, end), sure=sure)

    def _compared(self, left: tuple[int, int], right: tuple[int, int], *, sure: bool) -> None:
        if is_count(self._text(*left)) or is_count(self._text(*right)):
            return
        first = self._is_literal(*left) and not self._is_literal(*right)
        one, other = (left, right) if first else (right, left)
        if not self._is_literal(*other):
            self._put(*one, sure=sure)

    def _flat(self, first: int, last: int) -> Iterator[int]:
        """Words that stand in no bracket of their own."""
        at = first
        while at < last:
            yield at
            at = self._pair[at] + 1 if self._said(at) in _CLOSES and at in self._pair else at + 1

    def _split(self, first: int, last: int, signs: tuple[str, ...]) -> Iterator[tuple[int, int]]:
        start = first
        for at in self._flat(first, last):
            if self.words[at].kind == "sign" and self._said(at) in signs:
                if at > start:
                    yield start, at
                start = at + 1
        if start < last:
            yield start, last

    def _call(self, n: int) -> None:
        name, root = self._said(n), self._root(n)
        args = list(self._split(n + 2, self._pair[n + 1], (",",)))
        if not args or root == "console" or any(self._said(first) == "..." for first, _ in args):
            return
        sure = self._sure(n)
        own = root in ("assert", "assert.strict", "strict") or name == "assert"
        if own and name in ("assert", "ok", "strict"):
            self._expected(*args[0], sure=sure, holds=True)
        elif root.endswith(")") and name in _MATCHERS:
            if "not" not in parts_of(root):
                self._put(*args[0], sure=sure and "expect" in root)
        elif own and name == "match" and self.words[args[-1][0]].kind == "pattern":
            self._put(*args[1], sure=sure)
        else:
            self._asserted(name, args[:_MESSAGE] if own else args, sure=sure)

    def _root(self, n: int) -> str:
        """What a function is asked of: `a.b` in `a.b.c()`, and calls by their text."""
        at = n
        while self._said(at - 1) == ".":
            at -= 2
            while self._said(at) in (")", "]"):
                at = self._pair[at] - (1 if self._said(self._pair[at] - 1) != "." else 0)
        return self._text(at, n - 1) if at < n else ""

    def _asserted(self, name: str, args: list[tuple[int, int]], *, sure: bool) -> None:
        known = self._own.get(name) or self._helpers(name)
        if not asserts(name, known) or len(args) < 2:  # noqa: PLR2004
            return
        literal = [self._is_literal(*one) for one in args]
        wanted = [is_wanted(self._text(*one)) for one in args]
        for n in chosen(literal, wanted, known):
            self._put(*args[n], sure=sure)

    def _is_literal(self, first: int, last: int) -> bool:
        """Whether nothing in an expression is filled in when the script runs."""
        for n in range(first, last):
            word = self.words[n]
            if word.kind == "text" and not word.plain:
                return False
            if word.kind == "sign" and word.text not in "[]{},:-":
                return False
            is_key = self._said(n + 1) == ":"
            known = ("true", "false", "null", "undefined")
            if word.kind == "name" and not is_key and word.text not in known:
                return False
        return first < last

    def _put(self, first: int, last: int, *, sure: bool) -> None:
        if self._is_in_helper(first, last):
            return
        start, end = self.words[first].start, self.words[last - 1].end
        self.found[start, end] = Change(start, end, _encoded(self._other(first, last)), sure=sure)

    def _is_in_helper(self, first: int, last: int) -> bool:
        """Whether this is an argument of an assertion's own: that is changed where it is called."""
        text = self._text(first, last)
        return any(
            asserts(one["one"] or one["two"], self._own.get(one["one"] or one["two"]))
            and text in [word.strip() for word in one["args"].split(",")]
            and one.end() <= self.words[first].start <= one.end() + 1500
            for one in self._definitions
        )

    def _other(self, first: int, last: int) -> str:
        said, word = self._text(first, last), self.words[first]
        number, drawn = self.drawn
        if last - first == 1 and word.kind == "text" and word.plain:
            return said[0] + self.drawn.text(said[1:-1]) + said[-1]
        if last - first == 1 and re.fullmatch(r"\d{1,9}", said):
            return str(self.drawn.other(int(said)))
        if last - first == 1 and word.kind == "pattern":
            body, _, flags = said[1:].rpartition("/")
            return f"/(?:{body}){drawn}/{flags}"
        return (
            f'((v) => typeof v === "number" ? 2 * v + {number} : typeof v === "string" '
            f'? v + "{drawn}" : [v, "{drawn}"])({said})'
        )

    def _sure(self, n: int) -> bool:
        """Whether a word is surely come by, and what it throws is not lost."""
        at = self._inside[n]
        while at >= 0:
            if not self._enters(at):
                return False
            at = self._inside[at]
        return True

    def _enters(self, at: int) -> bool:
        """Whether the block that a brace opens is run wherever the code around it is."""
        before = self._said(at - 1)
        if before in ("do", "finally"):
            return True
        if before == "=>":
            return self._is_called(at - 1)
        if before == "try":
            return self._is_caught_well(self._pair[at] + 1)
        if before != ")":
            return False
        head = self._pair[at - 1] - 1
        name, word = self._said(head), self._said(head - 1)
        if name in ("if", "catch", "switch", "with"):
            return False
        if name == "function":
            return self._is_called(head)
        return name in ("for", "while", "await") or (word == "function" and self._is_used(name))

    def _is_called(self, at: int) -> bool:
        """Whether a function without a name is run: given away, called at once, or used later."""
        start = at - 1 if self._said(at) == "=>" else at
        start = self._pair.get(start, start) if self._said(at) == "=>" else start
        start -= 1 if self._said(start - 1) == "async" else 0
        before = self._said(start - 1)
        if before == "=":
            return self._is_used(self._said(start - 2))
        given_to = self._said(self._around(start) - 1)
        return before in ("(", ",") and given_to not in _LISTENERS and not is_otherwise(given_to)

    def _around(self, n: int) -> int:
        """The bracket that a word stands in."""
        return max((a for a, b in self._pair.items() if a < n < b), default=-1)

    def _is_caught_well(self, n: int) -> bool:
        if self._said(n) != "catch":
            return True
        at = n + 1 if self._said(n + 1) == "{" else self._pair[n + 1] + 1
        return fails(self._text(at + 1, self._pair[at]))

    def _is_used(self, name: str) -> bool:
        """Whether a function is named at the top of the script, outside its own definition."""
        return any(
            word.text == name
            and self._said(n - 1) not in ("function", "const", "let", "var")
            and self._inside[n] < 0
            for n, word in enumerate(self.words)
        )


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _bytes(source: str, at: int) -> int:
    return len(_encoded(source[:at]))
