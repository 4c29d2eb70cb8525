"""Locks that others hold, and files that are none: said, and never waited for in silence."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

from forsooth.core import command as do
from forsooth.errors import CouldNotVerify, Unwritten
from forsooth.ledger import waiting
from tests.ledger.plans import Book


def test_a_lock_that_is_not_free_soon_is_spoken_of(tmp_path, monkeypatch, caplog):
    """What is waited for is said after a while, and then it goes on."""
    monkeypatch.setattr(waiting, "PATIENCE", 0.05)
    Book(tmp_path).sealed()
    with (tmp_path / "plan/ledger.jsonl").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        threading.Timer(0.5, fcntl.flock, (held, fcntl.LOCK_UN)).start()
        Book(tmp_path).ask(do.Note(text="after you"))
    says = "forsooth: waiting for the ledger, which another process has locked"
    assert [one.message for one in caplog.records] == [says]


def test_a_lock_that_is_free_is_taken_without_a_word(tmp_path, monkeypatch, caplog):
    """Nobody is told of a wait that is none."""
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    Book(tmp_path).sealed()
    assert caplog.records == []


def _pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.mark.timeout(20)
def test_a_ledger_that_is_a_pipe_is_an_error_at_once(tmp_path):
    """Neither reading nor appending waits for whoever might write into it."""
    Book(tmp_path).sealed()
    _pipe(tmp_path / "plan/ledger.jsonl")
    with pytest.raises(CouldNotVerify, match="not a regular file"):
        Book(tmp_path).ledger.state()
    with pytest.raises(Unwritten, match="not a regular file"):
        Book(tmp_path).ask(do.Note(text="into a pipe"))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["snapshot.json", "now.json", "goals.json.new"])
def test_what_is_made_from_the_ledger_may_be_a_pipe_and_nobody_waits(name, tmp_path):
    """It is as good as missing."""
    Book(tmp_path).sealed()
    _pipe(tmp_path / "plan" / name)
    assert Book(tmp_path).ask(do.Note(text="on we go")).state.seq == 3
