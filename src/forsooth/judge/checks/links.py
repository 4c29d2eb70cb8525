"""Where a path of a tree really leads, through every link on the way; nothing on disk is asked."""

from __future__ import annotations

from typing import NamedTuple

from forsooth.judge.checker import Look

LINK = "120000"
_MOST = 40


class Led(NamedTuple):
    """A path with its links followed; `out` when it leaves the repository or goes in circles."""

    path: str
    out: bool = False


def followed(look: Look, path: str) -> Led:
    """The path a reader of `path` would reach."""
    left = path.split("/")[::-1]
    here: list[str] = []
    hops = 0
    while left:
        part = left.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not here:
                return Led(path, out=True)
            here.pop()
            continue
        here.append(part)
        at = "/".join(here)
        if look.mode(at) != LINK:
            continue
        target = (look.read(at) or b"").decode("utf-8", "surrogateescape")
        hops += 1
        if target.startswith("/") or hops > _MOST:
            return Led(target or at, out=True)
        here.pop()
        left += target.split("/")[::-1]
    return Led("/".join(here))
