"""Sixty-four processes at once: one chain, everything in it, and nobody waits long."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from forsooth.ledger.anchor import Anchor
from forsooth.ledger.chain import unframe
from forsooth.ledger.journal import Journal
from tests.ledger.simulation import body, repaired

WRITERS = 64
EVENTS = 100
SLOWEST = 0.250

# The test runner's own threads stay in the parent: the children run only our code.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.heavy,
]


def _journal(folder: Path) -> Journal:
    anchor = Anchor(folder / "anchor")
    return Journal(folder / "ledger.jsonl", repaired=repaired, anchor=anchor)


def _write(number: int, folder: Path) -> list[float]:
    journal, took = _journal(folder), []
    for count in range(EVENTS):
        began = time.perf_counter()
        with journal.locked() as turn:
            turn.append([body(f"w{number}-{count}", text="x" * 200)])
        took.append(time.perf_counter() - began)
    return took


def _start(number: int, folder: Path, *, go: int) -> tuple[int, int]:
    """Fork a writer that waits for the word, and return its pid and the pipe it reports to."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return pid, ours
    try:
        os.read(go, 1)
        os.write(theirs, json.dumps(_write(number, folder)).encode())
    finally:
        os._exit(0)


def test_a_crowd_of_writers_makes_one_chain(memory: Path, record_property):
    """Every event of every writer is there in its writer's order, at a bounded wait."""
    go, word = os.pipe()
    crowd = [_start(number, memory, go=go) for number in range(WRITERS)]
    os.write(word, b"." * WRITERS)
    took: list[float] = []
    for pid, pipe in crowd:
        with os.fdopen(pipe, "rb") as report:
            took += json.loads(report.read())
        os.waitpid(pid, 0)
    os.close(go)
    os.close(word)

    ids = [unframe(record.line)["id"] for record in _journal(memory).read()]
    for number in range(WRITERS):
        mine = [id for id in ids if id.startswith(f"w{number}-")]
        assert mine == [f"w{number}-{count}" for count in range(EVENTS)]
    assert len(ids) == WRITERS * EVENTS
    assert _journal(memory).check().problem is None

    took.sort()
    record_property("p50", str(took[len(took) // 2]))
    record_property("p99", str(took[len(took) * 99 // 100]))
    assert took[len(took) * 99 // 100] < SLOWEST
