"""Facts go into the ledger and come out the same; what is not understood is kept and not obeyed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from forsooth.core import event as was
from forsooth.core.amendment import Add, Piece, Reorder, Reword, Split, Supersede
from forsooth.core.blocker import Blocker
from forsooth.core.canonical import encode
from forsooth.core.event import FACTS, NOBODY, VERSION, AnyFact, Event, Unknown, body, read
from forsooth.core.plan import Base, Waiver
from forsooth.core.policy import Policy
from forsooth.core.receipt import Receipt
from forsooth.core.verdict import Finding, Verdict
from tests.core.build import (
    AGENT,
    BRIEF,
    BYTES,
    COMMIT,
    ENVELOPE,
    GROUNDS,
    PERSON,
    TREE,
    Run,
    criterion,
    daily,
    findings,
    goal,
    plan,
)

AT = "2026-01-01T00:00:00.000Z"
TRY = {"attempt": "G001.A1", "goal": "G001"}
PIECES = (Piece(title="a", objective="b", criteria=("G001.C1",)), Piece(title="c", objective="d"))
RICH = goal(2, depends_on=("G001",), entry=(criterion("G002.E1", hidden=True),), intent="fix")

EXAMPLES: tuple[AnyFact, ...] = (
    was.PlanCreated(plan=plan(goal(1), RICH, daily(3), suite=True, base=Base(tree=TREE))),
    was.PlanSealed(
        plan_digest=BRIEF, policy=Policy(attempts=3), channel="prompt", changes=("+ G001 goal 1",)
    ),
    was.PlanAmended(
        amendment=Add(title="t", objective="o", criteria=(criterion("G001.C1"),), **GROUNDS),
        goals=(goal(4),),
    ),
    was.PlanAmended(amendment=Split(goal="G001", pieces=PIECES, **GROUNDS), goals=(goal(4),)),
    was.PlanAmended(amendment=Reorder(order=("G002", "G001"), **GROUNDS)),
    was.PlanAmended(amendment=Reword(goal="G001", title="new", **GROUNDS)),
    was.PlanAmended(amendment=Supersede(goal="G001", **GROUNDS)),
    was.PlanPaused(reason="lunch"),
    was.PlanResumed(reason="back"),
    was.PlanDropped(reason="enough"),
    was.AttemptOpened(**TRY, base=Base(commit=COMMIT, tree=TREE), token=BYTES),
    was.AttemptSubmitted(**TRY, tree=TREE, commit=COMMIT, summary="made it → so"),
    was.AttemptAborted(**TRY, reason="gave up"),
    was.AttemptIntegrated(**TRY, tree=TREE, commit=COMMIT),
    was.EvidenceAdded(digest=BYTES, criterion="G001.C1", observed_by="human", approves=True),
    was.VerdictGiven(
        verdict=Verdict(
            subject="plan",
            tree=TREE,
            plan_digest=BRIEF,
            findings=findings(("G001.C1", "suite"), "fail"),
            isolation="strict",
            stage="attempt",
        )
    ),
    was.ReceiptIssued(
        receipt=Receipt(
            subject="G001", tree=TREE, plan_digest=BRIEF, verdict=7, envelope=ENVELOPE, summary="s"
        )
    ),
    was.BlockerRaised(
        blocker=Blocker(id="B1", goal="G001", needs="time", why="w", kind="waiting", until=AT)
    ),
    was.BlockerCleared(blocker="B1", goal="G001", reason="over"),
    was.CommandRefused(command="open", codes=("paused",), goal="G001"),
    was.NoteAdded(text="n", goal="G001", needs="human", **GROUNDS),
    was.FindingRecorded(
        finding=Finding(criterion="suite", outcome="error", code="x", took=3), tree=TREE
    ),
    was.UsageRecorded(tokens=5, cost=6, **TRY),
    was.WaiverGranted(goal="G001", criterion="G001.C1", waiver=Waiver(by="me", reason="old")),
    was.LedgerRepaired(removed=3, digest=BYTES, cause="damaged", left_out=2),
)


def line(fact: AnyFact, **changes: Any) -> dict[str, Any]:
    """A parsed ledger line, as it comes from the file."""
    made = body(fact, id_="x1", at=AT, by=PERSON, key="G001/A1/open/1")
    return json.loads(encode(made)) | {"seq": 7} | changes


def test_there_are_twenty_one_kinds_and_an_example_of_each():
    """None of them says that something is done."""
    assert len(FACTS) == 21
    assert {type(fact) for fact in EXAMPLES} == set(FACTS.values())
    assert not any("complete" in kind or "done" in kind for _, kind in FACTS)


@pytest.mark.parametrize("fact", EXAMPLES, ids=lambda fact: fact.KIND)
def test_every_kind_comes_back_as_it_was_written(fact: AnyFact):
    """Through the profile, the line and the reader, with who, when and its key."""
    event = read(line(fact))
    assert event == Event(7, "x1", AT, PERSON, fact, "G001/A1/open/1")
    assert event.kind == fact.KIND


def test_a_line_without_a_key_has_none():
    """Most things are asked for once."""
    raw = body(was.PlanPaused(), id_="x", at=AT, by=AGENT)
    assert "key" not in raw
    assert read(raw | {"seq": 1}).key is None


def test_a_body_kept_apart_is_read_in_its_place():
    """A large body is named by its digest, and only such a body."""
    fact = EXAMPLES[0]
    raw = line(fact, data={"blob": BYTES})
    assert was.blob_of(raw) == BYTES
    assert read(raw, data=encode(fact.plain())).fact == fact
    assert isinstance(read(raw).fact, Unknown)
    for data in ({}, {"blob": BYTES, "more": 1}, [], None, "blob"):
        assert was.blob_of({"data": data}) == ""


WRONG: dict[str, dict[str, Any]] = {
    "a kind of tomorrow": {"kind": "goal.completed"},
    "a kind that is no name": {"kind": ["plan.paused"]},
    "a version of tomorrow": {"v": VERSION + 1},
    "no version": {"v": None},
    "a field of tomorrow": {"data": {"reason": "x", "also": 1}},
    "a field of another type": {"data": {"reason": 5}},
    "no data": {"data": None},
    "an actor nobody knows": {"by": {"kind": "robot"}},
    "an actor in another form": {"by": "me"},
    "a time without a zone": {"at": "2026-01-01T00:00:00"},
    "no time": {"at": None},
    "a key that is no text": {"key": {"a": 1}, "kind": "x"},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_what_is_not_understood_is_kept_and_changes_nothing(changes: dict[str, Any]):
    """It is counted, with its kind, version and data as they stand."""
    raw = line(was.PlanPaused(reason="stop everything"), **changes)
    event = read(raw)
    assert isinstance(event.fact, Unknown)
    assert event.by == NOBODY
    assert (event.fact.v, event.fact.data) == (raw["v"], raw["data"])
    assert event.kind == str(raw["kind"])
    run = Run().prove("G001")
    before = run.state
    run.fact(event.fact, event.by)
    same = before.but(seq=run.state.seq, at=run.state.at, unknown=1)
    assert run.state == same


def test_an_unknown_actor_cannot_pass_for_anyone():
    """Whoever could not be read has no rights of a person."""
    assert not NOBODY.is_person
    assert NOBODY.kind == "agent"
