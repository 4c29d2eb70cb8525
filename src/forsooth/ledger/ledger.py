"""The events of one plan: typed, appended under one lock, safe to repeat.

State is folded here and nowhere else. A gate that ends in proof folds every event from the first,
and hears as a person only who spoke in this home; `status`, hooks and ordinary commands start from
the snapshot and take every line as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

from forsooth.core import event as events
from forsooth.core.actor import LOOP, Actor
from forsooth.core.canonical import encode
from forsooth.core.decide import Decision, Refusal
from forsooth.core.event import AnyFact, Event, LedgerRepaired
from forsooth.core.evolve import evolve
from forsooth.core.instant import written
from forsooth.core.state import NOTHING, State
from forsooth.errors import CouldNotVerify, Tampered
from forsooth.ledger import snapshot
from forsooth.ledger.acts import Acts
from forsooth.ledger.anchor import Anchor
from forsooth.ledger.blobs import Blobs
from forsooth.ledger.chain import EMPTY, Record, Tail
from forsooth.ledger.disk import REAL, Disk
from forsooth.ledger.journal import Journal, Loss, Report, Turn
from forsooth.ledger.now import Noticeboard
from forsooth.ledger.recovery import Flaw

INLINE = 48 * 1024
SNAPSHOT_EVERY = 256

Signed = Callable[[Event], bool]


class Stamp(NamedTuple):
    """A fresh id and the time, for events the ledger itself must record."""

    id: str
    now: datetime


class Outcome(NamedTuple):
    """What a command came to: its events, or every reason against it, and the state after."""

    events: tuple[Event, ...]
    state: State
    refusal: Refusal | None = None
    repeated: bool = False


def never(_: Event) -> bool:
    """Nothing is signed: what counts only when signed does not count."""
    return False


class Ledger:
    """One plan's ledger, its blobs, and what is derived from it."""

    def __init__(
        self,
        folder: Path,
        *,
        anchor: Path,
        stamp: Callable[[], Stamp],
        signed: Signed = never,
        disk: Disk = REAL,
    ) -> None:
        self.folder, self._stamp, self._signed, self._disk = folder, stamp, signed, disk
        self.blobs = Blobs(folder / "blobs", disk=disk)
        head = Anchor(anchor, disk=disk)
        self._acts = Acts(anchor.with_suffix(".acts"), anchor=head, disk=disk)
        self._journal = Journal(
            folder / "ledger.jsonl",
            repaired=self._repaired,
            anchor=head,
            disk=disk,
            apart=self._flaw,
        )
        self._board = Noticeboard(folder, disk=disk)
        self._snapshot = folder / "snapshot.json"
        self._kept = 0
        self._tail, self._state, self._is_whole = EMPTY, NOTHING, False
        self.unheard: tuple[Event, ...] = ()

    def state(self) -> State:
        """Where things stand, from the snapshot on; takes no lock and writes nothing."""
        self._settle(whole=False)
        self._advance(self._journal.read(self._tail))
        return self._state

    def proven_state(self) -> State:
        """Where things stand, from the first event on, by the word of persons of this home.

        `unheard` are then the events that say a person spoke, who did not do so here.
        """
        self._settle(whole=True)
        self._advance(self._journal.read(self._tail))
        return self._state

    @property
    def head(self) -> str:
        """The hash of the last line that was read."""
        return self._tail.head

    def heads(self, seqs: Collection[int]) -> dict[int, str]:
        """The hashes of some lines, as far as there are such lines."""
        return {one.seq: one.tail.head for one in self._journal.read() if one.seq in seqs}

    def events(self, *, last: int = 0) -> Iterator[Event]:
        """Every event in order, or the last few, verified."""
        records = self._journal.latest(last) if last else self._journal.read()
        return (self._event(record) for record in records)

    def transact(
        self,
        ask: Callable[[State], Decision],
        *,
        by: Actor,
        now: datetime,
        id_: str,
        key: str | None = None,
        seen: int | None = None,
        whole: bool = False,
    ) -> Outcome:
        """Decide and record under one lock.

        1. Bring the state up to the end of the ledger.
        2. A key, or an id later than `seen`, that is already there returns what was recorded.
        3. Decide; a refusal is recorded too.
        4. Append every fact in one write.
        5. Fold what was written, and make the answers for hooks ready.
        """
        with self._journal.locked() as turn:
            if turn.tail != self._tail or (whole and not self._is_whole):  # 1
                self._settle(whole=whole)
                self._advance(turn.records(self._tail))
            recorded = self._recorded(turn, id_, key=key, seen=seen)  # 2
            if recorded:
                return Outcome(recorded, self._state, repeated=True)
            decision = ask(self._state)  # 3
            refusal = decision if isinstance(decision, Refusal) else None
            facts: tuple[AnyFact, ...] = (
                (decision.fact,) if isinstance(decision, Refusal) else decision
            )
            made = self._append(turn, facts, by=by, now=now, id_=id_, key=key)  # 4
            self._publish(now)  # 5
            return Outcome(made, self._state, refusal)

    def check(self) -> Report:
        """Verify every byte, also of what is kept apart from its line."""
        return self._journal.check()

    def recover(self, *, by: Actor) -> Loss | None:
        """Start again from the good prefix; the damaged file is kept. None if it is sound."""
        loss = self._journal.recover(lambda loss: self._body(_left_behind(loss), by=by))
        self._tail, self._state, self._is_whole = EMPTY, NOTHING, False
        return loss

    def _settle(self, *, whole: bool) -> None:
        """Go back to the start, or to the snapshot, when what is in memory will not do."""
        usable = self._is_whole or not whole
        if usable and self._tail != EMPTY and self._journal.matches(self._tail):
            return
        self._tail, self._state, self._is_whole, self.unheard = EMPTY, NOTHING, whole, ()
        kept = None if whole else snapshot.load(self._snapshot, disk=self._disk)
        if kept is not None and self._journal.matches(kept.tail):
            self._tail, self._state = kept.tail, kept.state
            self._kept = kept.tail.seq

    def _advance(self, records: Iterable[Record]) -> None:
        for record in records:
            self._step(self._event(record), record.tail)

    def _step(self, event: Event, tail: Tail) -> None:
        if self._is_whole and event.by.speaks_for_person and not self._acts.knows(*tail[:2]):
            self.unheard += (event,)
            event = event._replace(by=event.by.unheard)
        self._state = evolve(self._state, event, signed=self._counts(event))
        self._tail = tail

    def is_own(self, seq: int) -> bool:
        """Whether a person's command wrote that line from this home."""
        return self._acts.knows(seq)

    def _counts(self, event: Event) -> bool:
        return event.kind in ("receipt.issued", "verdict.given") and self._signed(event)

    def _event(self, record: Record) -> Event:
        try:
            raw: dict[str, Any] = from_json(record.line)
        except ValueError:
            raw = {}
        # The chain was checked on bytes: a second `seq` in the same line must not be believed.
        raw["seq"] = record.seq
        apart = events.blob_of(raw)
        return events.read(raw, data=self.blobs.get(apart) if apart else None)

    def _flaw(self, record: Record) -> Flaw | None:
        """What is wrong with the blob an event is kept in; a disk that fails is not its loss."""
        name = events.blob_of(from_json(record.line))
        try:
            _ = self.blobs.get(name) if name else b""
        except Tampered as error:
            return Flaw("blob-altered", f"event {record.seq}: {error.message}")
        except CouldNotVerify as error:
            if error.code != "blob-missing":
                raise
            return Flaw("blob-missing", f"event {record.seq}: {error.message}")
        return None

    def _recorded(
        self, turn: Turn, id_: str, *, key: str | None, seen: int | None
    ) -> tuple[Event, ...]:
        first = self._state.keys.get(key, 0) if key is not None else 0
        if first:
            return tuple(e for e in self._since(turn, first - 1) if e.key == key)
        if seen is None:
            return ()
        return tuple(e for e in self._since(turn, seen) if e.id.partition("/")[0] == id_)

    def _since(self, turn: Turn, seq: int) -> Iterator[Event]:
        return (self._event(record) for record in turn.records(since=seq) if record.seq > seq)

    def _append(
        self,
        turn: Turn,
        facts: tuple[AnyFact, ...],
        *,
        by: Actor,
        now: datetime,
        id_: str,
        key: str | None,
    ) -> tuple[Event, ...]:
        if not facts:
            return ()
        at = written(now)
        names = [f"{id_}/{index}" if index else id_ for index in range(len(facts))]
        keys = [key, *(None for _ in facts[1:])]
        rows = list(zip(facts, names, keys, strict=True))
        self._acts.begin()
        records = turn.append(
            [self._apart(events.body(fact, id_=n, at=at, by=by, key=k)) for fact, n, k in rows]
        )
        if by.speaks_for_person:
            self._acts.note(record.tail for record in records)
        if turn.repaired is not None:
            self._step(self._event(turn.repaired), turn.repaired.tail)
        made: list[Event] = []
        for record, (fact, n, k) in zip(records, rows, strict=True):
            made.append(Event(record.seq, n, at, by, fact, k))
            self._step(made[-1], record.tail)
        return tuple(made)

    def _apart(self, body: dict[str, Any]) -> dict[str, Any]:
        """A body too large for a line is kept as a blob."""
        if len(to_json(body["data"])) <= INLINE:
            return body
        return {**body, "data": {"blob": self.blobs.put(encode(body["data"]))}}

    def _publish(self, now: datetime) -> None:
        self._board.post(self._state, size=self._tail.size, now=now)
        if self._tail.seq - self._kept >= SNAPSHOT_EVERY:
            snapshot.save(
                self._snapshot, snapshot.Snapshot(self._tail, self._state), disk=self._disk
            )
            self._kept = self._tail.seq

    def _body(self, fact: AnyFact, *, by: Actor) -> dict[str, Any]:
        stamp = self._stamp()
        return events.body(fact, id_=stamp.id, at=written(stamp.now), by=by)

    def _repaired(self, removed: int, digest: str) -> dict[str, Any]:
        return self._body(LedgerRepaired(removed=removed, digest=digest), by=LOOP)


def _left_behind(loss: Loss) -> LedgerRepaired:
    return LedgerRepaired(removed=0, digest=loss.damaged, cause="damaged", left_out=loss.left_out)
