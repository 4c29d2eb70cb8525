"""What is good in a damaged ledger, and a new file that starts from there.

The damaged file gets a second name and is never deleted, cut or written to. Who may do this, and
under which lock, is the journal's business.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from forsooth.ledger.chain import (
    EMPTY,
    Code,
    Problem,
    Record,
    Wrong,
    digest_between,
    is_canonical,
    last,
    spans,
)
from forsooth.ledger.disk import Disk, write_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Extent(NamedTuple):
    """How far a ledger's complete lines reach, and how many torn bytes follow them."""

    size: int
    torn: int


class Flaw(NamedTuple):
    """What is wrong with the part of an event that is kept apart from its line."""

    code: Code
    says: str


Apart = Callable[[Record], Flaw | None]


def inline(_: Record) -> Flaw | None:
    """Nothing is kept apart."""
    return None


class Report(NamedTuple):
    """What a full check found: the good prefix, torn bytes at the end, and the first problem."""

    events: int
    head: str
    size: int
    torn: int
    problem: Problem | None
    left_out: int


class Loss(NamedTuple):
    """What a recovery leaves out, for the event that records it."""

    seq: int
    head: str
    code: Code
    damaged: str
    left_out: int
    kept_as: str


def extent_of(disk: Disk, fd: int) -> Extent:
    """Measure a ledger that nobody is appending to."""
    size = disk.stat(fd).st_size
    try:
        tail, torn = last(disk, fd, size)
    except Wrong:
        # No writer goes past a wrong line, so all of this is as it will stay.
        return Extent(size, 0)
    return Extent(tail.size, torn)


def examine(
    disk: Disk,
    fd: int | None,
    extent: Extent,
    *,
    lines: Iterator[list[Record]],
    apart: Apart,
) -> Report:
    """Find the good prefix: verified by whoever yields the lines, canonical, and with its blobs."""
    good, problem = EMPTY, None
    try:
        for batch in lines:
            for record in batch:
                _refuse_unless_canonical(record)
                _refuse_unless_whole(record, apart)
                good = record.tail
    except Wrong as wrong:
        problem = wrong.problem
    left_out = torn = 0
    for chunk in () if fd is None else spans(disk, fd, good.size, stop=extent.size):
        left_out += chunk.count(b"\n")
        torn = len(chunk) - chunk.rfind(b"\n") - 1 if b"\n" in chunk else torn + len(chunk)
    return Report(good.seq, good.head, good.size, torn + extent.torn, problem, left_out)


def _refuse_unless_canonical(record: Record) -> None:
    if not is_canonical(record.line):
        says = f"event {record.seq} at byte {record.offset} is not in canonical form"
        raise Wrong(Problem(record.seq, record.offset, "not-canonical", says))


def _refuse_unless_whole(record: Record, apart: Apart) -> None:
    flaw = apart(record)
    if flaw is not None:
        raise Wrong(Problem(record.seq, record.offset, *flaw))


def loss_of(disk: Disk, path: Path, fd: int, *, extent: Extent, report: Report, code: Code) -> Loss:
    """Say what starting again from the good prefix leaves out."""
    number = 1
    while _is_taken(disk, kept := _shelf(path, number), fd):
        number += 1
    damaged = digest_between(disk, fd, 0, stop=sum(extent))
    return Loss(report.events, report.head, code, damaged, report.left_out, kept.name)


def _shelf(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")


def _is_taken(disk: Disk, kept: Path, fd: int) -> bool:
    try:
        return not os.path.samestat(disk.stat(kept), disk.stat(fd))
    except FileNotFoundError:
        return False


def copy(disk: Disk, fd: int, size: int, *, path: Path, line: bytes) -> None:
    """Write the good prefix and one more line to a new file, durably."""
    new = disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        for chunk in spans(disk, fd, 0, stop=size):
            write_all(disk, new, chunk)
        write_all(disk, new, b"%b\n" % line)
        disk.fsync(new)
    finally:
        disk.close(new)


def swap(disk: Disk, path: Path, *, fresh: Path, kept: Path) -> None:
    """Put the new file in the damaged one's place and keep that under its second name."""
    # Already there when a recovery was cut short.
    with suppress(FileExistsError):
        disk.link(path, kept)
    disk.replace(fresh, path)
    disk.fsync_folder(path.parent)
