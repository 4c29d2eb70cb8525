"""Other expectations in a text with examples: what each is to print, changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from forsooth.judge.disbelief.scripts.expected import Change, Drawn, Helpers

_EXAMPLE = re.compile(
    rb"^([ \t]*)>>>[^\n]*\n(?:\1\.\.\.[^\n]*\n)*\1((?!>>>|\.\.\.)[^\s][^\n]*)", re.MULTILINE
)


def files(words: Sequence[str]) -> tuple[str, ...]:
    """What `python -m doctest` is given."""
    for at, word in enumerate(words[:-1]):
        if word == "-m":
            is_asked = words[at + 1] == "doctest"
            return tuple(w for w in words[at + 2 :] if not w.startswith("-")) if is_asked else ()
    return ()


def changes(source: bytes, values: Drawn, _helpers: Helpers) -> list[Change]:
    """The first line of what every example prints is another."""
    text = values.text("").encode()
    return [Change(*one.span(2), text, sure=True) for one in _EXAMPLE.finditer(source)]
