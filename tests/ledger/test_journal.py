"""Appending, reading, repairing and recovering, on a real disk."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify, LedgerError, Tampered, Unwritten
from forsooth.ledger.anchor import Anchor
from forsooth.ledger.chain import EMPTY, LONGEST, BadLine, Record, Tail, unframe
from forsooth.ledger.disk import Disk
from forsooth.ledger.journal import Journal
from tests.ledger.failing import Failing
from tests.ledger.simulation import body, recovered, repaired

TORN = b'{"h":"torn'


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A ledger with its anchor elsewhere."""
    return _journal(tmp_path)


def _journal(folder: Path, *, disk: Disk | None = None) -> Journal:
    anchor = Anchor(folder / "state" / "anchor")
    path = folder / "plans" / "p1" / "ledger.jsonl"
    return Journal(path, repaired=repaired, disk=disk or Disk(), anchor=anchor)


def _append(journal: Journal, *ids: str, size: int = 0) -> tuple[Record, ...]:
    with journal.locked() as turn:
        return turn.append([body(id, text="x" * size) for id in ids])


def _ids(journal: Journal, after: Tail = EMPTY) -> list[str]:
    return [unframe(record.line)["id"] for record in journal.read(after)]


def _edit(journal: Journal, old: bytes, new: bytes) -> None:
    data = journal.path.read_bytes()
    assert old in data
    journal.path.write_bytes(data.replace(old, new, 1))


class TestReading:
    def test_a_missing_ledger_is_empty(self, journal: Journal):
        """Nothing is created by looking."""
        assert _ids(journal) == []
        assert journal.matches(EMPTY)
        assert not journal.matches(Tail(1, "ab" * 32, 10))
        assert journal.check()[:4] == (0, EMPTY.head, 0, 0)
        assert not journal.path.parent.exists()

    def test_events_come_back_in_order_with_their_places(self, journal: Journal):
        """A record says where its line lies and what names it."""
        written = _append(journal, "a", "b") + _append(journal, "c")
        assert tuple(journal.read()) == written
        data = journal.path.read_bytes()
        for record in written:
            assert data[record.offset : record.end] == record.line + b"\n"
            assert record.digest == hashlib.sha256(record.line).hexdigest()
        assert journal.path.stat().st_mode & 0o777 == 0o600

    def test_reading_goes_on_after_a_position(self, journal: Journal):
        """What a caller has folded already is neither read nor checked again."""
        first, second = _append(journal, "a", "b")
        assert _ids(journal, first.tail) == ["b"]
        assert _ids(journal, second.tail) == []
        assert journal.matches(first.tail)

    def test_a_position_the_file_does_not_hold_is_an_error(self, journal: Journal):
        """It is from another ledger, or this one was rewound."""
        first, second = _append(journal, "a", "b")
        others = [
            Tail(1, second.digest, first.end),
            Tail(2, first.digest, first.end),
            Tail(1, first.digest, first.end - 1),
            Tail(9, second.digest, second.end + 10_000),
        ]
        for tail in others:
            assert not journal.matches(tail)
            with pytest.raises(Tampered, match=f"event {tail.seq}"):
                list(journal.read(tail))

    def test_an_unfinished_line_is_not_read(self, journal: Journal):
        """Somebody may be writing it at this moment."""
        _append(journal, "a")
        with journal.path.open("ab") as file:
            file.write(TORN)
        assert _ids(journal) == ["a"]
        assert journal.check().torn == len(TORN)
        assert journal.check().problem is None

    def test_a_flood_without_an_end_of_line_is_not_read(self, journal: Journal):
        """However many bytes follow the last line, they are no event."""
        _append(journal, "a")
        with journal.path.open("ab") as file:
            file.write(b"x" * 1_000_000)
        assert _ids(journal) == ["a"]
        assert journal.check().torn == 1_000_000
        _append(journal, "b")
        assert _ids(journal) == ["a", "repair", "b"]

    def test_a_wrong_line_is_named(self, journal: Journal):
        """The error says which event, at which byte, and what to type."""
        first, _ = _append(journal, "a", "b")
        _edit(journal, b'"id":"b"', b'"id":"c"')
        with pytest.raises(Tampered, match=f"event 2 at byte {first.end}") as caught:
            _ids(journal)
        assert caught.value.hint == "forsooth fsck"
        with pytest.raises(Tampered, match="last line"):
            _append(journal, "c")

    def test_a_read_only_place_can_be_read(self, tmp_path: Path):
        """Readers open nothing for writing and take no exclusive lock."""
        _append(_journal(tmp_path), "a")

        class ReadOnly(Disk):
            def open(self, path: Path, flags: int) -> int:
                if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                    raise OSError(errno.EROFS, os.strerror(errno.EROFS))
                return super().open(path, flags)

        journal = _journal(tmp_path, disk=ReadOnly())
        assert _ids(journal) == ["a"]
        assert journal.check().problem is None
        with pytest.raises(
            Unwritten, match=r"Read-only file system.*nothing was written"
        ) as caught:
            _append(journal, "b")
        assert isinstance(caught.value.__cause__, OSError)
        assert caught.value.__cause__.errno == errno.EROFS

    def test_a_disk_that_cannot_be_read_is_no_verdict(self, tmp_path: Path):
        """It says neither that the ledger is good nor that it was tampered with."""
        (record,) = _append(_journal(tmp_path), "a")
        journal = _journal(tmp_path, disk=Failing("pread"))
        looks = [journal.check, lambda: _ids(journal), lambda: journal.matches(record.tail)]
        for look in looks:
            with pytest.raises(CouldNotVerify, match="Input/output error"):
                look()
        with pytest.raises(Unwritten):
            _append(journal, "b")

    def test_a_half_changed_line_is_looked_at_again(self, tmp_path: Path):
        """A failed append undone during a read is not mistaken for tampering."""
        writer = _journal(tmp_path)
        _append(writer, "a")

        class Undone(Disk):
            """The first read still sees a line that has been undone since."""

            reads = 0

            def pread(self, fd: int, count: int, offset: int) -> bytes:
                self.reads += 1
                data = super().pread(fd, count, offset)
                return data + b"half of one line and half of another\n" if self.reads == 1 else data

        assert _ids(_journal(tmp_path, disk=Undone())) == ["a"]


class TestAppending:
    def test_a_batch_is_written_and_synced_once(self, tmp_path: Path):
        """One write, one fsync, and the fsync happens while the lock is held."""

        class Counting(Disk):
            calls: list[str]

            def write(self, fd: int, data: bytes | memoryview) -> int:
                self.calls.append("write")
                return super().write(fd, data)

            def fsync(self, fd: int) -> None:
                self.calls.append("fsync")
                super().fsync(fd)

            def unlock(self, fd: int) -> None:
                self.calls.append("unlock")
                super().unlock(fd)

        disk = Counting()
        disk.calls = []
        _append(_journal(tmp_path, disk=disk), "a", "b", "c")
        assert disk.calls == ["write", "fsync", "unlock"]

    def test_nothing_to_append_is_nothing_written(self, journal: Journal):
        """An empty batch leaves an empty ledger."""
        assert _append(journal) == ()
        assert journal.path.read_bytes() == b""

    def test_a_turn_may_append_more_than_once(self, journal: Journal):
        """Its tail moves along, and what it appended it can read."""
        with journal.locked() as turn:
            first = turn.append([body("a")])
            second = turn.append([body("b")])
            assert turn.tail == second[-1].tail
            assert tuple(turn.records()) == first + second
            assert tuple(turn.records(first[0].tail)) == second

    def test_a_turn_reads_as_strictly_as_anyone(self, tmp_path: Path):
        """A wrong line before the last, or a disk that fails meanwhile, is an error there too."""
        disk = Failing()
        journal = _journal(tmp_path, disk=disk)
        _append(journal, "a", "b")
        with journal.locked() as turn:
            disk.calls.add("pread")
            with pytest.raises(CouldNotVerify):
                list(turn.records())
            disk.calls.clear()
        _edit(journal, b'"id":"a"', b'"id":"x"')
        with journal.locked() as turn, pytest.raises(Tampered, match="event 1 at byte 0"):
            list(turn.records())

    def test_a_turn_ends_with_its_lock(self, journal: Journal):
        """A turn kept for later cannot write where others now may."""
        with journal.locked() as turn:
            turn.append([body("a")])
        with pytest.raises(LedgerError, match="turn is over"):
            turn.append([body("b")])

    def test_a_body_that_is_too_long_changes_nothing(self, journal: Journal):
        """Also when it is the last of a batch."""
        with journal.locked() as turn, pytest.raises(BadLine):
            turn.append([body("a"), body("b", text="x" * LONGEST)])
        assert _ids(journal) == []

    @pytest.mark.parametrize("size", [0, 3_000, 5_000, 60_000])
    def test_the_tail_is_found_behind_lines_of_any_length(self, journal: Journal, size: int):
        """However far back the last line begins."""
        for id in ("a", "b", "c"):
            _append(journal, id, size=size)
        assert _ids(journal) == ["a", "b", "c"]

    def test_a_torn_tail_is_repaired_and_recorded(self, journal: Journal):
        """The event that says so comes first, and is not among those returned."""
        _append(journal, "a")
        with journal.path.open("ab") as file:
            file.write(TORN)
        with journal.locked() as turn:
            (record,) = turn.append([body("b")])
            assert turn.repaired is not None
            assert (turn.repaired.seq, record.seq) == (2, 3)
            note = unframe(turn.repaired.line)["data"]
        assert note == {"removed": len(TORN), "digest": hashlib.sha256(TORN).hexdigest()}
        assert _ids(journal) == ["a", "repair", "b"]

    def test_writers_wait_for_each_other(self, journal: Journal):
        """Also threads of one process: the lock belongs to the open file."""
        threads = [
            threading.Thread(target=lambda n=n: [_append(journal, f"{n}-{i}") for i in range(20)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(_ids(journal)) == 80

    def test_a_ledger_replaced_while_waiting_is_opened_again(self, tmp_path: Path):
        """Who waited on the old file writes to the new one; a deleted one is made anew."""

        class Moved(Disk):
            waits = 0

            def lock(self, fd: int) -> None:
                super().lock(fd)
                self.waits += 1
                if self.waits == 1:
                    path = tmp_path / "plans" / "p1" / "ledger.jsonl"
                    (tmp_path / "copy").write_bytes(path.read_bytes())
                    (tmp_path / "copy").replace(path)
                if self.waits == 2:
                    journal.path.rename(tmp_path / "aside")

        _append(_journal(tmp_path), "a")
        (tmp_path / "state" / "anchor").unlink()
        disk = Moved()
        journal = _journal(tmp_path, disk=disk)
        assert _append(journal, "b")[0].seq == 1
        assert disk.waits == 3

    def test_a_lock_that_cannot_be_had_leaves_nothing_open(self, tmp_path: Path):
        """Nothing was written, and the error says so."""

        class NoLocks(Disk):
            def lock(self, fd: int) -> None:
                raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        with pytest.raises(Unwritten, match=r"No locks available.*nothing was written"):
            _append(_journal(tmp_path, disk=NoLocks()), "a")

    def test_an_acknowledged_append_stays_one(self, tmp_path: Path):
        """A failure to unlock comes too late to matter."""
        assert _append(_journal(tmp_path, disk=Failing("unlock")), "a")[0].seq == 1

    @pytest.mark.parametrize("call", ["write", "silent write"])
    def test_a_failed_write_is_undone(self, tmp_path: Path, call: str):
        """The error says that the fate is unknown, and the turn is over."""
        good = _journal(tmp_path)
        _append(good, "a")
        before = good.path.read_bytes()
        with _journal(tmp_path, disk=Failing(call)).locked() as turn:
            with pytest.raises(Unwritten, match="fate is unknown"):
                turn.append([body("b")])
            with pytest.raises(LedgerError, match="failed append"):
                turn.append([body("b")])
        assert good.path.read_bytes() == before
        assert _append(good, "b")[0].seq == 2


class TestPoison:
    def test_a_failed_fsync_is_undone(self, tmp_path: Path):
        """What came before is known to be durable, so that is enough."""
        good = _journal(tmp_path)
        _append(good, "a")
        with pytest.raises(Unwritten, match="fate is unknown"):
            _append(_journal(tmp_path, disk=Failing("fsync")), "b")
        assert _ids(good) == ["a"]
        assert _append(good, "c")[0].seq == 2

    @pytest.mark.parametrize("has_anchor", [True, False])
    def test_a_ledger_that_may_lie_is_closed(self, tmp_path: Path, has_anchor: bool):
        """When the undo fails too, or cannot be enough, nothing is appended until a recovery."""
        good = _journal(tmp_path)
        _append(good, "a")
        if not has_anchor:
            (tmp_path / "state" / "anchor").unlink()
        calls = ("fsync", "truncate") if has_anchor else ("fsync",)
        with pytest.raises(Unwritten):
            _append(_journal(tmp_path, disk=Failing(*calls)), "b")
        with pytest.raises(LedgerError) as caught:
            _append(good, "c")
        assert (caught.value.code, caught.value.hint) == ("poisoned", "forsooth fsck --recover")
        seen = ["a", "b"] if has_anchor else ["a"]
        assert _ids(good) == seen
        problem = good.check().problem
        assert problem is not None
        assert problem.code == "poisoned"
        assert good.recover(recovered) is not None
        _append(good, "c")
        assert _ids(good) == [*seen, "recovery", "c"]

    def test_a_marker_that_cannot_be_left_changes_no_error(self, tmp_path: Path):
        """The append failed all the same."""
        with pytest.raises(Unwritten):
            _append(_journal(tmp_path, disk=Failing("fsync", "truncate", "poison")), "a")


class TestAnchored:
    def test_a_rewound_ledger_is_closed(self, journal: Journal):
        """Removing acknowledged events from the end is noticed by readers and writers."""
        first, _ = _append(journal, "a", "b")
        os.truncate(journal.path, first.end)
        with pytest.raises(Tampered, match="ends at event 1, but event 2 was acknowledged"):
            _ids(journal)
        with pytest.raises(Tampered, match="acknowledged"):
            _append(journal, "c")
        journal.path.unlink()
        with pytest.raises(Tampered, match="ends at event 0"):
            _ids(journal)

    def test_a_rewritten_event_is_noticed(self, journal: Journal, tmp_path: Path):
        """Also when the chain was made anew behind it."""
        _append(journal, "a", "b")
        other = Journal(tmp_path / "other.jsonl", repaired=repaired)
        tail = _append(other, "a", "forged")[-1].tail
        journal.path.write_bytes(other.path.read_bytes())
        for look in (lambda: _ids(journal), lambda: _ids(journal, tail), lambda: _append(journal)):
            with pytest.raises(Tampered, match=r"event 2 .* not the one that was acknowledged"):
                look()

    def test_an_append_does_without_a_place_for_the_anchor(self, tmp_path: Path):
        """A home that cannot be written costs the witness, not the event."""
        (tmp_path / "state").write_text("a file where the folder should be")
        journal = _journal(tmp_path)
        assert _append(journal, "a")[0].seq == 1
        assert _ids(journal) == ["a"]

    def test_an_anchor_that_moved_meanwhile_is_not_held_against_the_ledger(self, tmp_path: Path):
        """A recovery between two looks moved both."""

        class Moving(Anchor):
            def read(self):
                mark = super().read()
                self.write(1, "ef" * 32)
                return mark

        anchor = Moving(tmp_path / "anchor")
        anchor.write(2, "ab" * 32)
        assert list(Journal(tmp_path / "none.jsonl", repaired=repaired, anchor=anchor).read()) == []


class TestRecovering:
    def test_a_sound_ledger_is_left_alone(self, journal: Journal):
        """There is nothing to recover from."""
        _append(journal, "a")
        before = journal.path.read_bytes()
        assert journal.recover(recovered) is None
        assert journal.path.read_bytes() == before

    def test_the_good_part_goes_on_and_the_damaged_file_stays(self, journal: Journal):
        """The new ledger says what was left out, and where it is kept."""
        first, *_ = _append(journal, "a", "b", "c")
        _edit(journal, b'"id":"b"', b'"id":"x"')
        with journal.path.open("ab") as file:
            file.write(TORN)
        damaged = journal.path.read_bytes()
        report = journal.check()
        assert (report.events, report.left_out, report.torn) == (1, 2, len(TORN))
        loss = journal.recover(recovered)
        assert loss is not None
        assert loss._asdict() == {
            "seq": 1,
            "head": first.digest,
            "code": "bad-hash",
            "damaged": hashlib.sha256(damaged).hexdigest(),
            "left_out": 2,
            "kept_as": "ledger.damaged-1.jsonl",
        }
        assert (journal.path.parent / loss.kept_as).read_bytes() == damaged
        assert sorted(path.name for path in journal.path.parent.iterdir()) == [
            "ledger.damaged-1.jsonl",
            "ledger.jsonl",
        ]
        _append(journal, "d")
        assert _ids(journal) == ["a", "recovery", "d"]
        assert journal.check().problem is None

    def test_every_damaged_file_is_kept(self, journal: Journal):
        """A second recovery does not touch what the first one kept."""
        for number in (1, 2):
            _append(journal, "a")
            _edit(journal, b'"id":"a"', b'"id":"x"')
            loss = journal.recover(recovered)
            assert loss is not None
            assert loss.kept_as == f"ledger.damaged-{number}.jsonl"

    def test_a_recovery_without_an_anchor(self, tmp_path: Path):
        """Nothing is written elsewhere."""
        journal = Journal(tmp_path / "ledger.jsonl", repaired=repaired)
        _append(journal, "a")
        _edit(journal, b'"id":"a"', b'"id":"x"')
        assert journal.recover(recovered) is not None
        assert _ids(journal) == ["recovery"]

    def test_a_recovery_that_fails_says_what_to_type(self, tmp_path: Path):
        """It is repeated, not continued."""
        good = _journal(tmp_path)
        _append(good, "a")
        _edit(good, b'"id":"a"', b'"id":"x"')
        with pytest.raises(Unwritten, match="did not finish") as caught:
            _journal(tmp_path, disk=Failing("fsync")).recover(recovered)
        assert caught.value.hint == "forsooth fsck --recover"
        assert good.recover(recovered) is not None

    def test_a_line_without_end_is_reported_as_too_long(self, journal: Journal):
        """A finished line of any length is looked at, and refused, without being kept in memory."""
        _append(journal, "a")
        with journal.path.open("ab") as file:
            file.write(b"x" * 700_000 + b"\n")
        problem = journal.check().problem
        assert problem is not None
        assert (problem.code, problem.seq) == ("too-long", 2)
        with pytest.raises(Tampered, match="last line"):
            _append(journal, "b")
