"""A person's word counts where it was given: elsewhere a line of the ledger is only a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core import command as do
from forsooth.core import event as events
from forsooth.core.amendment import Supersede
from forsooth.core.canonical import digest
from forsooth.core.event import WaiverGranted
from forsooth.core.instant import written
from forsooth.core.plan import Waiver
from forsooth.core.status import unconfirmed
from forsooth.ledger.chain import frame
from tests.ledger.plans import AGENT, PERSON, START, Book

WAIVE = do.Waive(goal="G001", criterion="G001.C1", by="ann", reason="known")
FORGED = WaiverGranted(
    goal="G001", criterion="G001.C1", waiver=Waiver(by="a person", reason="flaky")
)
SUPERSEDE = do.Amend(amendment=Supersede(goal="G001", evidence="seen", rationale="so"))


def forge(folder: Path, fact: events.AnyFact = FORGED) -> None:
    """Append a line that says a person did it, with every hash right."""
    path = folder / "plan/ledger.jsonl"
    lines = path.read_bytes().splitlines()
    body = events.body(fact, id_=f"forged-{len(lines)}", at=written(START), by=PERSON)
    with path.open("ab") as file:
        file.write(frame(body, seq=len(lines) + 1, prev=digest(lines[-1])) + b"\n")


def waived(folder: Path) -> list[str]:
    """What is set aside in the state that proof rests on, read anew."""
    return list(Book(folder).ledger.proven_state().goals["G001"].waivers)


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path)
    made.sealed()
    return made


def test_a_waiver_given_here_counts_and_one_written_by_hand_does_not(book, tmp_path):
    """The forged one shows, but nothing is proven by it; given here, it counts."""
    forge(tmp_path)
    ledger = Book(tmp_path).ledger
    assert list(ledger.state().goals["G001"].waivers) == ["G001.C1"]
    assert ledger.proven_state().goals["G001"].waivers == {}
    assert [one.seq for one in ledger.unheard] == [3]
    book.ask(do.Note(text="the anchor moves past it"))
    assert waived(tmp_path) == []
    book.ask(WAIVE, PERSON)
    assert waived(tmp_path) == ["G001.C1"]
    assert book.ledger.is_own(5)
    assert not book.ledger.is_own(3)


def test_what_was_given_in_another_home_does_not_count_in_this_one(book, tmp_path):
    """One repository, two homes."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other/plan").symlink_to(tmp_path / "plan")
    other = Book(tmp_path / "other")
    other.ask(WAIVE, PERSON)
    assert waived(tmp_path) == []
    assert waived(tmp_path / "other") == ["G001.C1"]
    assert not other.ledger.is_own(2), "the seal was not given there"


def test_a_person_can_say_here_what_was_only_written(book, tmp_path):
    """A goal an agent set aside, confirmed by a forged line, can still be confirmed."""
    book.ask(do.Raise(goal="G001", needs="agent", why="no use"))
    made = book.ask(SUPERSEDE).events[0].fact
    forge(tmp_path, made)
    assert unconfirmed(Book(tmp_path).ledger.state()) == ()
    assert unconfirmed(Book(tmp_path).ledger.proven_state()) == ("G001",)
    assert Book(tmp_path).ask(SUPERSEDE, PERSON).refusal is not None
    assert Book(tmp_path).ask(SUPERSEDE, PERSON, whole=True).refusal is None
    assert unconfirmed(Book(tmp_path).ledger.proven_state()) == ()


def test_an_older_ledger_is_known_as_far_as_its_anchor(book, tmp_path):
    """Before acts were noted the head was: what came after it stays unknown for good."""
    book.ask(WAIVE, PERSON)
    (tmp_path / "anchor.acts").unlink()
    forge(tmp_path, FORGED.but(goal="G002", criterion="G002.C1"))
    for _ in range(2):
        state = Book(tmp_path).ledger.proven_state()
        assert [list(one.waivers) for one in state.goals.values()] == [["G001.C1"], []]
        Book(tmp_path).ask(do.Note(text="on we go"), AGENT)


def test_a_record_of_acts_that_was_cut_costs_the_acts_it_lost(book, tmp_path):
    """Half a line is none; without its first line it is as if there were none."""
    book.ask(WAIVE, PERSON)
    path = tmp_path / "anchor.acts"
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    assert waived(tmp_path) == []
    path.write_bytes(b"rubbish\n")
    assert waived(tmp_path) == ["G001.C1"], "as far as the anchor"


def test_a_line_in_the_place_of_a_known_one_is_not_that_one(book, tmp_path):
    """The number alone does not make it known where the hash is another."""
    book.ask(WAIVE, PERSON)
    path = tmp_path / "plan/ledger.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    (tmp_path / "anchor").unlink()
    forge(tmp_path)
    assert waived(tmp_path) == []


def test_a_home_that_cannot_be_written_fails_no_append(tmp_path):
    """What is not noted is not known, and is asked for again."""
    (tmp_path / "anchor.acts").mkdir()
    book = Book(tmp_path)
    book.sealed()
    assert book.ask(WAIVE, PERSON).refusal is None
    (tmp_path / "anchor").unlink()
    assert waived(tmp_path) == []
