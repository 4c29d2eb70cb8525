"""A state kept beside its ledger, so that `status` does not read a million events.

Disposable: it is used only where the ledger still holds the line it was made at, and never by a
gate. A stale, torn or foreign snapshot costs time, not truth.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from forsooth.core.state import State
from forsooth.ledger.chain import Tail
from forsooth.ledger.disk import Disk, write_all

FORMAT = 1


class Snapshot(NamedTuple):
    """A state and the position in the ledger it was made at."""

    tail: Tail
    state: State


class _Kept(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    format: int
    seq: int
    head: str
    size: int
    state: State


def load(path: Path, *, disk: Disk) -> Snapshot | None:
    """The kept state; none when there is none that this code can read."""
    try:
        kept = _Kept.model_validate_json(disk.read(path))
    except (OSError, ValidationError):
        return None
    if kept.format != FORMAT or kept.seq != kept.state.seq:
        return None
    return Snapshot(Tail(kept.seq, kept.head, kept.size), kept.state)


def save(path: Path, snapshot: Snapshot, *, disk: Disk) -> None:
    """Keep a state; a failure to do so is nobody's loss."""
    seq, head, size = snapshot.tail
    kept = _Kept(format=FORMAT, seq=seq, head=head, size=size, state=snapshot.state)
    with suppress(OSError):
        replace(path, kept.model_dump_json(exclude_defaults=True).encode(), disk=disk)


def replace(path: Path, data: bytes, *, disk: Disk) -> None:
    """Put new content in a file's place at once; not durable, and never half of it."""
    fresh = path.with_name(f"{path.name}.new")
    fd = disk.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(disk, fd, data)
    finally:
        disk.close(fd)
    disk.replace(fresh, path)
