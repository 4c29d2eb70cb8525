"""Makefiles that make a run deaf: another shell, other flags, failures that count for nothing."""

from __future__ import annotations

import re

from forsooth.judge.checker import Look

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


def deafened(path: str, before: Look | None, after: Look) -> str:
    """The first line of a makefile that changes how make runs and was not there; else empty."""
    if not _MAKEFILE.fullmatch(path):
        return ""
    was, now = (
        set(_DEAF.findall(look.read(path) or b"")) if look else set[bytes]()
        for look in (before, after)
    )
    new = sorted(line for line in now - was if not _STRICTER.match(line))
    return new[0].decode("utf-8", "replace").strip() if new else ""
