"""What a script expects, changed: the words all languages share.

A change never touches what the product is given, as far as that can be told; it is `sure` when the
script must fail by it, however the product works.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import sha256
from typing import Any, Literal, NamedTuple, cast

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_STRONG = frozenset(
    "assert expect expects same equal equals eq eql must should verify assertion".split()
)
_WEAK = frozenset(
    "is check checks ok match matches want wants compare contains has similar like".split()
)
# Whoever is called so is content with another value, compares by size, or takes no value at all.
_OTHERWISE = frozenset(
    "not no never ne neq differ differs different without refute isnt unequal absent missing deny "
    "greater less above below least most between gt lt ge le raises raise throws throw rejects "
    "reject negative warns logs true false truthy falsy fail instance instanceof type".split()
)
# A script fails when it ends badly, or when what it keeps about failing changes.
_MINDED = r"\w*(?:fail|bad|err|wrong|miss|broken|problem|differ)\w*"
_FAILS = re.compile(
    r"\b_?exit\b(?!\s*\(?\s*(?:0\b|\)|$|;))|\b(?:abort|die|raise|throw|exitCode|assert)\b"
    rf"|(?i:\b{_MINDED}\s*(?:\+=|\+\+|\|=|=(?!=)|\.(?:append|push|add)\()|\+\+{_MINDED}"
    r"|\b(?:ok|okay|passed|success|good|all_\w+)\s*(?:&=|=)\s*(?:false|0|no)\b"
    r"|\b(?:status|rc|ret|code|result|exit_?\w*)\s*(?:\|=|=)\s*(?:[1-9]|false\b))"
    r"|\bassert\w*\s*[.(]|(?:^|[;{]\s*)(?:false\b|(?:\w+[._])?fail\w*\s*(?:[(\s\"']|$))",
    re.MULTILINE,
)
_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_RETURNS = re.compile(r"\breturn\s+(?:[1-9]|[Ff]alse\b)")
_BAD = re.compile(r"(?i)fail|bad|err|wrong|not ok|mismatch|raise|throw|exit\s*\(?[1-9]|return [1f]")
_COMPARES = re.compile(
    r"[!=]=|\s=\s|-(?:eq|ne)\b|\bassert|[eE]qual|\b(?:same|diff|cmp|case|grep|is|in)\b|includes|=~"
)
_WANTED = frozenset("want wanted expected expect exp golden reference correct right should".split())

_TWO = 2
_LONG = 8  # a branch with more lines than this does something else beside failing
_COUNTS = frozenset(
    "fail fails failed failing failure failures bad err errs errors wrong broken mismatches".split()
)

_MAIN = frozenset({"main", "run"})


class Change(NamedTuple):
    """Bytes of a source and what stands there instead."""

    start: int
    end: int
    text: bytes
    sure: bool


class Drawn(NamedTuple):
    """What other values are made of; nobody can know it beforehand."""

    number: int
    word: str

    def other(self, value: object) -> Any:
        """Another value of the same kind; to do so twice does not lead back."""
        if isinstance(value, bool) or value is None:
            return self.number
        if isinstance(value, int | float):
            return 2 * value + self.number
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bytes):
            return self.text(value.decode("latin-1")).encode("latin-1")
        if isinstance(value, list | tuple):
            many = cast("Iterable[object]", value)
            made = [self.other(one) for one in many] or [self.word]
            return made if isinstance(value, list) else tuple(made)
        if isinstance(value, dict):
            held = cast("dict[object, object]", value)
            return {key: self.other(one) for key, one in held.items()} or {self.word: self.word}
        return [self.word]

    def text(self, value: str) -> str:
        """A text with another word in it, before the space it ends with."""
        bare = value.rstrip()
        return bare + self.word + value[len(bare) :]


class Helper(NamedTuple):
    """A function of the base: its text, and which of its arguments it is seen to compare."""

    body: str
    compared: frozenset[int] = frozenset()


Helpers = Callable[[str], Helper | None]


def drawn(nonce: str) -> Drawn:
    """Values as a nonce has them."""
    digest = sha256(nonce.encode()).digest()
    letters = "".join(chr(ord("a") + byte % 26) for byte in digest[:7])
    return Drawn(1000 + int.from_bytes(digest[7:10], "big") % 8000, letters)


def parts_of(name: str) -> frozenset[str]:
    """The words in a name, in lower case."""
    return frozenset(part.lower() for part in _PARTS.findall(name))


def is_wanted(name: str) -> bool:
    """Whether something is called like what is expected."""
    return not _WANTED.isdisjoint(parts_of(name))


def is_otherwise(name: str) -> bool:
    """Whether something is called like what is content with another value, or wants a failure."""
    return not _OTHERWISE.isdisjoint(parts_of(name))


def is_main(name: str) -> bool:
    """Whether what a function returns is likely to be what its script exits with."""
    return not _MAIN.isdisjoint(parts_of(name))


def is_count(name: str) -> bool:
    """Whether something is called like a script's own count of what failed."""
    return not _COUNTS.isdisjoint(parts_of(name))


def asserts(name: str, known: Helper | None, *, returns: bool = False) -> bool:
    """Whether a function fails for another value, by its name and by what it does where known.

    `returns` is whether it fails a script by what it returns, too.
    """
    parts = parts_of(name)
    if is_otherwise(name) or not parts & (_STRONG | _WEAK):
        return False
    if known is None:
        return bool(parts & _STRONG)
    return fails(known.body, returns=returns) and _COMPARES.search(known.body) is not None


def chosen(literal: Sequence[bool], wanted: Sequence[bool], known: Helper | None) -> Sequence[int]:
    """Which arguments of an assertion to change: never both sides of one comparison.

    Of a function nobody knows, the second is compared whether a label stands first or last.
    """
    places = range(len(literal))
    if known is not None:
        places = [n for n in places if n in known.compared]
    elif len(literal) != _TWO:
        return [1] if len(literal) > _TWO else []
    fixed = [n for n in places if literal[n]]
    if fixed or len(places) == 1:
        return list(places) if len(places) == 1 else fixed if len(fixed) < len(places) else []
    return ([n for n in places if wanted[n]] or places)[-1:]


def fails(text: str, *, returns: bool = False) -> bool:
    """Whether code ends a script badly, or keeps that in mind, or returns so where that counts."""
    bare = _QUOTED.sub('""', text)
    said = _FAILS.search(bare) or (returns and _RETURNS.search(bare))
    return bool(said)


def branch(then: str, other: str, *, returns: bool = False) -> Literal["then", "else", ""]:
    """Which of two branches is the one that fails; none where that is not plain."""
    first, second = (
        fails(text, returns=returns) and text.count("\n") < _LONG for text in (then, other)
    )
    if first and second:
        first, second = (_BAD.search(text) is not None for text in (then, other))
    if first == second:
        return ""
    return "then" if first else "else"


def changed(source: bytes, changes: Collection[Change]) -> bytes:
    """A source with all changes made; of two that overlap, the outer one."""
    made, at = b"", 0
    for one in sorted(changes, key=lambda c: (c.start, -c.end)):
        if one.start >= at:
            made, at = made + source[at : one.start] + one.text, one.end
    return made + source[at:]
