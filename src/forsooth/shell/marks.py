"""Private characters that stand for what a shell adds to plain text, and what becomes of them.

A part known only at run time is one character, so that text around it can still be compared.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import pairwise

UNKNOWN = "\ue000"  # known only at run time
FETCHED = "\ue001"  # fetched from elsewhere, or decoded
LOCAL = "\ue002"  # what a file here holds
MADE = "\ue003"  # a path that mktemp makes in this same command
SPLIT = "\ue004"  # where an unquoted value falls apart into words
_PLAIN, _ALIVE = "*?[]{},~", "\ue010\ue011\ue012\ue013\ue014\ue015\ue016\ue017"
LIVE = str.maketrans(_PLAIN, _ALIVE)
_DEAD = str.maketrans(_ALIVE, _PLAIN)
TILDE = "~".translate(LIVE)
_OPEN, _SHUT, _COMMA = "{".translate(LIVE), "}".translate(LIVE), ",".translate(LIVE)
_FLAT = {ord(one): plain_ for one, plain_ in zip(_ALIVE, _PLAIN, strict=True) if plain_ in "{},"}
_GLOB = re.compile("[" + "*?[".translate(LIVE) + "]")
_UNSEEN = re.compile(f"[{UNKNOWN}{FETCHED}{LOCAL}]")
_PRIVATE = re.compile("[\ue000-\ue0ff\ud800-\udfff]")
MOST = 64  # words that one pair of braces may become


def cleaned(text: str) -> str:
    """Text from outside, without characters that mean something here."""
    return _PRIVATE.sub("\ufffd", text.replace("\0", ""))


def plain(text: str) -> str:
    """Text in which no character is special any more; what is unknown stays marked."""
    return text.translate(_DEAD)


def is_known(text: str) -> bool:
    """Whether nothing of it is left to run time."""
    return not _UNSEEN.search(text) and MADE not in text


def has_glob(text: str) -> bool:
    """Whether the shell would look for file names that match."""
    return bool(_GLOB.search(text))


def pattern(path: str) -> str:
    """A path as others match it: `*` for what is not known, `[*]` for a star that is one."""
    dead = re.sub(r"([*?\[])", r"[\1]", path)
    return _UNSEEN.sub("*", dead.replace(MADE, "*")).translate(_DEAD)


def braced(text: str) -> list[str]:
    """The words that live braces become; a brace that opens none is plain."""
    return [one.translate(_FLAT) for one in _braced(text, [MOST])]


def _braced(text: str, left: list[int]) -> Iterator[str]:
    start, end, commas = _pair(text)
    if not commas or left[0] <= 0:
        yield text
        return
    cuts = [start, *commas, end]
    for begin, stop in pairwise(cuts):
        left[0] -= 1
        yield from _braced(text[:start] + text[begin + 1 : stop] + text[end + 1 :], left)


def _pair(text: str) -> tuple[int, int, list[int]]:
    """The first pair of braces that holds commas, and where they are."""
    depth, start, commas = 0, text.find(_OPEN), list[int]()
    if start < 0:
        return -1, -1, []
    for at in range(start, len(text)):
        char = text[at]
        depth += (char == _OPEN) - (char == _SHUT)
        if char == _COMMA and depth == 1:
            commas.append(at)
        if not depth:
            return start, at, commas
    return -1, -1, []


def located(word: str, cwd: str, *, itself: bool = False) -> str:
    """Where a word points, links followed as far as the path is known.

    `itself` leaves the last part as it is: deleting a link deletes the link.
    """
    unsure = (UNKNOWN, FETCHED, LOCAL, MADE)
    if word.startswith(unsure):  # it may begin with a slash as well as not
        return word
    joined = os.path.join(cwd, word)  # noqa: PTH118
    if joined.startswith(unsure):
        return joined
    sure, rest = _sure(joined)
    if itself and not rest:
        folder, name = os.path.split(sure.rstrip("/"))
        if name not in ("", ".", ".."):
            return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
    found = os.path.realpath(sure.replace("\0", ""))
    return os.path.normpath(os.path.join(found, rest)) if rest else found  # noqa: PTH118


def _sure(path: str) -> tuple[str, str]:
    """The folders before the first part that is not sure, and the rest."""
    parts = path.split("/")
    for at, part in enumerate(parts):
        if has_glob(part) or not is_known(part):
            return "/".join(parts[:at]) or "/", "/".join(parts[at:])
    return plain(path), ""
