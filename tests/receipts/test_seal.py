"""The signed seal: it holds the plan it names, and a person signed it."""

from typing import Any

import pytest

from forsooth.core.canonical import digest_of, encode
from forsooth.core.policy import Policy
from forsooth.receipts import dsse, seal
from tests.receipts import made
from tests.receipts.made import AT, NOW, key, receipt, signer


def told(**changes: Any) -> seal.Seal:
    given = {"ground": made.ground(), "channel": "terminal", "at": AT} | changes
    return seal.build(made.plan(), Policy(attempts=3), **given)


def codes(data: bytes, **asked: Any) -> list[str]:
    found = seal.confirmed(data, **{"now": NOW} | asked)
    assert found.holds == (not found.problems)
    return [problem.code for problem in found.problems]


def test_a_seal_carries_the_whole_plan_and_who_signed_it():
    """A clone without our state learns what was promised, from the envelope alone."""
    person = signer(roles=("person",))
    found = seal.confirmed(
        seal.sign(told(), key()), signers=[person], now=NOW, plan_digest=made.plan().digest
    )
    assert (found.problems, found.signer) == ((), person)
    assert found.seal == told()
    assert found.seal
    assert (found.seal.plan, found.seal.policy) == (made.plan(), Policy(attempts=3))
    assert found.seal.ground_digest == digest_of(made.ground().plain())


def test_a_seal_without_a_ground_says_none():
    """An empty repository has no base to look at."""
    assert told(ground=None).ground_digest is None


def test_each_way_a_seal_fails_has_its_code():
    """Another plan, no person, an unknown key, a receipt in its place, damage."""
    data = seal.sign(told(), key())
    assert codes(data) == []
    assert codes(data, plan_digest="a" * 64) == ["other-plan"]
    assert codes(data, signers=[signer()]) == ["wrong-role"]
    assert codes(data, signers=[signer()], roles=["judge"]) == []
    assert codes(data, signers=[signer(2)]) == ["unknown-signer"]
    assert codes(receipt()) == ["wrong-namespace"]
    assert codes(data[:-1]) == ["truncated"]


@pytest.mark.parametrize(
    "fields", [{"plan_digest": "a" * 64}, {"v": 2}, {"v": "1"}, {"plan": {}}, {"at": "now"}]
)
def test_a_seal_that_does_not_hold_together_is_refused(fields: dict):
    """The plan inside must be the one it names, in a form this version knows."""
    payload = encode(told().plain() | fields)
    assert codes(dsse.sign(payload, key(), kind=dsse.SEAL)) == ["bad-statement"]
