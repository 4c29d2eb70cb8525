"""A ledger written by any version opens in every later one and means the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from forsooth.core import command as do
from forsooth.core.event import FACTS
from forsooth.ledger.anchor import Anchor
from forsooth.ledger.now import projection
from tests.ledger.plans import Book

KEPT = sorted((Path(__file__).parents[1] / "fixtures/ledgers").iterdir())


@pytest.fixture(params=KEPT, ids=lambda path: path.name)
def book(request, tmp_path):
    """A kept ledger in a home that saw all of it when it was written."""
    shutil.copytree(request.param, tmp_path / "plan")
    made = Book(tmp_path, signed=lambda _: True)
    report = made.ledger.check()
    Anchor(tmp_path / "anchor").write(report.events, report.head)
    return made


def test_a_kept_ledger_verifies_and_folds_to_what_it_did(book):
    """Byte for byte the same chain, value for value the same state."""
    expected = json.loads((book.ledger.folder / "folded.json").read_text())
    assert book.ledger.check().problem is None
    state = book.ledger.proven_state()
    assert state.seq == expected["seq"]
    assert (state.void, state.unknown) == (expected["void"], expected["unknown"])
    assert state.plan_digest == expected["plan_digest"]
    assert {id_: one.plain() for id_, one in state.goals.items()} == expected["standings"]
    assert projection(state, book.now) == expected["projection"]


def test_a_kept_ledger_can_be_written_to(book):
    """An old ledger goes on under new code."""
    before = book.ledger.state().seq
    assert book.ask(do.Note(text="years later")).state.seq == before + 1
    assert book.ledger.check().problem is None


def test_the_kept_ledgers_hold_every_kind_of_event():
    """Nothing about the format goes unwatched."""
    kinds = {
        json.loads(line)["kind"]
        for folder in KEPT
        for line in (folder / "ledger.jsonl").read_bytes().splitlines()
    }
    assert {kind for _, kind in FACTS} <= kinds
