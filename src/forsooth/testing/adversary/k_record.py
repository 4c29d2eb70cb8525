"""K: the judge's own record is edited. The work itself is right, so only the record can tell."""

from __future__ import annotations

import hashlib
import json

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import PYTEST, SHELL
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand

DAMAGED = (
    "damaged", "tampered", "bad-hash", "broken-chain", "bad-seq", "not-canonical", "rewound",
    "anchor-mismatch", "ledger", "not-sealed", "which-plan", "no-such-goal",
)  # fmt: skip


def _lines(hand: Hand) -> list[str]:
    return hand.records[0].read_text().splitlines(keepends=True)


def _write(hand: Hand, lines: list[str]) -> None:
    hand.records[0].write_text("".join(lines))
    hand.mend()
    hand.commit()


@cheat("K1", PYTEST, SHELL, expects=DAMAGED, proof=proof.tampered)
def the_record_is_cut_short(hand: Hand) -> None:
    """The last events are gone."""
    _write(hand, _lines(hand)[:-1])


@cheat("K1", SHELL, expects=("no-plan", *DAMAGED), proof=proof.tampered)
def the_record_is_emptied(hand: Hand) -> None:
    """The file is there and holds nothing."""
    _write(hand, [])


@cheat("K2", PYTEST, SHELL, expects=DAMAGED, proof=proof.tampered)
def a_word_is_changed(hand: Hand) -> None:
    """A script's approval is made a person's."""
    lines = _lines(hand)
    _write(hand, [line.replace('"unattended"', '"terminal"') for line in lines])


@cheat("K3", PYTEST, SHELL, expects=DAMAGED, proof=proof.tampered)
def events_change_places(hand: Hand) -> None:
    """History is told in another order."""
    lines = _lines(hand)
    lines[0], lines[1] = lines[1], lines[0]
    _write(hand, lines)


def _chained(lines: list[str]) -> list[str]:
    """The same events with every hash made to fit."""
    before, made = "0" * 64, list[str]()
    for line in lines:
        event = {
            "h": "",
            **{k: v for k, v in json.loads(line).items() if k != "h"},
        }
        event["prev"] = before
        bare = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
        own = hashlib.sha256(bare.encode()).hexdigest()
        whole = bare.replace('"h":""', f'"h":"{own}"', 1)
        before = hashlib.sha256(whole.encode()).hexdigest()
        made.append(whole + "\n")
    return made


@cheat("K4", PYTEST, SHELL, expects=DAMAGED)
def the_whole_chain_is_made_anew(hand: Hand) -> None:
    """The criterion in the record becomes one that is true, and every hash fits."""
    lines = [
        line.replace(json.dumps(list(hand.base.argv), separators=(",", ":")), '["true"]').replace(
            f'"kind":"tests","with":{{"argv":["true"],"runner":"{hand.base.runner}"}}',
            '"kind":"command","with":{"argv":["true"]}',
        )
        for line in _lines(hand)
    ]
    hand.records[0].write_text("".join(_chained(lines)))
    hand.pretend()


@cheat("K4", SHELL, expects=("failed", "exit", *DAMAGED))
def a_verdict_is_appended(hand: Hand) -> None:
    """A passing verdict and a receipt are written after the last event, and every hash fits."""
    lines = _lines(hand)
    last = json.loads(lines[-1])
    forged = {
        **last, "seq": last["seq"] + 1, "id": "f" * 32, "by": {"kind": "judge"},
        "kind": "receipt.issued", "data": {"subject": "G001", "envelope": "0" * 64},
    }  # fmt: skip
    lines.append(json.dumps(forged, separators=(",", ":")) + "\n")
    hand.records[0].write_text("".join(_chained(lines)))
    hand.pretend()


@cheat("K4", SHELL, expects=("failed", "exit", *DAMAGED))
def the_snapshot_says_done(hand: Hand) -> None:
    """Every projection beside the record says that the goal is done."""
    for path in hand.records[0].parent.glob("*.json"):
        path.write_text(
            path.read_text().replace('"pending"', '"done"').replace('"ready"', '"done"')
        )
    hand.pretend()
