"""Every system call of every protocol fails once, in every way, at every position."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from forsooth.errors import ForsoothError
from forsooth.ledger.anchor import Anchor
from forsooth.ledger.blobs import Blobs
from forsooth.ledger.chain import unframe
from forsooth.ledger.journal import Journal
from tests.ledger.memory import Crashed, Fault, Killed, Machine, Process
from tests.ledger.simulation import (
    ANCHOR,
    ANYWHERE,
    INSIDE,
    LEDGER,
    POISON,
    body,
    recovered,
    repaired,
)

EVERY: tuple[Fault, ...] = (*ANYWHERE, *INSIDE)
DATA = b"a screenshot" * 500


class Once:
    """One fault, at the call with this number."""

    def __init__(self, position: int, fault: Fault) -> None:
        self.position, self.fault, self.calls = position, fault, 0

    def __call__(self, process: Process, call: str) -> Fault | None:
        self.calls += 1
        return self.fault if self.calls == self.position else None


def _journal(process: Process) -> Journal:
    return Journal(LEDGER, disk=process, repaired=repaired, anchor=Anchor(ANCHOR, disk=process))


def _append(process: Process, *ids: str) -> None:
    with _journal(process).locked() as turn:
        turn.append([body(id) for id in ids])


def _ids(process: Process) -> list[str]:
    return [unframe(record.line)["id"] for record in _journal(process).read()]


def _empty() -> Machine:
    return Machine()


def _filled() -> Machine:
    machine = Machine()
    _append(Process(machine), "a", "b")
    return machine


def _torn() -> Machine:
    machine = _filled()
    file = machine.names[LEDGER]
    file.write(len(file.cache), b'{"h":"12')
    return machine


def _damaged() -> Machine:
    machine = _filled()
    file = machine.names[LEDGER]
    file.write(len(file.cache), b"forged\n")
    file.flush(len(file.unsynced))
    return machine


def _poisoned() -> Machine:
    machine = _filled()
    _journal(Process(machine)).poison()
    Process(machine).fsync_folder(LEDGER.parent)
    return machine


def _meet(
    make: Callable[[], Machine], act: Callable[[Process], None]
) -> Iterator[tuple[Machine, bool, str]]:
    """Yield the machine after each fault, whether the act was acknowledged, and which fault."""
    count = Once(0, "EIO")
    act(Process(make(), count))
    for position in range(1, count.calls + 1):
        for fault in EVERY:
            for is_restarted in (False, True):
                machine, is_done = make(), False
                process = Process(machine, Once(position, fault))
                with suppress(ForsoothError, Killed, Crashed):
                    act(process)
                    is_done = True
                machine.end(process)
                if is_restarted or machine.is_down:
                    machine.restart()
                yield machine, is_done, f"{fault} at call {position}"


@pytest.mark.parametrize(
    ("make", "known"), [(_empty, []), (_filled, ["a", "b"]), (_torn, ["a", "b"])]
)
def test_an_append_survives_any_fault(make: Callable[[], Machine], known: list[str]):
    """After any one fault the old events are there, an acknowledged one too, and the next works."""
    for machine, is_done, fault in _meet(make, lambda process: _append(process, "c", "d")):
        process = Process(machine)
        ids = [id for id in _ids(process) if id != "repair"]
        assert ids[: len(known)] == known, fault
        assert ids[len(known) :] == ["c", "d"][: len(ids) - len(known)], fault
        assert not is_done or ids[len(known) :] == ["c", "d"], fault
        _journal(process).recover(recovered)
        _append(process, "e")
        machine.restart()
        assert [id for id in _ids(process) if id.isalpha() and len(id) == 1] == [*ids, "e"], fault
        assert _journal(process).check().problem is None, fault


@pytest.mark.parametrize(("make", "left_out"), [(_damaged, 1), (_poisoned, 0)])
def test_a_recovery_survives_any_fault(make: Callable[[], Machine], left_out: int):
    """After any one fault it can be repeated; good events stay, the damaged file is kept whole."""
    original = bytes(make().names[LEDGER].cache)
    for machine, is_done, fault in _meet(make, _recover):
        process = Process(machine)
        if is_done:
            assert _journal(process).check().problem is None, fault
        _recover(process)
        assert _ids(process)[:3] == ["a", "b", "recovery"], fault
        assert unframe(list(_journal(process).read())[2].line)["data"]["left_out"] == left_out
        kept = machine.names[LEDGER.with_name("ledger.damaged-1.jsonl")]
        assert bytes(kept.cache) == original, fault
        _append(process, "c")
        machine.restart()
        assert _ids(process)[-1] == "c", fault
        # The marker's removal may be what the power took; then the recovery is repeated once more.
        _recover(process)
        assert POISON not in machine.names, fault
        assert "c" in _ids(process), fault


def _recover(process: Process) -> None:
    _journal(process).recover(recovered)


def test_a_blob_survives_any_fault():
    """An acknowledged put is there after power loss, and one that failed can be repeated."""
    folder = Path("/plan/blobs")
    for machine, is_done, fault in _meet(_empty, lambda p: _put(p, folder)):
        machine.restart()
        blobs = Blobs(folder, disk=Process(machine))
        digest = hashlib.sha256(DATA).hexdigest()
        if is_done:
            assert blobs.get(digest) == DATA, fault
        assert blobs.put(DATA) == digest, fault
        machine.restart()
        assert blobs.get(digest) == DATA, fault


def _put(process: Process, folder: Path) -> None:
    Blobs(folder, disk=process).put(DATA)
