"""Receipts written before: they verify for ever, byte for byte as they were kept."""

import pytest

from forsooth.receipts import seal, verify
from tests.receipts import made
from tests.receipts.collection import KEPT, kept
from tests.receipts.made import key, signer

NAMES = [name for name in kept() if name.startswith("receipt")]


def test_something_is_kept():
    """An empty folder would prove nothing."""
    assert len(NAMES) >= 5
    assert len(kept()) > len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_receipt_of_an_earlier_version_still_verifies(name: str):
    """Whoever kept a receipt can always show it."""
    found = verify.verified((KEPT / name).read_bytes(), now=made.NOW, tree=made.TREE)
    assert found.problems == ()
    assert found.statement


def test_the_judge_s_kept_receipt_is_by_the_judge_s_key():
    """Ids of keys are part of what never changes."""
    data = (KEPT / "receipt-goal.dsse.json").read_bytes()
    found = verify.verified(data, now=made.NOW, signers=[signer()])
    assert (found.role, found.keys) == ("judge", (key().public,))


def test_a_seal_of_an_earlier_version_still_verifies():
    """The sealed plan it holds still has the digest it names."""
    found = seal.confirmed((KEPT / "seal.dsse.json").read_bytes(), now=made.NOW)
    assert found.problems == ()
    assert found.seal
    assert found.seal.plan.digest == found.seal.plan_digest
