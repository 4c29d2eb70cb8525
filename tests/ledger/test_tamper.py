"""Whatever is done to a finished ledger is noticed, or was never part of it and is repaired."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random

import pytest

from forsooth.errors import Tampered
from forsooth.ledger.anchor import Anchor
from forsooth.ledger.chain import GENESIS, frame, unframe
from forsooth.ledger.journal import Journal
from tests.ledger.memory import Machine, Process
from tests.ledger.simulation import ANCHOR, LEDGER, body, recovered, repaired

EDITS = 100_000
SHARE = 12_500
EVENTS = 6

Edit = Callable[[bytes, Random], bytes]


def _flip(data: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def _swap(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    one, two = rng.sample(range(len(lines)), 2)
    lines[one], lines[two] = lines[two], lines[one]
    return b"".join(lines)


def _delete(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _insert(data: bytes, rng: Random) -> bytes:
    place = rng.randint(0, len(data))
    return data[:place] + rng.randbytes(rng.randint(1, 40)) + data[place:]


def _duplicate(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    lines.insert(rng.randint(0, len(lines)), rng.choice(lines))
    return b"".join(lines)


def _cut(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _rewind(data: bytes, rng: Random) -> bytes:
    return b"".join(data.splitlines(keepends=True)[: rng.randrange(EVENTS)])


def _forge(data: bytes, rng: Random) -> bytes:
    """Change one event and chain everything after it anew, perhaps adding more."""
    bodies = [unframe(line) for line in data.splitlines()]
    bodies[rng.randrange(EVENTS)]["data"] = {"text": "it passed"}
    bodies += [body("more")] * rng.randint(0, 2)
    return _chained(bodies)


def _chained(bodies: list[dict[str, object]]) -> bytes:
    lines, prev = [], GENESIS
    for seq, each in enumerate(bodies, 1):
        lines.append(frame(each, seq=seq, prev=prev))
        prev = hashlib.sha256(lines[-1]).hexdigest()
    return b"".join(line + b"\n" for line in lines)


ALL = (_flip, _swap, _delete, _insert, _duplicate, _cut, _rewind, _forge)


def _journal(machine: Machine) -> Journal:
    disk = Process(machine)
    return Journal(LEDGER, disk=disk, repaired=repaired, anchor=Anchor(ANCHOR, disk=disk))


def _ledger() -> Machine:
    machine = Machine()
    with _journal(machine).locked() as turn:
        turn.append([body(f"e{number}", text="x" * number) for number in range(EVENTS)])
    return machine


@pytest.mark.heavy
@pytest.mark.parametrize("first", range(0, EDITS, SHARE))
def test_every_edit_is_noticed_or_repaired(first: int):
    """Of a hundred thousand edits none changes what a reader is told without being noticed."""
    machine = _ledger()
    journal, file, original = _journal(machine), machine.names[LEDGER], machine.names[LEDGER].cache
    events = list(journal.read())
    noticed = 0
    for seed in range(first, first + SHARE):
        rng = Random(seed)
        file.cache = bytearray(rng.choice(ALL)(bytes(original), rng))
        try:
            assert list(journal.read()) == events, seed
            assert file.cache.startswith(original), seed
        except Tampered:
            noticed += 1
    assert noticed > SHARE * 0.9


@pytest.mark.parametrize("edit", ALL)
def test_an_edited_ledger_is_closed_until_it_is_recovered(edit: Edit):
    """Its check says what is wrong, and a recovery keeps the good part and the edited file."""
    for seed in range(40):
        machine, rng = _ledger(), Random(seed)
        journal, file = _journal(machine), machine.names[LEDGER]
        original = bytes(file.cache)
        file.cache = bytearray(edit(original, rng))
        edited = bytes(file.cache)
        report = journal.check()
        if report.problem is None:
            assert edited == original or edited.startswith(original)
            continue
        loss = journal.recover(recovered)
        assert loss is not None
        assert (loss.seq, loss.code) == (report.events, report.problem.code)
        assert bytes(machine.names[LEDGER.with_name(loss.kept_as)].cache) == edited
        assert journal.check()[:1] == (report.events + 1,)
        assert journal.check().problem is None
        with journal.locked() as turn:
            assert turn.append([body("next")])[0].seq == report.events + 2


def _codes(edit: Callable[[list[bytes]], list[bytes]]) -> tuple[str, int, int]:
    machine = _ledger()
    file = machine.names[LEDGER]
    file.cache = bytearray(b"".join(edit(bytes(file.cache).splitlines(keepends=True))))
    report = _journal(machine).check()
    assert report.problem is not None
    return report.problem.code, report.problem.seq, report.left_out


def _renumber(lines: list[bytes]) -> list[bytes]:
    before = unframe(lines[1])
    changed = frame(unframe(lines[2]), seq=9, prev=unframe(lines[2])["prev"])
    assert before["seq"] == 2
    return [*lines[:2], changed + b"\n", *lines[3:]]


def _respace(lines: list[bytes]) -> list[bytes]:
    rest = lines[-1][70:-1].replace(b'"v":1', b'"v": 1')
    own = hashlib.sha256(b'{"h":"' + rest).hexdigest().encode()
    return [*lines[:-1], b'{"h":"' + own + rest + b"\n"]


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (
            lambda lines: [*lines[:2], lines[2].replace(b"xx", b"xy"), *lines[3:]],
            ("bad-hash", 3, 4),
        ),
        (lambda lines: [*lines[:2], *lines[3:]], ("broken-chain", 3, 3)),
        (_renumber, ("bad-seq", 3, 4)),
        (lambda lines: [*lines[:5], b"x" * 70_000 + b"\n", *lines[5:]], ("too-long", 6, 2)),
        (lambda lines: lines[:4], ("rewound", 5, 0)),
        (lambda lines: [], ("rewound", 1, 0)),
        (lambda lines: [_forge(b"".join(lines), Random(1))], ("anchor-mismatch", 6, 3)),
    ],
)
def test_the_check_names_the_first_problem(edit, says: tuple[str, int, int]):
    """Its code is stable, it names the event, and it counts the lines from there on."""
    assert _codes(edit) == says


def test_the_check_names_a_line_that_is_not_canonical():
    """A line that hashes and parses but could be written otherwise is a problem of its own."""
    machine = _ledger()
    machine.names.pop(ANCHOR)
    file = machine.names[LEDGER]
    file.cache = bytearray(b"".join(_respace(bytes(file.cache).splitlines(keepends=True))))
    report = _journal(machine).check()
    assert report.problem is not None
    assert (report.problem.code, report.problem.seq, report.events) == ("not-canonical", 6, 5)
