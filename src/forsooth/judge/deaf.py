"""Makefiles that make a run deaf: another shell, other flags, failures that count for nothing."""

from __future__ import annotations

import re

from forsooth.judge.checker import Look
from forsooth.judge.words import MAKEFILES

_MAKEFILE = re.compile(r"(?:.*/)?(?:GNUmakefile|[Mm]akefile(?:\.\w+)?|[^/]+\.mk)")
_DEAF = re.compile(
    rb"^(?:(?:override|export)\s+)*(?:SHELL|\.SHELLFLAGS|MAKEFLAGS)\s*[:?+!]{0,3}=.*"
    rb"|^\.(?:IGNORE|POSIX|ONESHELL)\s*:.*",
    re.MULTILINE,
)


# Flags and shells by which a failure is only seen the sooner.
_STRICTER = re.compile(
    rb"(?:(?:override|export)\s+)*(?:"
    rb"\.SHELLFLAGS\s*[:?]{0,2}=\s*(?:-[eux]*(?:o\s+pipefail)?\s+)*-[eux]*c\s*$"
    rb"|SHELL\s*[:?]{0,2}=\s*(?:/usr)?(?:/bin/|/usr/bin/env\s+)?(?:ba|da|z|k)?sh\s*$)"
)

_RECIPE = re.compile(
    rb"^\t([-@+ \t]*)(.*?)(\s*(?:\|\||;)\s*(?:true|:|exit 0|echo\b[^|&;]*))?[ \t]*$", re.MULTILINE
)
_TIDIES = re.compile(rb"(?:rm|rmdir|mkdir|cp|mv|ln|touch|chmod|kill|pkill|echo|printf)\b")


def deafened(path: str, before: Look | None, after: Look) -> str:
    """The first line of a makefile that changes how make runs and was not there; else empty."""
    if not _MAKEFILE.fullmatch(path):
        return ""
    was, now = (
        set(_DEAF.findall(look.read(path) or b"")) if look else set[bytes]()
        for look in (before, after)
    )
    new = sorted(line for line in now - was if not _STRICTER.match(line))
    new += _unheard(path, before, after) if before else []
    new += _in_front(path, before, after) if before else []
    return new[0].decode("utf-8", "replace").strip() if new else ""


def _unheard(path: str, before: Look, after: Look) -> list[bytes]:
    """Commands of recipes whose failure counted, and does not any more."""
    heard = {row[2] for row in _RECIPE.finditer(before.read(path) or b"") if not _is_ignored(row)}
    found = _RECIPE.finditer(after.read(path) or b"")
    lost = [row for row in found if _is_ignored(row) and row[2] and row[2] in heard]
    return [row[0] for row in lost if not _TIDIES.match(row[2])]


def _in_front(path: str, before: Look, after: Look) -> list[bytes]:
    """The first rule of a new makefile that make takes instead of one that was there."""
    folder, slash, name = path.rpartition("/")
    later = MAKEFILES[MAKEFILES.index(name) + 1 :] if name in MAKEFILES else ()
    there = frozenset(before.paths())
    behind = [one for one in later if f"{folder}{slash}{one}" in there]
    text = after.read(path) or b""
    if path in there or not behind or any(one.encode() in text for one in behind):
        return []
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(b"#")]
    return lines[:1]


def _is_ignored(row: re.Match[bytes]) -> bool:
    return b"-" in row[1] or row[3] is not None
