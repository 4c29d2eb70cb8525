"""The form of a line: one way to write it, and everything else refused."""

from __future__ import annotations

import hashlib
import json
import time
import timeit
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forsooth.core.canonical import LARGEST, OutsideProfile
from forsooth.ledger.chain import GENESIS, LONGEST, BadLine, frame, is_canonical, unframe
from forsooth.ledger.journal import Journal
from tests.ledger.simulation import body, repaired

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-LARGEST, LARGEST)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="ascii"), max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_a_line_has_exactly_this_form():
    """Hash, link and number come first at fixed places, then the members in their order."""
    line = frame(body("e1", b=1, a="ü") | {"key": "G1/A1"}, seq=7, prev="ab" * 32)
    rest = (
        '","prev":"' + "ab" * 32 + '","seq":7,"v":1,"id":"e1","at":"2026-01-01T00:00:00Z",'
        '"by":"loop","kind":"note.added","data":{"a":"ü","b":1},"key":"G1/A1"}'
    ).encode()
    own = hashlib.sha256(b'{"h":"' + rest).hexdigest().encode()
    assert line == b'{"h":"' + own + rest


@given(VALUES, st.integers(1, LARGEST), st.none() | st.text(st.characters(codec="utf-8")))
def test_reading_and_writing_give_the_same_bytes(value, seq: int, key: str | None):
    """Every line that can be written is read back, in the one form it has."""
    event = body("e1", value=value) | ({} if key is None else {"key": key})
    line = frame(event, seq=seq, prev=GENESIS)
    assert b"\n" not in line
    assert frame(unframe(line), seq=seq, prev=GENESIS) == line
    assert is_canonical(line)
    assert {name: unframe(line)[name] for name in event} == json.loads(json.dumps(event))


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"data":{"a":1,"a":2}}',
        '{"a":1.0}',
        '{"a":1e3}',
        '{"a":NaN}',
        '{"a":-Infinity}',
        '{"a":9007199254740992}',
        '{"a":-9007199254740992}',
        '{"a":1' + "0" * 5000 + "}",
        "[1]",
        "7",
        "",
        "[" * 30_000,
        '{"a":"\x01"}',
    ],
)
def test_what_honest_readers_could_read_differently_is_refused(text: str):
    """Duplicate keys, floats, numbers too large, and anything but one object."""
    with pytest.raises(BadLine):
        unframe(text.encode())
    assert not is_canonical(text.encode())


def test_bytes_that_are_not_text_are_refused():
    """A line is UTF-8."""
    with pytest.raises(BadLine):
        unframe(b'{"a":"\xff"}')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"v":1', b'"v": 1'),
        (b'"b":2}}', b'"b":2}} '),
        (b'"id":"e1"', b'"id":"\\u0065\\u0031"'),
        (b'{"a":1,"b":2}', b'{"b":2,"a":1}'),
        (b'"a":1', b'"a":"\\ud800"'),
        (b'"by":"loop",', b""),
        (b'"by":"loop",', b'"by":"loop","extra":1,'),
        (b'"seq":1', b'"seq":"1"'),
        (b'"prev":"' + GENESIS.encode() + b'",', b""),
        (b'"prev":"' + GENESIS.encode() + b'"', b'"prev":0'),
    ],
)
def test_a_line_written_otherwise_is_not_canonical(before: bytes, after: bytes):
    """Spaces, escapes, order, surrogates, missing and unknown members, and wrong types."""
    line = frame(body("e1", a=1, b=2), seq=1, prev=GENESIS)
    assert before in line
    changed = line.replace(before, after)
    rest = changed[70:]
    own = hashlib.sha256(b'{"h":"' + rest).hexdigest().encode()
    assert not is_canonical(b'{"h":"' + own + rest)


def test_an_event_fills_a_line_and_no_more():
    """The longest line is written, and one byte more is refused."""
    room = LONGEST - len(frame(body("e1", text=""), seq=1, prev=GENESIS))
    assert len(frame(body("e1", text="x" * room), seq=1, prev=GENESIS)) == LONGEST
    with pytest.raises(BadLine, match="longer"):
        frame(body("e1", text="x" * (room + 1)), seq=1, prev=GENESIS)


@pytest.mark.parametrize("event", [{}, body("e1") | {"extra": 1}])
def test_an_event_has_all_its_members_and_no_others(event: dict[str, object]):
    """A missing or unknown member is refused before anything is written."""
    with pytest.raises(BadLine, match="members"):
        frame(event, seq=1, prev=GENESIS)


def test_values_outside_the_profile_are_refused():
    """Floats never enter the ledger, and nesting has an end."""
    with pytest.raises(OutsideProfile):
        frame(body("e1", a=1.5), seq=1, prev=GENESIS)
    deep: list[object] = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(OutsideProfile, match="nested"):
        frame(body("e1", a=deep), seq=1, prev=GENESIS)


def test_checking_the_chain_costs_little_more_than_its_hashes(memory: Path):
    """A ratio and not a rate, and at its best, so that a busy machine is not a bug.

    No line is parsed.
    """
    journal = Journal(memory / "ledger.jsonl", repaired=repaired)
    with journal.locked() as turn:
        records = turn.append([body(f"e{n}", text="x" * 140) for n in range(10_000)])
    lines = [record.line for record in records]

    def check() -> int:
        return sum(1 for _ in journal.read())

    def hash_twice() -> None:
        for line in lines:
            hashlib.sha256(line).hexdigest()
            hashlib.sha256(line).hexdigest()

    def cost(work: Callable[[], object]) -> float:
        return min(timeit.repeat(work, number=1, repeat=7, timer=time.process_time))

    assert check() == len(lines)
    assert any(cost(check) < 4 * cost(hash_twice) for _ in range(6))
