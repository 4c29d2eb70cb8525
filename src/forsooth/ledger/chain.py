"""The form of a ledger line, and the chain that ties each line to the one before it.

It reads and judges bytes and never writes any. The hash and the link sit at fixed places in a line,
so that the chain is checked without parsing JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from forsooth.core.canonical import LARGEST, OutsideProfile, digest, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from forsooth.ledger.anchor import Mark
    from forsooth.ledger.disk import Disk

GENESIS = "0" * 64
LONGEST = 64 * 1024
REQUIRED = ("v", "id", "at", "by", "kind", "data")
MEMBERS = (*REQUIRED, "key")

_CHAIN = ("h", "prev", "seq")
_OPEN = b'{"h":"'
_HASH = slice(6, 70)
_LINE = re.compile(rb'\{"h":"[0-9a-f]{64}","prev":"([0-9a-f]{64})","seq":([1-9][0-9]{0,15}),')
_CHUNK = 1 << 17

Code = Literal[
    "bad-hash",
    "broken-chain",
    "bad-seq",
    "not-canonical",
    "too-long",
    "rewound",
    "anchor-mismatch",
    "poisoned",
    "blob-missing",
    "blob-altered",
]


class BadLine(ValueError):
    """Bytes or members that cannot be a line of the ledger."""


class Record(NamedTuple):
    """One verified line: its bytes without the newline, its sha256, and where it lies."""

    seq: int
    line: bytes
    digest: str
    offset: int
    end: int

    @property
    def tail(self) -> Tail:
        """The position just after this line."""
        return Tail(self.seq, self.digest, self.end)


class Tail(NamedTuple):
    """A position between lines: the last event before it, its digest, and the byte offset."""

    seq: int
    head: str
    size: int


EMPTY = Tail(0, GENESIS, 0)


class Problem(NamedTuple):
    """The first thing wrong with a ledger."""

    seq: int
    offset: int
    code: Code
    says: str


def frame(body: Mapping[str, object], *, seq: int, prev: str) -> bytes:
    """Write a line without its newline; chain members already in the body are replaced."""
    given = body.keys() - set(_CHAIN)
    if not given.issuperset(REQUIRED) or not given.issubset(MEMBERS):
        raise BadLine(f"an event has the members {', '.join(MEMBERS)}, not {sorted(given)}")
    members = [b'"%b":%b' % (n.encode(), encode(body[n])) for n in MEMBERS if n in body]
    rest = b'","prev":"%b","seq":%d,%b}' % (prev.encode(), seq, b",".join(members))
    if len(rest) + 70 > LONGEST:
        raise BadLine(f"an event of {len(rest) + 70} bytes is longer than {LONGEST}")
    return _OPEN + digest(_OPEN + rest).encode() + rest


def unframe(line: bytes) -> dict[str, Any]:
    """Parse a line strictly: no duplicate keys, floats, NaN or large integers."""
    try:
        value = _DECODER.decode(line.decode())
    except (ValueError, RecursionError) as error:
        raise BadLine(f"not a line of the ledger: {error}") from None
    if type(value) is not dict:
        raise BadLine("not a line of the ledger: not an object")
    return cast("dict[str, Any]", value)


def is_canonical(line: bytes) -> bool:
    """Whether writing what the line says gives the same bytes."""
    try:
        body = unframe(line)
        return frame(body, seq=body["seq"], prev=body["prev"]) == line
    except (BadLine, OutsideProfile, KeyError, TypeError, AttributeError):
        return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise BadLine("a key appears twice")
    return value


def _small(digits: str) -> int:
    value = int(digits) if len(digits) <= len(str(-LARGEST)) else LARGEST + 1
    if not -LARGEST <= value <= LARGEST:
        raise BadLine("a number is too large")
    return value


def _no_float(text: str) -> float:
    raise BadLine(f"{text} is not an integer")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_no_float, parse_int=_small, parse_constant=_no_float
)


class Wrong(Exception):
    """Raised where the chain breaks; the journal says it in the product's own errors."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.says)
        self.problem = problem


def scan(disk: Disk, fd: int, after: Tail, *, stop: int | None = None) -> Iterator[list[Record]]:
    """Yield the complete lines after a position in batches, each line checked, up to `stop`."""
    seq, head, offset = after.seq, after.head.encode(), after.size
    at, rest, sha256 = offset, b"", hashlib.sha256
    while chunk := disk.pread(fd, _CHUNK if stop is None else min(_CHUNK, stop - at), at):
        at += len(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        # Only whether it is too long matters beyond this, and a flood must not fill the memory.
        rest = rest[: LONGEST + 1]
        batch: list[Record] = []
        for line in lines:
            seq += 1
            if (
                not line.startswith(b'","prev":"%b","seq":%d,' % (head, seq), 70)
                or sha256(_OPEN + line[70:]).hexdigest().encode() != line[_HASH]
                or len(line) > LONGEST
                or not line.startswith(_OPEN)
            ):
                yield batch
                raise Wrong(_explain(line, seq, prev=head, offset=offset))
            name = sha256(line).hexdigest()
            head, end = name.encode(), offset + len(line) + 1
            batch.append(Record(seq, line, name, offset, end))
            offset = end
        yield batch


def _explain(line: bytes, seq: int, *, prev: bytes, offset: int) -> Problem:
    found = _LINE.match(line)
    if len(line) > LONGEST:
        code, says = "too-long", f"a line is longer than {LONGEST} bytes"
    elif found is None or not _is_own(line):
        code, says = "bad-hash", "a line does not have the hash it names"
    elif found[1] != prev:
        code, says = "broken-chain", "a line does not name the line before it"
    else:
        code, says = "bad-seq", f"a line is numbered {int(found[2])}"
    return Problem(seq, offset, code, f"event {seq} at byte {offset}: {says}")


def _is_own(line: bytes) -> bool:
    return digest(_OPEN + line[70:]).encode() == line[_HASH]


def last(disk: Disk, fd: int, size: int) -> tuple[Tail, int]:
    """Find where the last complete line before `size` ends, and how many bytes follow it."""
    chunk, start, begin, end, span = b"", size, 0, 0, 4096
    while start and not begin and end <= LONGEST + 1:
        start = max(0, size - span)
        chunk = b"".join(spans(disk, fd, start, stop=size))
        if len(chunk) != size - start:
            raise Wrong(Problem(0, size, "rewound", f"the ledger ends before byte {size}"))
        end = chunk.rfind(b"\n") + 1
        begin = chunk.rfind(b"\n", 0, max(0, end - 1)) + 1
        span *= 4
    if not end:
        return EMPTY, size
    line = chunk[begin : end - 1]
    found = _LINE.match(line)
    if found is None or len(line) > LONGEST or not _is_own(line):
        says = f"the last line, at byte {start + begin}, does not have the hash it names"
        raise Wrong(Problem(0, start + begin, "bad-hash", says))
    return Tail(int(found[2]), digest(line), start + end), size - start - end


def position(disk: Disk, fd: int, tail: Tail, *, seq: int) -> Tail:
    """Where event `seq` ends, found by reading backwards; the start when in doubt."""
    if not 0 < seq < tail.seq:
        return tail if seq >= tail.seq else EMPTY
    start, begin, chunk, span = tail.size, 0, b"", _CHUNK
    while start:
        start = max(0, tail.size - span)
        chunk = b"".join(spans(disk, fd, start, stop=tail.size))
        begin = chunk.find(b"\n") + 1 if start else 0
        first = _LINE.match(chunk, begin)
        if first is not None and int(first[2]) <= seq + 1:
            break
        span *= 4
    while found := _LINE.match(chunk, begin):
        if int(found[2]) == seq + 1:
            return Tail(seq, found[1].decode(), start + begin)
        begin = chunk.find(b"\n", begin) + 1 or len(chunk)
    return EMPTY


def spans(disk: Disk, fd: int, start: int, *, stop: int) -> Iterator[bytes]:
    """Read between two offsets, or to the end of the file if that comes first."""
    while start < stop and (chunk := disk.pread(fd, min(_CHUNK, stop - start), start)):
        start += len(chunk)
        yield chunk


def digest_between(disk: Disk, fd: int, start: int, *, stop: int) -> str:
    """Name the bytes between two offsets by their sha256."""
    total = hashlib.sha256()
    for chunk in spans(disk, fd, start, stop=stop):
        total.update(chunk)
    return total.hexdigest()


def disagreement(tail: Tail, mark: Mark | None, *, at: int) -> Problem | None:
    """What the anchor has against a chain that reaches this tail."""
    if mark is not None and mark.seq > tail.seq:
        says = f"the ledger ends at event {tail.seq}, but event {mark.seq} was acknowledged"
        return Problem(tail.seq + 1, tail.size, "rewound", says)
    if mark is not None and mark.seq == tail.seq and mark.head != tail.head:
        says = f"event {mark.seq} at byte {at} is not the one that was acknowledged"
        return Problem(mark.seq, at, "anchor-mismatch", says)
    return None
