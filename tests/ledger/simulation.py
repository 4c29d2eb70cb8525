"""Many short lives of one ledger, each decided by a seed: faults, kills, power loss, repair.

Several processes append, read, check and recover. At any call one may meet an error, be killed,
lose power with the rest, or be overtaken by a whole operation of another. A model remembers what
was acknowledged; nothing acknowledged may ever be missing, moved or changed.

Assumption: a disk that fails the fsync, the undo and the marker in a row, or fails the fsync of a
process that is killed before it can react, counts as dead until the machine restarts.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random
from typing import NamedTuple

from forsooth.errors import CouldNotVerify, LedgerError, Unwritten
from forsooth.ledger.anchor import Anchor
from forsooth.ledger.chain import unframe
from forsooth.ledger.journal import Journal, Loss
from tests.ledger.memory import Blocked, Crashed, Fault, Killed, Machine, Process

LEDGER = Path("/plan/ledger.jsonl")
POISON = Path("/plan/ledger.jsonl.poisoned")
ANCHOR = Path("/state/anchor")

ANYWHERE: tuple[Fault, ...] = ("EIO", "ENOSPC", "EINTR", "kill", "crash")
INSIDE: tuple[Fault, ...] = ("short", "kill-inside", "crash-inside")
WEIGHTS = {"write": 3, "fsync": 6}


class Broken(AssertionError):
    """The ledger broke a promise; the seed and the story say how."""


class Acknowledged(NamedTuple):
    """An event that a caller was told is safe."""

    id: str
    seq: int
    digest: str


def body(id: str, kind: str = "note.added", **data: object) -> dict[str, object]:
    """An event as the typed ledger would hand it down."""
    at = "2026-01-01T00:00:00Z"
    return {"v": 1, "id": id, "at": at, "by": "loop", "kind": kind, "data": dict(data)}


def repaired(count: int, digest: str) -> dict[str, object]:
    """The event that records a torn tail."""
    return body("repair", "ledger.repaired", removed=count, digest=digest)


def recovered(loss: Loss) -> dict[str, object]:
    """The event that records a recovery."""
    return body("recovery", "ledger.repaired", **loss._asdict())


class Simulation:
    """One seed, one run."""

    journal = Journal

    def __init__(self, seed: int, *, anchored: bool | None = None) -> None:
        self.seed, self.rng = seed, Random(seed)
        self.machine = Machine(self.rng)
        self.is_anchored = self.rng.random() < 0.7 if anchored is None else anchored
        self.rate = self.rng.choice((0.0, 0.01, 0.03, 0.08))
        self.acknowledged: list[Acknowledged] = []
        self.story: list[str] = []
        self.depth = self.faults = self.nested = self.events = self.repairs = 0

    def run(self, steps: int = 20) -> Simulation:
        """Live through so many operations, then stop the faults and see that all is well."""
        try:
            for _ in range(steps):
                self._step()
            self.rate = 0.0
            self._settle()
        except (Exception, Blocked, Killed, Crashed) as error:
            story = "\n  ".join(self.story)
            raise Broken(f"seed {self.seed}: {error!r}\n  {story}") from error
        return self

    def _step(self) -> None:
        self.faults = self.nested = 0
        try:
            self._operate()
        except Crashed:
            self._restart()
        else:
            self._restart_if_dead()
            if self.rng.random() < 0.06:
                self._restart()
        self._verify()

    def _operate(self) -> None:
        """Let one process do one thing, and clean up after it like a kernel."""
        process = Process(self.machine, self._trouble)
        journal = self._journal(process)
        operation = self.rng.choice(("append", "append", "append", "append", "read", "check"))
        if POISON in self.machine.names and self.rng.random() < 0.5:
            operation = "recover"
        self.story.append(f"{'  ' * self.depth}{operation}")
        try:
            getattr(self, f"_{operation}")(journal)
        except (Unwritten, CouldNotVerify) as error:
            self._tell(f"{error.code}: {error.__cause__!r}")
        except LedgerError as error:
            self._tell(error.code)
            if error.code != "poisoned":
                raise
        except (Killed, Blocked) as gone:
            self._tell(type(gone).__name__)
        finally:
            self.machine.end(process)

    def _append(self, journal: Journal) -> None:
        torn = self._torn()
        ids = [self._id() for _ in range(self.rng.choice((1, 1, 2, 3)))]
        bodies = [body(id, text="x" * self.rng.choice((1, 100, 100, 5000))) for id in ids]
        with journal.locked() as turn:
            records = turn.append(bodies)
            self._tell(f"acknowledged {ids} at {records[0].seq}")
            rows = zip(ids, records, strict=True)
            self.acknowledged += [Acknowledged(id, r.seq, r.digest) for id, r in rows]
            note = turn.repaired and unframe(turn.repaired.line)["data"]
            if note:
                self.repairs += 1
            if not self.nested:
                expected = {"removed": len(torn), "digest": hashlib.sha256(torn).hexdigest()}
                assert note == (expected if torn else None), "torn bytes went unrecorded"
            assert [r.seq for r in turn.records()] == list(range(1, turn.tail.seq + 1))

    def _read(self, journal: Journal) -> None:
        for number, record in enumerate(journal.read(), 1):
            assert record.seq == number

    def _check(self, journal: Journal) -> None:
        report = journal.check()
        assert report.problem is None or report.problem.code == "poisoned"

    def _recover(self, journal: Journal) -> None:
        loss = journal.recover(recovered)
        assert loss is None or loss.left_out == 0

    def _trouble(self, process: Process, call: str) -> Fault | None:
        """Decide what happens at one call."""
        if self.depth < 2 and self.rate and self.rng.random() < 0.02:
            self._overtake()
        if self.rng.random() >= self.rate * WEIGHTS.get(call, 1):
            return None
        choices = ANYWHERE + (INSIDE if call in ("write", "pwrite") else ())
        choices += ("short",) if call == "pread" else ()
        fault = self.rng.choice(choices)
        self.faults += fault != "short"
        self._tell(f"{call}: {fault}")
        return fault

    def _overtake(self) -> None:
        self.nested += 1
        self.depth += 1
        self._operate()
        self.depth -= 1

    def _restart_if_dead(self) -> None:
        file = self.machine.names.get(LEDGER)
        is_lying = file is not None and file.dropped is not None
        if is_lying and self.faults > 1 and POISON not in self.machine.names:
            self._tell("the disk is dead")
            self._restart()

    def _restart(self) -> None:
        self.story.append("power lost")
        self.depth = 0
        self.machine.restart()

    def _settle(self) -> None:
        """Without faults a ledger takes the next append, after a recovery if it is poisoned."""
        for _ in range(2):
            journal = self._journal(Process(self.machine))
            if POISON in self.machine.names:
                assert self._recover(journal) is None
            before = len(self.acknowledged)
            self._append(journal)
            assert len(self.acknowledged) > before
            assert journal.check().problem is None
            self._restart()
            self._verify()

    def _verify(self) -> None:
        """Read it all and compare it with the model."""
        process = Process(self.machine)
        records = list(self._journal(process).read())
        self.machine.end(process)
        for id, seq, digest in self.acknowledged:
            assert seq <= len(records), f"{id} is lost"
            assert records[seq - 1].digest == digest, f"{id} is changed"

    def _journal(self, process: Process) -> Journal:
        anchor = Anchor(ANCHOR, disk=process) if self.is_anchored else None
        return self.journal(LEDGER, disk=process, repaired=repaired, anchor=anchor)

    def _torn(self) -> bytes:
        file = self.machine.names.get(LEDGER)
        return b"" if file is None else bytes(file.cache).rpartition(b"\n")[2]

    def _id(self) -> str:
        self.events += 1
        return f"e{self.events}"

    def _tell(self, what: str) -> None:
        self.story.append(f"{'  ' * self.depth}  {what}")
