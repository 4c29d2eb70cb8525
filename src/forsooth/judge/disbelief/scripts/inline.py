"""A script that an argv itself holds, behind `-c` or `-e`, and another put in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_STRICT = "set -e\n"
PROGRAMS = {"shell": r"(?:da|ba)?sh", "python": r"(?:python|pypy)[0-9.]*", "node": r"node"}
_FLAGS = {"shell": r"-\w*c\w*", "python": r"-[A-Za-z]*c", "node": r"-p?e|--eval"}
_TAKES_WORD = {
    "shell": r"[-+]\w*[oO]|--(?:rcfile|init-file)",
    "python": r"-[WX]",
    "node": r"-[rC]|--(?:require|import|loader|experimental-loader|conditions)",
}


class Inline(NamedTuple):
    """The text of an argv at one of its words; `before` is what its options say in its language."""

    argv: tuple[str, ...]
    at: int
    language: str
    before: str = ""

    @property
    def source(self) -> bytes:
        """The text as a script."""
        return (self.before + self.argv[self.at]).encode("utf-8", "surrogateescape")

    def saying(self, source: bytes) -> tuple[str, ...]:
        """The argv with another text."""
        text = source.decode("utf-8", "surrogateescape").removeprefix(self.before)
        return (*self.argv[: self.at], text, *self.argv[self.at + 1 :])


def inline(argv: Sequence[str], program: int) -> Inline | None:
    """The text that an argv holds, whose program stands at a place; none where it names a file."""
    words = tuple(argv)
    language = language_of(words[program]) if program < len(words) else ""
    return _behind(words, program + 1, language) if language else None


def language_of(program: str) -> str:
    """The language that a program runs scripts of; empty where it runs none."""
    name = program.rpartition("/")[2]
    return next((key for key, one in PROGRAMS.items() if re.fullmatch(one, name)), "")


def _behind(words: tuple[str, ...], at: int, language: str) -> Inline | None:
    before = ""
    while at < len(words) and words[at].startswith(("-", "+")):
        word = words[at]
        if language == "shell" and re.fullmatch(r"-\w*e\w*", word):
            before = _STRICT
        if re.fullmatch(_FLAGS[language], word):
            is_plain = at + 1 < len(words) and not words[at + 1].startswith("-")
            return Inline(words, at + 1, language, before) if is_plain else None
        at += 2 if re.fullmatch(_TAKES_WORD[language], word) else 1
    return None
