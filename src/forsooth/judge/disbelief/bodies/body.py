"""One body and what makes it hollow: bytes put at places, all others left as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Put(NamedTuple):
    """Bytes that go in at an offset, in the stead of so many that are there."""

    at: int
    data: bytes
    over: int = 0


class Body(NamedTuple):
    """A function by name and line. `rough` when hollowing it is likely to stop everything."""

    name: str
    line: int
    puts: tuple[Put, ...]
    rough: bool = False


def filled(now: bytes, found: Iterable[Body]) -> bytes:
    """The file with these bodies hollowed."""
    return put_in(now, (put for body in found for put in body.puts))


def put_in(now: bytes, puts: Iterable[Put]) -> bytes:
    """The file with everything put in, from the end so that offsets stay true."""
    for put in sorted(puts, reverse=True):
        now = now[: put.at] + put.data + now[put.at + put.over :]
    return now
