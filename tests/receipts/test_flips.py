"""Damage: a receipt with any byte changed is refused by two verifiers, and neither crashes."""

import random

import pytest

from forsooth.receipts import verify
from tests.receipts import made
from tests.receipts.collection import every, refuses

CODES = {"bad-envelope", "bad-signature", "truncated", "wrong-namespace", "untouched"}
SOUND = {name: data for name, data in every().items() if not name.startswith("bad")}


def flipped(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ chance.randrange(1, 256)]) + data[at + 1 :]


def refused(data: bytes) -> bool:
    found = verify.verified(data, now=made.NOW)
    return bool(found.problems) and {one.code for one in found.problems} <= CODES


def flip(count: int, *, seed: int) -> None:
    chance = random.Random(seed)
    receipts = list(SOUND.values())
    for number in range(count):
        data = flipped(receipts[number % len(receipts)], chance)
        assert refused(data), data
        assert refuses(data), data


def test_a_changed_byte_is_refused_by_both_verifiers():
    """Any byte of any receipt, in the everyday run."""
    flip(500, seed=1)


@pytest.mark.heavy
def test_ten_thousand_changed_bytes_are_refused_by_both_verifiers():
    """The same, in earnest."""
    flip(10_000, seed=2)


def test_every_byte_of_one_receipt_counts():
    """One bit of each byte in turn: there is no byte that nobody looks at."""
    data = SOUND["goal"]
    for at in range(len(data)):
        bad = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert refused(bad), at


def test_bytes_taken_away_put_in_or_swapped_are_refused():
    """Damage of other shapes: gone, doubled, exchanged, cut at either end."""
    chance = random.Random(3)
    for data in SOUND.values():
        for _ in range(20):
            at, other = sorted(chance.sample(range(len(data)), 2))
            for bad in (
                data[:at] + data[other:],
                data[:other] + data[at:],
                data[other:] + data[:other],
                data[:at],
                data[at + 1 :],
            ):
                assert refused(bad)
                assert refuses(bad)
