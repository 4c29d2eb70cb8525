"""Functions of the product made to do nothing, so that a test has something to notice.

A body is hollowed by what is put in, never by what is taken out: names, imports and shapes stay
as they were. Where a language is unknown, or a file cannot be read for sure, nothing is done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from forsooth.judge.disbelief.bodies import go, javascript, python, shell
from forsooth.judge.disbelief.bodies.body import Body, filled

_Reader = Callable[[bytes | None, bytes], tuple[Body, ...] | None]


class Language(NamedTuple):
    """How one language is told by name or first line, and read."""

    name: str
    endings: tuple[str, ...]
    programs: tuple[bytes, ...]
    read: _Reader


LANGUAGES = (
    Language("python", (".py", ".pyw"), (b"python",), python.bodies),
    Language("typescript", (".ts", ".tsx", ".mts", ".cts"), (), javascript.typed),
    Language("javascript", (".js", ".mjs", ".cjs", ".jsx"), (b"node",), javascript.bodies),
    Language("go", (".go",), (), go.bodies),
    Language("shell", (".sh", ".bash"), (b"sh", b"bash", b"dash", b"ksh"), shell.bodies),
)


def language(path: str, now: bytes) -> Language | None:
    """What a file is written in, as far as it is known here."""
    name = path.rpartition("/")[2]
    for one in LANGUAGES:
        if name.endswith(one.endings):
            return one
    if "." in name or not now.startswith(b"#!"):
        return None
    program = now.partition(b"\n")[0].split(b"/")[-1].removeprefix(b"env ").strip().split(b" ")[0]
    return next((one for one in LANGUAGES if program.rstrip(b"0123456789.") in one.programs), None)


def bodies(path: str, before: bytes | None, now: bytes) -> tuple[Body, ...] | None:
    """Every new or changed body; none when the file cannot be read as code."""
    spoken = language(path, now)
    return spoken.read(before, now) if spoken else None


def hollow(path: str, before: bytes | None, now: bytes) -> bytes | None:
    """A file whose new or changed bodies do nothing; none when there is none to hollow.

    Constructors and whole scripts are spared unless nothing else has changed.
    """
    found = bodies(path, before, now) or ()
    chosen = tuple(one for one in found if not one.rough) or found
    return filled(now, chosen) if chosen else None
