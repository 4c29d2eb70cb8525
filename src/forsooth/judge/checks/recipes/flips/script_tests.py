"""JavaScript and TypeScript tests in their source: a throw first in the body of one makes it fail.

Only a test that stands in plain sight is touched: at the top of its file or in a plain group, its
title written out, its body a block or one call. Its canary has the same groups and title, so that
whatever chose the test by name chooses the canary as well.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from forsooth.judge.checks.recipes.flips.script_tokens import Token, UnclearError, tokens

TESTS = frozenset({"test", "it", "specify"})
GROUPS = frozenset({"describe", "suite", "context"})
_FOCUS = frozenset({"only", "fit", "fdescribe"})
_ASSERTIONS = {
    "equal": "assert.equal(LEFT, RIGHT)",
    "strictEqual": "assert.strictEqual(LEFT, RIGHT)",
    "deepEqual": "assert.deepEqual([LEFT], [RIGHT])",
    "deepStrictEqual": "assert.deepStrictEqual([LEFT], [RIGHT])",
    "ok": "assert.ok(String(LEFT) === RIGHT)",
}
_MATCHERS = ("toBe", "toEqual", "toStrictEqual")
_ANY_MATCHER = (
    "const it_ = expect(LEFT); "
    'if (typeof it_.toBe === "function") it_.toBe(RIGHT); else it_.to.equal(RIGHT)'
)
_EQUALS = ("strictEqual", "equal", "deepStrictEqual", "deepEqual")
_WITHIN = frozenset("function new return typeof const let var class import export".split())
_RETURN_TYPE = frozenset("<>.[]|,")


class Level(NamedTuple):
    """A group or a test: the word it is called by, and its title."""

    word: str
    title: str


class Spot(NamedTuple):
    """A test in its source: its call from `start` to `end`, and where its `body` begins.

    Its levels are the groups from the outermost inwards, and itself. `is_call` when the body is no
    block but one call.
    """

    levels: tuple[Level, ...]
    start: int
    body: int
    end: int
    is_call: bool = False

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles from the outside in."""
        return tuple(level.title for level in self.levels)


class Script(NamedTuple):
    """A test file that was understood."""

    source: str
    spots: tuple[Spot, ...]
    style: str
    focused: bool


def understood(source: str) -> Script | None:
    """The tests of a file that can be broken for certain; none when the file is unclear."""
    try:
        words = tokens(source)
    except (UnclearError, RecursionError):
        return None
    spots = [*_spots(words, 0, len(words), ())]
    twins = Counter(spot.titles for spot in spots)
    plain = tuple(spot for spot in spots if twins[spot.titles] == 1)
    focused = any(
        word.kind == "name"
        and word.text in _FOCUS
        and (_is(words, n + 1, "(") or _is(words, n + 1, ":"))
        for n, word in enumerate(words)
    )
    return Script(source, plain, _style(words), focused)


def broken_at(script: Script, spot: Spot) -> str:
    """The file with one test made to fail. The condition keeps compilers from seeing dead code."""
    throw = ' if (Number("1")) throw new Error("broken by the judge");'
    if spot.is_call:
        throw = f"Number((() => {{{throw} return 0; }})()) || "
    return script.source[: spot.body] + throw + script.source[spot.body :]


def turned(script: Script) -> str:
    """The file with the tests of each group last to first; all between them stays in its place."""
    groups: dict[tuple[Level, ...], list[Spot]] = {}
    for spot in script.spots:
        groups.setdefault(spot.levels[:-1], []).append(spot)
    into = {
        spot: other
        for all_ in groups.values()
        for spot, other in zip(all_, reversed(all_), strict=True)
    }
    made, at = "", 0
    for spot in script.spots:
        other = into[spot]
        made += script.source[at : spot.start] + script.source[other.start : other.end]
        at = spot.end
    return made + script.source[at:]


def canary(script: Script, spot: Spot, *, red: bool) -> str:
    """A twin of a test for the end of its file, on one line, that compares two words."""
    left, right = json.dumps("canary"), json.dumps("stone" if red else "canary")
    compared = script.style.replace("LEFT", left).replace("RIGHT", right)
    text = f"() => {{ {compared} }}"
    for level in reversed(spot.levels):
        text = f"{level.word}({json.dumps(level.title)}, {text});"
        text = text if level is spot.levels[0] else f"() => {{ {text} }}"
    return f"\n// @ts-ignore\n;{text}\n"


def _is(words: Sequence[Token], at: int, text: str) -> bool:
    return at < len(words) and words[at].kind in ("sign", "name") and words[at].text == text


def _style(words: Sequence[Token]) -> str:
    """How this file compares, with the two things to be compared left open."""
    called = {
        word.text: words[n + 1].text
        for n, word in enumerate(words[:-1])
        if word.kind == "name" and words[n + 1].text in ("(", ".") and not _is(words, n - 1, ".")
    }
    if called.get("expect") == "(":
        return _each(
            [f"expect(LEFT).{name}(RIGHT)" for name in _used(words, _MATCHERS)] or [_ANY_MATCHER]
        )
    if called.get("assert") == ".":
        used = _used(words, _ASSERTIONS) or ["equal"]
        return _each([_ASSERTIONS[name] for name in used])
    for name in _EQUALS:
        if called.get(name) == "(":
            return f"{name}(LEFT, RIGHT);"
    if called.get("assert") == "(":
        return "assert(String(LEFT) === RIGHT);"
    return 'if (String(LEFT) !== RIGHT) throw new Error("the canary sings");'


def _used(words: Sequence[Token], known: Iterable[str]) -> list[str]:
    """Those of some methods that a file calls."""
    called = {
        word.text
        for n, word in enumerate(words[:-1])
        if _is(words, n - 1, ".") and _is(words, n + 1, "(")
    }
    return [name for name in known if name in called]


def _each(calls: Iterable[str]) -> str:
    """Code that throws when every one of these does: one that was made to say yes is noticed."""
    tried = ", ".join(f"() => {{ {call}; }}" for call in calls)
    return (
        f"if ([{tried}].every((f) => {{ try {{ f(); return false; }} catch {{ return true; }} }})) "
        'throw new Error("the canary sings");'
    )


def _spots(words: Sequence[Token], at: int, end: int, groups: tuple[Level, ...]) -> Iterator[Spot]:
    """The tests between two places that no other bracket encloses, and those in plain groups."""
    while at < end:
        word = words[at]
        if word.kind == "sign" and word.text in "([{":
            at = _closing(words, at) + 1
            continue
        call = _call(words, at)
        if call is None:
            at += 1
            continue
        level, block = call
        last, is_block = _closing(words, at + 1), _is(words, block, "{")
        if level.word in TESTS:
            body = words[block].end if is_block else words[block].start
            yield Spot((*groups, level), word.start, body, words[last].end, not is_block)
        elif is_block:
            yield from _spots(words, block + 1, _closing(words, block), (*groups, level))
        at = last + 1


def _call(words: Sequence[Token], at: int) -> tuple[Level, int] | None:
    """A plain call of a test or a group here, and where the body of its function begins."""
    word = words[at]
    known = word.kind == "name" and word.text in TESTS | GROUPS
    if not known or not _is(words, at + 1, "(") or not _begins(words, at):
        return None
    title = _title(words[at + 2]) if at + 2 < len(words) else None
    if title is None or not _is(words, at + 3, ","):
        return None
    body = at + 4
    if _is(words, body, "{"):
        body = _closing(words, body) + 1
        if not _is(words, body, ","):
            return None
        body += 1
    begins = _body(words, body)
    return None if begins is None else (Level(word.text, title), begins)


def _begins(words: Sequence[Token], at: int) -> bool:
    """Whether a statement begins here."""
    if at == 0:
        return True
    before = words[at - 1]
    if before.kind == "sign":
        return before.text in (";", "}", ")", "]", "{")
    return before.text not in _WITHIN


def _title(token: Token) -> str | None:
    """What a title says; nothing when it is not written out plainly."""
    if token.kind != "text" or not token.plain or "\\" in token.text:
        return None
    return token.text[1:-1].replace("\r\n", "\n") or None


def _body(words: Sequence[Token], at: int) -> int | None:
    """Where the block of a function opens, or the one call that it is; nothing for a value."""
    if _is(words, at, "async"):
        at += 1
    arrow = True
    if _is(words, at, "function"):
        arrow, at = False, at + 1
        if at < len(words) and words[at].kind == "name":
            at += 1
    if _is(words, at, "("):
        at = _closing(words, at) + 1
    elif arrow and at < len(words) and words[at].kind == "name":
        at += 1
    else:
        return None
    if _is(words, at, ":"):
        at += 1
        while at < len(words) and (words[at].kind == "name" or words[at].text in _RETURN_TYPE):
            at += 1
    if arrow:
        if not _is(words, at, "=>"):
            return None
        at += 1
    return at if _is(words, at, "{") or (arrow and _is_call(words, at)) else None


def _is_call(words: Sequence[Token], at: int) -> bool:
    """Whether what stands here, up to the end of an argument, is a call and nothing else."""
    at += _is(words, at, "await")
    while at < len(words) and words[at].kind == "name" and words[at].text not in _WITHIN:
        at += 1
        while _is(words, at, "("):
            at = _closing(words, at) + 1
            if _is(words, at, ")") or _is(words, at, ","):
                return True
        if not _is(words, at, "."):
            return False
        at += 1
    return False


def _closing(words: Sequence[Token], at: int) -> int:
    """Where the bracket that opens here closes."""
    depth = 0
    for n in range(at, len(words)):
        if words[n].kind == "sign":
            depth += words[n].text in ("(", "[", "{")
            depth -= words[n].text in (")", "]", "}")
            if depth == 0:
                return n
    return len(words)
