"""Which lines of a ledger a person's commands wrote from this home, noted outside the repository.

Whoever can write to the repository can append a line that says a person spoke. Where only a person
counts, such a line counts when it is noted here. Like the anchor beside it this is a witness: it
never fails an append, and what it does not know is asked for again.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from forsooth.ledger.disk import Disk, make_folders, write_all

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from forsooth.ledger.anchor import Anchor
    from forsooth.ledger.chain import Tail

_SINCE = re.compile(rb"since ([0-9]{16})")
_LINE = re.compile(rb"([0-9]{16}) ([0-9a-f]{64})")


class _Noted(NamedTuple):
    """Everything up to `since` counts as known; of what follows, only what is named."""

    since: int
    heads: dict[int, str]


class Acts:
    """One small file beside the anchor; a ledger older than it is known as far as the anchor."""

    def __init__(self, path: Path, *, anchor: Anchor, disk: Disk) -> None:
        self._path, self._anchor, self._disk = path, anchor, disk
        self._noted: _Noted | None = None

    def begin(self) -> None:
        """Fix what counts as known, once, before an append of ours moves the anchor past it."""
        with suppress(OSError):
            self._noted = self._noted or self._read()
            if self._noted is None:
                make_folders(self._disk, self._path.parent)
                self._write(b"since %016d\n" % self._seen())

    def note(self, tails: Iterable[Tail]) -> None:
        """Remember lines that a person's command wrote just now."""
        with suppress(OSError):
            self._write(b"".join(b"%016d %b\n" % (t.seq, t.head.encode()) for t in tails))
        self._noted = None

    def knows(self, seq: int, head: str = "") -> bool:
        """Whether that line is one of them; without its hash, by its number alone."""
        noted = self._noted
        if noted is None or (seq > noted.since and seq not in noted.heads):
            noted = self._noted = self._read() or _Noted(self._seen(), {})
        found = noted.heads.get(seq)
        return seq <= noted.since or (found is not None and head in ("", found))

    def _seen(self) -> int:
        mark = self._anchor.read()
        return mark.seq if mark else 0

    def _read(self) -> _Noted | None:
        try:
            first, *rest = self._disk.read(self._path).split(b"\n")
        except OSError:
            return None
        since = _SINCE.fullmatch(first)
        named = [found for line in rest if (found := _LINE.fullmatch(line))]
        return _Noted(int(since[1]), {int(n[1]): n[2].decode() for n in named}) if since else None

    def _write(self, data: bytes) -> None:
        fd = self._disk.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            write_all(self._disk, fd, data)
            self._disk.fsync(fd)
        finally:
            self._disk.close(fd)
