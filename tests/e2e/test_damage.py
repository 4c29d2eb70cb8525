"""A ledger that was cut, edited or rewound says so, and can be gone on from."""

from __future__ import annotations

import json

from forsooth.core.canonical import digest
from forsooth.ledger.chain import frame
from tests.e2e.place import AGENT, Place
from tests.requirements import requirement


def appended(place: Place, kind: str, **more: object) -> None:
    """Write an event no version of this program would, properly chained."""
    (*_, last) = place.ledger.read_bytes().splitlines()
    made = json.loads(last)
    body = {name: made[name] for name in ("v", "at", "by")} | {"id": kind, "kind": kind, **more}
    line = frame({"data": {}, **body}, seq=made["seq"] + 1, prev=digest(last))
    with place.ledger.open("ab") as file:
        file.write(line + b"\n")


@requirement("R035")
def test_a_torn_tail_is_cut_off_by_the_next_append_and_on_record(sealed: Place):
    """Half a line is no event: reading passes over it, and only writing removes it."""
    with sealed.ledger.open("ab") as file:
        file.write(b'{"h":"12')
    before = sealed.ledger.read_bytes()
    assert "8 bytes of an unfinished event" in sealed.run("fsck").out
    assert sealed.run("status").code == 0
    assert sealed.ledger.read_bytes() == before
    sealed.run("next")
    assert sealed.kinds() == ["plan.created", "plan.sealed", "ledger.repaired", "attempt.opened"]


@requirement("R035")
def test_a_flipped_byte_closes_every_gate_until_a_recovery(sealed: Place):
    """Nothing is shown, handed out or appended from it; the damaged file is kept as it is."""
    sealed.run("next")
    data = bytearray(sealed.ledger.read_bytes())
    at = data.rindex(b"attempt.opened")
    data[at] ^= 1
    sealed.ledger.write_bytes(data)
    for argv in (("status",), ("log",), ("block", "G001", "--why", "x")):
        failed = sealed.run(*argv, code=4)
        assert failed.err.startswith("forsooth: ")
        assert "try: forsooth fsck" in failed.err
    failed = sealed.ask("next", code=4)
    assert (failed["error"]["code"], failed["exit"]) == ("tampered", 4)
    said = sealed.run("fsck", code=4).out
    assert "chain damaged" in said
    assert "next: forsooth fsck --recover" in said
    said = sealed.run("fsck", "--recover", "--yes").out
    assert "recovered: 2 events kept, 1 left out" in said
    (kept,) = sealed.ledger.parent.glob("ledger.damaged-*.jsonl")
    assert kept.read_bytes() == data
    assert "chain intact" in said
    assert sealed.ask("next")["assignment"]["attempt"] == "G001.A1"


@requirement("R035")
def test_a_rewound_ledger_is_noticed_by_what_was_acknowledged(sealed: Place):
    """A shorter chain that is sound in itself is still not the one that was written."""
    sealed.run("block", "G001", "--needs", "human", "--why", "sign here", env=AGENT)
    lines = sealed.ledger.read_bytes().splitlines(keepends=True)
    sealed.ledger.write_bytes(b"".join(lines[:-1]))
    failed = sealed.run("next", code=4, env=AGENT)
    assert "the ledger ends at event 2, but event 3 was acknowledged" in failed.err
    assert sealed.ask("fsck", code=4)["problem"]["code"] == "rewound"
    assert sealed.ask("fsck", "--recover", "--yes")["recovered"]["code"] == "rewound"
    assert sealed.kinds()[-1] == "ledger.repaired"
    assert sealed.run("next").code == 0


@requirement("R035")
def test_events_of_later_versions_are_kept_and_not_obeyed(sealed: Place):
    """An unknown kind, version or body is shown as such, and work goes on."""
    appended(sealed, "weather.changed", data={"sky": "grey"})
    appended(sealed, "plan.dropped", v=99)
    appended(sealed, "plan.paused", data={"mood": 1})
    assert sealed.ask("next")["assignment"]["goal"] == "G001"
    said = sealed.run("log").out
    assert said.count("not understood by this version; kept as it is") == 3
    assert [line.split()[2] for line in said.splitlines()] == [
        *("plan.created", "plan.sealed", "weather.changed"),
        *("plan.dropped", "plan.paused", "attempt.opened"),
    ]
    assert sealed.run("fsck").code == 0
