"""A commit, read from its own bytes."""

from __future__ import annotations

import re
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git.reader import Object

_WHEN = re.compile(rb" (-?\d+) [+-]\d+$")


class Commit(NamedTuple):
    """What a commit says of itself; times are seconds since 1970, as its maker told them."""

    id: str
    tree: str
    parents: tuple[str, ...]
    message: str
    author_time: int
    commit_time: int


def parsed(found: Object) -> Commit:
    """Read one commit; what is no commit is an error."""
    header, _, message = found.data.partition(b"\n\n")
    fields = [line.partition(b" ") for line in header.split(b"\n")]
    values = {name: value for name, _, value in reversed(fields)}
    if found.kind != "commit" or b"tree" not in values:
        says = f"{found.id[:12]} is not a commit"
        raise CouldNotVerify(says, hint="git fsck", code="bad-object")
    return Commit(
        id=found.id,
        tree=values[b"tree"].decode("ascii", "replace"),
        parents=tuple(
            value.decode("ascii", "replace") for name, _, value in fields if name == b"parent"
        ),
        message=message.decode("utf-8", "replace"),
        author_time=_time(values.get(b"author", b"")),
        commit_time=_time(values.get(b"committer", b"")),
    )


def _time(who: bytes) -> int:
    found = _WHEN.search(who)
    return int(found[1]) if found else 0
