"""The typed ledger: decided under the lock, safe to repeat, and never fooled by its caches."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from forsooth.core import command as do
from forsooth.core.canonical import digest
from forsooth.core.event import NoteAdded, ReceiptIssued, Unknown, body
from forsooth.core.instant import written
from forsooth.core.next import Block
from forsooth.core.plan import Goal
from forsooth.core.state import State
from forsooth.core.status import goal_status
from forsooth.core.verdict import Finding
from forsooth.errors import CouldNotVerify, Tampered
from forsooth.ledger import ledger as module
from forsooth.ledger import now, snapshot
from forsooth.ledger.chain import frame
from forsooth.ledger.disk import REAL
from forsooth.ledger.ledger import Ledger
from tests.ledger.plans import AGENT, DIGEST, JUDGE, LOOP, PERSON, START, TREE, Book, a_plan
from tests.requirements import requirement


def everything_is_signed(_):
    return True


def test_a_command_becomes_events_and_a_state(tmp_path):
    """What is decided is recorded and folded at once."""
    book = Book(tmp_path)
    plan = book.sealed()
    state = book.ledger.state()
    assert state.plan_digest == plan.digest
    assert [event.kind for event in book.ledger.events()] == ["plan.created", "plan.sealed"]
    assert [event.kind for event in book.ledger.events(last=1)] == ["plan.sealed"]
    assert book.ledger.head == book.ledger.check().head
    assert book.ledger.heads({2, 9}) == {2: book.ledger.head}


@requirement("R035", "R050")
def test_a_refused_command_is_recorded_with_every_code(tmp_path):
    """A refusal is an event too."""
    book = Book(tmp_path)
    book.sealed()
    book.ask(do.Open(goal="G001"))
    book.ask(do.Pause(), PERSON)
    outcome = book.ask(do.Open(goal="G001"))
    assert outcome.refusal is not None
    assert outcome.events[0].kind == "command.refused"
    assert outcome.state.refused == ("paused", "attempt-open")
    assert [event.fact.codes for event in Book(tmp_path).ledger.events(last=1)] == [
        ("paused", "attempt-open")
    ]


def test_a_second_process_sees_what_the_first_wrote(tmp_path):
    """Two ledgers on one file agree, whoever wrote last."""
    one, two = Book(tmp_path), Book(tmp_path)
    one.sealed()
    two.ask(do.Note(text="from the other"), id_="other-1")
    one.ask(do.Note(text="from the first"), id_="first-1")
    assert one.ledger.state() == two.ledger.state() == Book(tmp_path).ledger.proven_state()


def test_a_repeated_key_returns_the_recorded_event(tmp_path):
    """A step that runs twice leaves one event, whatever it brings the second time."""
    book = Book(tmp_path)
    book.sealed()
    first = book.ask(do.Open(goal="G001"), key="G001/A1/open/1")
    again = book.ask(do.Note(text="something else"), key="G001/A1/open/1")
    assert again.repeated
    assert again.events == first.events
    assert again.state.seq == first.state.seq


def test_keys_of_a_closed_attempt_are_forgotten(tmp_path):
    """State does not grow with the ledger: keys live while their attempt is open."""
    book = Book(tmp_path)
    book.sealed()
    book.ask(do.Open(goal="G001"), key="G001/A1/open/1")
    book.ask(do.Note(text="x"), key="plan/judge/1")
    book.ask(do.Abort(attempt="G001.A1", reason="enough"))
    book.ask(do.Note(text="y"), key="G002/A1/x/1")
    assert set(book.ledger.state().keys) == {"plan/judge/1", "G002/A1/x/1"}


def test_an_append_of_unknown_fate_is_repeated_with_its_id(tmp_path):
    """The same id after what was seen is the same event."""
    book = Book(tmp_path)
    book.sealed()
    seen = book.ledger.state().seq
    first = book.ask(do.Note(text="once"), id_="mine", seen=seen)
    again = book.ask(do.Note(text="once"), id_="mine", seen=seen)
    assert not first.repeated
    assert again.repeated
    assert again.events == first.events


@requirement("R082")
def test_an_unsigned_receipt_proves_nothing(tmp_path):
    """A forged done is not one append, not even after a verdict that is signed."""
    book = Book(tmp_path, signed=lambda event: event.kind == "verdict.given")
    book.sealed()
    book.judged()
    state = book.ledger.state()
    forged = ReceiptIssued(receipt=book.receipt())
    book.ledger.transact(lambda _: (forged,), by=LOOP, now=book.now, id_="forged")
    after = book.ledger.proven_state()
    assert goal_status(after.goals["G001"], book.now) != "done"
    assert after.void == state.void + 1


def test_a_signed_verdict_and_receipt_make_a_goal_done(tmp_path):
    """The reader's word on the signature is what counts."""
    book = Book(tmp_path, signed=everything_is_signed)
    book.sealed()
    book.judged()
    book.ask(do.Attest(receipt=book.receipt()), LOOP, whole=True)
    assert goal_status(book.ledger.proven_state().goals["G001"], book.now) == "done"


def test_an_attestation_is_refused_over_an_unsigned_verdict(tmp_path):
    """Unsigned verdicts never attest."""
    book = Book(tmp_path)
    book.sealed()
    book.judged()
    refused = book.ask(do.Attest(receipt=book.receipt()), LOOP, whole=True).refusal
    assert refused is not None
    assert [reason.code for reason in refused.reasons] == ["unsigned"]


def test_the_two_planted_bugs_of_the_typed_ledger_are_seen(tmp_path, monkeypatch):
    """With the key check gone a step leaves two events; with signatures ignored forgery works."""
    book = Book(tmp_path / "keys")
    book.sealed()
    book.ask(do.Note(text="x"), key="plan/x/1")
    monkeypatch.setattr(Ledger, "_recorded", lambda *_, **__: ())
    assert not book.ask(do.Note(text="x"), key="plan/x/1").repeated
    monkeypatch.undo()

    monkeypatch.setattr(Ledger, "_counts", lambda *_: True)
    book = Book(tmp_path / "forged")
    book.sealed()
    book.judged()
    forged = ReceiptIssued(receipt=book.receipt())
    book.ledger.transact(lambda _: (forged,), by=LOOP, now=book.now, id_="forged")
    assert goal_status(book.ledger.proven_state().goals["G001"], book.now) == "done"


def test_a_large_body_is_kept_apart_and_verified(tmp_path):
    """A line stays small; its blob is part of the chain by digest."""
    book = Book(tmp_path)
    book.sealed()
    text = "long " * 20_000
    book.ask(do.Note(text=text))
    (event,) = book.ledger.events(last=1)
    assert isinstance(event.fact, NoteAdded)
    assert event.fact.text == text
    line = (tmp_path / "plan/ledger.jsonl").read_bytes().splitlines()[-1]
    assert len(line) < 1000
    (blob,) = (path for path in (tmp_path / "plan/blobs").rglob("*") if path.is_file())
    blob.write_bytes(blob.read_bytes().replace(b"long", b"gone", 1))
    with pytest.raises(Tampered):
        list(Book(tmp_path).ledger.events())


@requirement("R035")
@pytest.mark.parametrize("code", ["blob-missing", "blob-altered"])
def test_a_lost_or_changed_blob_is_found_and_can_be_gone_on_from(code, tmp_path):
    """The chain alone is sound; what it names is not, and a recovery cuts there."""
    book = Book(tmp_path)
    book.sealed()
    book.ask(do.Note(text="long " * 20_000), id_="n1")
    book.ask(do.Note(text="after it"), id_="n2")
    assert book.ledger.check().problem is None
    (blob,) = (path for path in (tmp_path / "plan/blobs").rglob("*") if path.is_file())
    if code == "blob-missing":
        blob.unlink()
    else:
        blob.write_bytes(b"else")
    report = Book(tmp_path).ledger.check()
    assert report.problem is not None
    assert (report.problem.code, report.events, report.left_out) == (code, 2, 2)
    assert report.problem.says.startswith("event 3: ")
    with pytest.raises((CouldNotVerify, Tampered)):
        Book(tmp_path).ledger.proven_state()
    loss = Book(tmp_path).ledger.recover(by=PERSON)
    assert loss is not None
    assert (loss.code, loss.seq, loss.left_out) == (code, 2, 2)
    assert Book(tmp_path).ledger.proven_state().sealed == 2
    assert Book(tmp_path).ledger.check().problem is None


def test_a_blob_that_cannot_be_read_is_not_called_lost(tmp_path):
    """A disk that fails now may not fail later: nothing is cut for it."""
    book = Book(tmp_path)
    book.sealed()
    book.ask(do.Note(text="long " * 20_000))
    (blob,) = (path for path in (tmp_path / "plan/blobs").rglob("*") if path.is_file())
    blob.unlink()
    blob.mkdir()
    for ask in (book.ledger.check, lambda: book.ledger.recover(by=PERSON)):
        with pytest.raises(CouldNotVerify, match="cannot be read"):
            ask()


def test_an_event_of_the_future_is_kept_and_counted(tmp_path):
    """Unknown kinds, versions and bodies are never dropped and never obeyed."""
    book = Book(tmp_path)
    book.sealed()
    path = tmp_path / "plan/ledger.jsonl"
    *_, last = book.ledger._journal.read()
    seq, head = last.seq, last.digest
    known = body(NoteAdded(text="x"), id_="i", at=written(START), by=AGENT)
    for strange in (
        {**known, "kind": "goal.completed", "data": {"goal": "G001"}},
        {**known, "v": 2},
        {**known, "data": {"text": 5}},
        {**known, "by": {"kind": "wizard"}},
        {**known, "at": "yesterday"},
    ):
        seq += 1
        line = frame(strange, seq=seq, prev=head)
        head = digest(line)
        with path.open("ab") as file:
            file.write(line + b"\n")
    fresh = Book(tmp_path).ledger
    assert fresh.state().unknown == 5
    assert [type(e.fact) for e in fresh.events(last=5)] == [Unknown] * 5
    assert book.ask(do.Note(text="goes on")).state.unknown == 5
    assert fresh.check().problem is None


def test_a_line_that_is_not_json_is_kept_as_unknown(tmp_path):
    """A forged line with a right hash and no meaning changes nothing."""
    book = Book(tmp_path)
    book.sealed()
    path = tmp_path / "plan/ledger.jsonl"
    *_, last = book.ledger._journal.read()
    rest = f'","prev":"{last.digest}","seq":{last.seq + 1},nonsense'.encode()
    own = digest(b'{"h":"' + rest).encode()
    with path.open("ab") as file:
        file.write(b'{"h":"' + own + rest + b"\n")
    (tmp_path / "anchor").unlink()
    fresh = Book(tmp_path).ledger
    assert fresh.state().unknown == 1
    problem = fresh.check().problem
    assert problem is not None
    assert problem.code == "not-canonical"


def test_a_snapshot_is_used_by_status_and_never_by_proof(tmp_path, monkeypatch):
    """A forged snapshot may mislead status until the next gate, never the gate."""
    monkeypatch.setattr(module, "SNAPSHOT_EVERY", 1)
    book = Book(tmp_path)
    book.sealed()
    path = tmp_path / "plan/snapshot.json"
    kept = snapshot.load(path, disk=REAL)
    assert kept is not None
    assert kept.state == book.ledger.state()
    forged = kept.state.but(paused=None, dropped=1)
    snapshot.save(path, snapshot.Snapshot(kept.tail, forged), disk=REAL)
    fresh = Book(tmp_path).ledger
    assert fresh.state().dropped == 1
    assert fresh.proven_state().dropped == 0


@pytest.mark.parametrize("spoil", ["gone", "torn", "future", "moved", "other"])
def test_a_snapshot_that_does_not_fit_costs_time_and_no_truth(tmp_path, monkeypatch, spoil):
    """Missing, torn, newer, of another position or another ledger: the events are read instead."""
    monkeypatch.setattr(module, "SNAPSHOT_EVERY", 1)
    book = Book(tmp_path)
    book.sealed()
    path = tmp_path / "plan/snapshot.json"
    told = json.loads(path.read_bytes())
    match spoil:
        case "gone":
            path.unlink()
        case "torn":
            path.write_bytes(path.read_bytes()[:-9])
        case "future":
            path.write_text(json.dumps({**told, "format": 2}))
        case "moved":
            path.write_text(json.dumps({**told, "seq": 1}))
        case "other":
            path.write_text(json.dumps({**told, "head": "0" * 64}))
    assert Book(tmp_path).ledger.state() == Book(tmp_path).ledger.proven_state()


def test_a_snapshot_is_written_now_and_then(tmp_path, monkeypatch):
    """Not with every append, and by whoever comes to it."""
    monkeypatch.setattr(module, "SNAPSHOT_EVERY", 4)
    book = Book(tmp_path)
    book.sealed()
    path = tmp_path / "plan/snapshot.json"
    assert not path.exists()
    book.ask(do.Note(text="x"))
    book.ask(do.Note(text="x"))
    kept = snapshot.load(path, disk=REAL)
    assert kept is not None
    assert kept.tail.seq == 4
    other = Book(tmp_path)
    other.ask(do.Note(text="x"))
    assert snapshot.load(path, disk=REAL) == kept


def test_state_in_memory_gives_way_when_the_ledger_was_recovered(tmp_path):
    """A process that lives through a recovery starts again from what is there."""
    book, witness = Book(tmp_path), Book(tmp_path)
    book.sealed()
    witness.ask(do.Note(text="lost with the rest"), id_="w1")
    path = tmp_path / "plan/ledger.jsonl"
    damaged = bytearray(path.read_bytes())
    damaged[-20] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(Tampered):
        Book(tmp_path).ledger.state()
    loss = book.ledger.recover(by=PERSON)
    assert loss is not None
    assert loss.left_out == 1
    assert witness.ask(do.Note(text="and on"), id_="w2").state.repairs == 1
    assert witness.ledger.check().problem is None
    assert book.ledger.recover(by=PERSON) is None


def test_a_torn_tail_is_repaired_and_folded(tmp_path):
    """The event that records the repair counts in the state of whoever repaired."""
    book = Book(tmp_path)
    book.sealed()
    with (tmp_path / "plan/ledger.jsonl").open("ab") as file:
        file.write(b'{"h":"half')
    outcome = book.ask(do.Note(text="next"))
    assert outcome.state.repairs == 1
    assert outcome.events[0].kind == "note.added"
    assert outcome.state == Book(tmp_path).ledger.proven_state()


def answers(tmp_path) -> dict:
    return json.loads((tmp_path / "plan/now.json").read_bytes())


def test_answers_for_hooks_are_ready_after_every_append(tmp_path):
    """The answer names the ledger's size, so one stat tells whether it is the latest."""
    book = Book(tmp_path)
    book.sealed()
    told = answers(tmp_path)
    size = (tmp_path / "plan/ledger.jsonl").stat().st_size
    assert (told["size"], told["end"], told["seq"]) == (size, size, 2)
    assert told["status"] == "active"
    assert told["stop"] is False
    assert told["command"] == "forsooth next"
    book.ask(do.Note(text="bookkeeping"))
    size = (tmp_path / "plan/ledger.jsonl").stat().st_size
    assert answers(tmp_path)["size"] == answers(tmp_path)["end"] == size
    book.ask(do.Pause(), PERSON)
    assert answers(tmp_path)["stop"] is True


def test_hooks_are_told_what_is_missing_where_the_plan_stands_and_what_waits_for_a_seal(tmp_path):
    """A draft is named by its digest; once it is sealed nothing waits."""
    book = Book(tmp_path)
    book.ask(do.Create(plan=a_plan()))
    told = answers(tmp_path)
    assert (told["proposal"], told["missing"]) == (a_plan().digest, "")
    assert "G001 goal 1" in told["draft"]
    assert "draft" in told["recap"]
    book.ask(do.Seal(digest=a_plan().digest), PERSON)
    told = answers(tmp_path)
    assert (told["proposal"], told["missing"]) == ("", "G001.C1 untested: it holds")
    assert told["draft"] == ""
    assert "0 of 2 goals proven" in told["recap"]


def test_hooks_are_told_of_every_check_though_it_changes_nothing_else(tmp_path):
    """A look claims nothing, and leaves its crumb."""
    book = Book(tmp_path)
    book.sealed()
    finding = Finding(criterion="G001.C1", outcome="fail", code="exit", evidence=(DIGEST,))
    book.ask(do.Record(finding=finding, tree=TREE), JUDGE)
    assert "Last checks: G001.C1 fail." in answers(tmp_path)["recap"]


@pytest.mark.parametrize(("needs", "stop"), [("human", True), ("agent", False)])
def test_nobody_is_held_to_record_that_a_person_is_needed(needs, stop):
    """A goal that used its attempts waits for a person; what an agent can clear is work."""
    assert now._holds(Block("G001", "stuck", needs, "failed")) is not stop


def test_answers_change_when_time_alone_changes_them(tmp_path):
    """A wait that is over makes the old answer stale, though nothing else happened."""
    book = Book(tmp_path)
    book.sealed(goals=1)
    until = written(book.now + timedelta(minutes=5))
    book.ask(do.Raise(goal="G001", needs="time", why="the night run", until=until))
    assert answers(tmp_path)["stop"] is True
    assert answers(tmp_path)["until"] == until
    book.now += timedelta(hours=1)
    book.ask(do.Note(text="later"))
    assert answers(tmp_path)["stop"] is False


def test_answers_say_when_a_goal_comes_round_again(tmp_path):
    """A goal with a cadence is due by itself."""
    book = Book(tmp_path, signed=everything_is_signed)
    plan = a_plan(1)
    goal = Goal.of(plan.goals[0].plain() | {"cadence": {"hours": 5}})
    plan = plan.but(goals=(goal,))
    book.ask(do.Create(plan=plan))
    book.ask(do.Seal(digest=plan.digest), PERSON)
    book.judged()
    done = book.ask(do.Attest(receipt=book.receipt()), LOOP, whole=True)
    assert answers(tmp_path)["until"] == written(
        book.now.replace(microsecond=0) + timedelta(hours=5)
    )
    assert goal_status(done.state.goals["G001"], book.now) == "done"


def test_goals_json_is_a_projection_nobody_reads_back(tmp_path):
    """It shows the plan and its goals' status; editing it changes nothing."""
    book = Book(tmp_path)
    book.ask(do.Note(text="before any plan"))
    path = tmp_path / "plan/goals.json"
    assert json.loads(path.read_bytes()) == {}
    book.sealed()
    told = json.loads(path.read_bytes())
    assert [goal["status"] for goal in told["goals"]] == ["ready", "ready"]
    path.write_text(json.dumps({"status": "done"}))
    assert book.ledger.state() == Book(tmp_path).ledger.proven_state()
    book.ask(do.Open(goal="G001"))
    assert json.loads(path.read_bytes())["goals"][0]["status"] == "active"


def test_a_snapshot_of_every_kind_of_state_reads_back_the_same(tmp_path):
    """What is kept is what was folded."""
    book = Book(tmp_path, signed=everything_is_signed)
    book.sealed()
    book.judged()
    book.ask(do.Attest(receipt=book.receipt()), LOOP, whole=True)
    book.ask(do.Raise(goal="G002", needs="human", why="a key"), AGENT)
    book.ask(do.Pause(reason="lunch"), PERSON)
    state = book.ledger.state()
    assert State.model_validate_json(state.model_dump_json(exclude_defaults=True)) == state


@pytest.mark.parametrize("size", [60, 40_000])
def test_the_last_events_are_found_from_the_end(tmp_path, size):
    """Neither `log` nor a repeated key reads a long ledger from the start."""
    book = Book(tmp_path)
    book.sealed()
    for number in range(12):
        book.ask(do.Note(text=f"{number} " + "x" * size))
    everything = list(book.ledger.events())
    for count in (1, 3, 8, 13, 14, 99):
        assert list(book.ledger.events(last=count)) == everything[-count:]
    with book.ledger._journal.locked() as turn:
        assert [r.seq for r in turn.records(since=11)] == [12, 13, 14]
        assert [r.seq for r in turn.records(since=14)] == []


def test_the_last_events_of_no_ledger_are_none(tmp_path):
    """A plan without a ledger has no events."""
    assert list(Book(tmp_path).ledger.events(last=5)) == []


def test_the_last_events_of_a_damaged_ledger_are_not_shown_as_good(tmp_path):
    """A wrong last line is tampering, whoever looks."""
    book = Book(tmp_path)
    book.sealed()
    path = tmp_path / "plan/ledger.jsonl"
    data = bytearray(path.read_bytes())
    data[-9] ^= 1
    path.write_bytes(data)
    with pytest.raises(Tampered):
        list(Book(tmp_path).ledger.events(last=1))


def test_damage_far_back_is_met_when_the_search_reaches_it(tmp_path):
    """Looking backwards never steps over a line it cannot read."""
    book = Book(tmp_path)
    book.sealed()
    for number in range(5):
        book.ask(do.Note(text=f"note {number}"))
    path = tmp_path / "plan/ledger.jsonl"
    path.write_bytes(b"#" + path.read_bytes()[1:])
    with pytest.raises(Tampered):
        list(Book(tmp_path).ledger.events(last=6))


def test_a_ledger_that_cannot_be_read_is_no_ledger_without_events(tmp_path):
    """A folder in its place is an answer that nobody has, not an empty one."""
    (tmp_path / "plan/ledger.jsonl").mkdir(parents=True)
    with pytest.raises(CouldNotVerify):
        list(Book(tmp_path).ledger.events(last=1))


def test_a_second_number_in_a_line_is_not_believed(tmp_path):
    """What comes first is settled by the chain, not by what a line says of itself twice."""
    book = Book(tmp_path, signed=everything_is_signed)
    book.sealed()
    book.judged()
    book.ask(do.Attest(receipt=book.receipt()), LOOP, whole=True)
    book.judged("G002", "fail")
    path = tmp_path / "plan/ledger.jsonl"
    *_, last = book.ledger._journal.read()
    note = body(NoteAdded(text="x"), id_="i", at=written(START), by=AGENT)
    line = frame(note, seq=last.seq + 1, prev=last.digest)
    doubled = line[70:-1] + b',"seq":1}'
    own = digest(b'{"h":"' + doubled).encode()
    with path.open("ab") as file:
        file.write(b'{"h":"' + own + doubled + b"\n")
    events = list(Book(tmp_path).ledger.events())
    assert [event.seq for event in events] == list(range(1, last.seq + 2))


def test_a_reference_to_no_digest_is_an_event_nobody_understands(tmp_path):
    """A forged reference neither leads out of the folder nor stops the reader."""
    book = Book(tmp_path)
    book.sealed()
    path = tmp_path / "plan/ledger.jsonl"
    *_, last = book.ledger._journal.read()
    known = body(NoteAdded(text="x"), id_="i", at=written(START), by=AGENT)
    forged = {**known, "data": {"blob": "../../secret"}}
    with path.open("ab") as file:
        file.write(frame(forged, seq=last.seq + 1, prev=last.digest) + b"\n")
    assert Book(tmp_path).ledger.state().unknown == 1


@pytest.mark.parametrize(
    ("commands", "pause"),
    [
        ((), False),
        ((do.Raise(goal="G001", needs="agent", why="x"),), False),
        ((do.Raise(goal="G001", needs="human", why="x"),), True),
        ((do.Raise(goal="G001", needs="human", why="x"), do.Drop()), False),
    ],
)
def test_a_hook_is_told_whether_an_agent_may_pause(commands, pause, tmp_path):
    """The gate's own answer: only for what needs a person, and not for a plan given up."""
    book = Book(tmp_path)
    book.sealed()
    for number, command in enumerate(commands):
        book.ask(command, PERSON, id_=f"c{number}")
    assert json.loads((tmp_path / "plan/now.json").read_text())["pause"] is pause


def test_what_is_hidden_is_not_in_the_plan_that_agents_can_read(tmp_path):
    """Of a criterion kept from them, the file says only that it is there."""
    book = Book(tmp_path)
    plan = a_plan()
    first = plan.goals[0]
    secret = first.criteria[0].but(says="no leap day", hidden=True)
    goal = first.but(criteria=(secret,), entry=(secret.but(id="G001.E1"),))
    book.ask(do.Create(plan=plan.but(goals=(goal, *plan.goals[1:]))))
    told = json.loads((tmp_path / "plan/goals.json").read_text())["goals"][0]
    assert told["criteria"] == [{"id": secret.id, "says": "hidden criterion", "hidden": True}]
    assert told["entry"] == [{"id": "G001.E1", "says": "hidden criterion", "hidden": True}]


def test_a_command_from_which_nothing_follows_writes_nothing(tmp_path):
    """To try again what failed, where nothing failed, is no event and no error."""
    book = Book(tmp_path)
    book.sealed()
    before = book.ledger.head
    assert book.ask(do.Retry()).events == ()
    assert book.ledger.head == before
