"""Refspecs in a repository's configuration, read and changed as text.

Git is not asked: it would read the rest of the file too, which may name programs to run. Only
whole lines are added or taken out, so everything else keeps its bytes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_SECTION = re.compile(rb"\s*\[([^]\"]*?)(?:\s+\"((?:[^\"\\]|\\.)*)\")?\s*\]")
_FETCH = re.compile(rb"\s*fetch\s*=\s*(.*?)\s*", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")


class Remote(NamedTuple):
    """A remote that fetches something: what, and the number of the line after its last one."""

    name: str
    fetches: tuple[str, ...]
    after: int


def remotes(config: bytes) -> tuple[Remote, ...]:
    """The remotes that fetch something; one with an odd name is none of ours to change."""
    found: dict[str, Remote] = {}
    name = ""
    for number, line in enumerate(config.splitlines(keepends=True), 1):
        if header := _SECTION.match(line):
            is_remote = header[1].strip().lower() == b"remote"
            name = (header[2] or b"").decode("utf-8", "replace") if is_remote else ""
        elif name and _PLAIN.fullmatch(name) and (fetch := _FETCH.fullmatch(line)):
            known = found[name].fetches if name in found else ()
            what = fetch[1].decode("utf-8", "replace")
            found[name] = Remote(name, (*known, what), number)
    return tuple(found.values())


def with_fetch(config: bytes, remote: Remote, refspec: str) -> bytes:
    """The configuration with one more thing fetched, said where the others are."""
    lines = config.splitlines(keepends=True)
    above = lines[remote.after - 1]
    end = b"\r\n" if above.endswith(b"\r\n") else b"\n"
    if not above.endswith(b"\n"):
        lines[remote.after - 1] = above + end
    lines.insert(remote.after, _line(refspec) + end)
    return b"".join(lines)


def without_fetch(config: bytes, refspec: str) -> bytes:
    """The configuration without the line that was added."""
    lines = config.splitlines(keepends=True)
    return b"".join(line for line in lines if line.rstrip(b"\r\n") != _line(refspec))


def _line(refspec: str) -> bytes:
    return b"\tfetch = " + refspec.encode()
