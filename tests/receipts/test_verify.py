"""Every way a receipt can fail to convince, each with its own code, and what one is worth."""

from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from forsooth.core.canonical import encode
from forsooth.receipts import dsse, seal, statement, verify
from forsooth.receipts.assurance import WORTH
from tests.receipts import made
from tests.receipts.made import NOW, finding, key, receipt, signer


def codes(data: bytes, **asked: Any) -> list[str]:
    found = verify.verified(data, **{"now": NOW} | asked)
    assert found.holds == (not found.problems)
    assert (found.assurance is None) == bool(found.problems)
    assert all(problem.says for problem in found.problems)
    return [problem.code for problem in found.problems]


def test_a_sound_receipt_convinces_when_everything_is_asked():
    """The right tree, plan, policy, goal, branch, ancestry, order, tier and signer."""
    found = verify.verified(
        receipt(),
        now=NOW,
        signers=[signer()],
        tree=made.TREE,
        listing_sha256=made.LISTING,
        plan_digest=made.plan().digest,
        policy_digest=made.build().predicate.policy_digest,
        subject="G001",
        branch="main",
        descends=lambda commit: commit == made.START,
        after=10,
        floor="strict",
    )
    assert found.problems == ()
    assert (found.signer, found.role, found.assurance) == (signer(), "judge", "self")
    assert found.statement == made.build()


@pytest.mark.parametrize(
    ("now", "found"),
    [("2026-01-02T02:59:06.000Z", []), ("2026-01-02T02:59:05.000Z", ["from-the-future"])],
)
def test_two_honest_clocks_may_differ_by_five_minutes(now: str, found: list[str]):
    """A receipt made a moment ago elsewhere is not from the future; a later one is."""
    assert codes(receipt(), now=now) == found


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"tree": "a" * 40}, "other-tree"),
        ({"tree": made.TREE, "listing_sha256": "a" * 64}, "other-tree"),
        ({"plan_digest": "a" * 64}, "other-plan"),
        ({"plan_digest": "a" * 64, "older_plans": {made.plan().digest}}, "older-plan"),
        ({"policy_digest": "a" * 64}, "other-policy"),
        ({"subject": "G002"}, "other-goal"),
        ({"branch": "release"}, "other-branch"),
        ({"descends": lambda _: False}, "not-ancestor"),
        ({"after": 11}, "replayed"),
        ({"now": "2026-01-02T02:00:00.000Z"}, "from-the-future"),
        ({"signers": [signer(2)]}, "unknown-signer"),
        ({"signers": []}, "unknown-signer"),
        ({"signers": [signer()], "roles": ["person"]}, "wrong-role"),
        ({"signers": [signer(until=datetime(2026, 1, 1, tzinfo=UTC))]}, "expired-signer"),
        ({"signers": [signer(since=datetime(2026, 1, 3, tzinfo=UTC))]}, "not-yet-valid"),
    ],
)
def test_a_receipt_for_something_else_is_refused_with_its_own_code(asked: dict, code: str):
    """What the caller knows decides, and each difference has a name."""
    assert codes(receipt(), **asked) == [code]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([finding("G001.C1", outcome="fail")], ["not-passed"]),
        ([finding("G001.C1", outcome="error")], ["not-passed"]),
        ([finding("G001.C2", outcome="waived")], ["not-passed"]),
        ([finding("G001.C1", outcome="waived")], []),
        ([finding("G001.C1", outcome="fail"), finding("G001.C2", outcome="error")], 2),
    ],
)
def test_only_what_passed_or_somebody_waived_counts(rows: list, says: Any):
    """A check that failed, could not run, or was waived by nobody is no proof."""
    expected = ["not-passed"] * says if isinstance(says, int) else says
    assert codes(receipt(made.verdict(*rows))) == expected


def test_checks_that_ran_below_the_floor_are_refused():
    """Policy may demand a tier; a receipt says which one it had."""
    loose = receipt(made.verdict(isolation="landlock"))
    assert codes(loose, floor="strict") == ["isolation-below-floor"]
    assert codes(loose, floor="landlock") == []


def test_every_problem_is_told_at_once():
    """Nobody mends one thing only to hear of the next."""
    found = codes(receipt(), tree="a" * 40, plan_digest="b" * 64, signers=[signer(2)])
    assert found == ["unknown-signer", "other-tree", "other-plan"]


def test_a_receipt_of_a_work_tree_is_not_held_to_a_branch():
    """It was never about a branch; its tree binds it."""
    plain = made.build()
    said = plain.predicate.but(deliver="worktree")
    data = dsse.sign(statement.encoded(plain._replace(predicate=said)), key())
    assert codes(data, branch="release") == []


def test_a_truncated_receipt_a_seal_and_a_signed_word_each_have_their_code():
    """What cannot be read as a receipt is refused before anything else is asked."""
    assert codes(receipt()[:-5]) == ["truncated"]
    assert codes(b"{}") == ["bad-envelope"]
    assert codes(dsse.sign(b"{}", key())) == ["bad-statement"]
    told = seal.build(made.plan(), made.Policy(), ground=None, channel="terminal", at=made.AT)
    assert codes(seal.sign(told, key())) == ["wrong-namespace"]


def test_re_signing_by_an_unknown_key_convinces_nobody():
    """An agent may make a key and sign what it likes; it is listed nowhere."""
    forged = made.build(assurance="ci")
    data = dsse.sign(statement.encoded(forged), key(9))
    assert codes(data, signers=[signer()]) == ["unknown-signer"]
    assert codes(data, signers=[]) == ["unknown-signer"]


def test_a_reader_that_asks_for_no_signer_learns_which_key_signed_and_no_more():
    """Whoever signed, whatever it claims, the key is shown and the assurance is self."""
    found = verify.verified(receipt(assurance="ci"), now=NOW)
    assert (found.assurance, found.signer, found.role) == ("self", None, None)
    assert found.keys == (key().public,)


@pytest.mark.parametrize(
    ("roles", "assurance"),
    [
        (("judge",), "self"),
        (("person",), "self"),
        (("ci",), "ci"),
        (("judge", "ci", "person"), "ci"),
    ],
)
def test_assurance_is_what_the_list_says_of_the_key(roles: tuple, assurance: str):
    """No receipt says of itself what it is worth; only a key listed as CI's is more than self."""
    found = verify.verified(receipt(assurance="ci"), now=NOW, signers=[signer(roles=roles)])
    assert (found.assurance, found.problems) == (assurance, ())


def test_the_best_of_several_signers_counts():
    """An expired key beside a good one does no harm; CI beside the judge lifts the assurance."""
    both = dsse.cosign(receipt(), key(2))
    over = signer(until=datetime(2025, 1, 1, tzinfo=UTC))
    found = verify.verified(both, now=NOW, signers=[over, signer(2, roles=("ci",))])
    assert (found.role, found.assurance) == ("ci", "ci")
    found = verify.verified(both, now=NOW, signers=[signer(), signer(2, roles=("ci",))])
    assert found.role == "ci"


def test_a_key_that_ran_out_cannot_date_a_receipt_back():
    """The verifier's clock decides, not the time a thief of the key writes down."""
    until = datetime(2026, 1, 2, 3, 30, tzinfo=UTC)
    assert codes(receipt(), signers=[signer(until=until)]) == ["expired-signer"]


def test_each_assurance_says_what_it_means_and_what_it_leaves_open():
    """Every level can be reached, and at self an agent can act as the person: that is said."""
    assert set(WORTH) == set(get_args(statement.Assurance)) == {"self", "ci"}
    assert all(worth.means and worth.lacks for worth in WORTH.values())
    assert "an agent under the same account" in WORTH["self"].lacks
    assert "act as the person" in WORTH["self"].lacks


def test_a_payload_that_two_readers_would_read_differently_is_refused():
    """A key that is there twice is no statement, however well it is signed."""
    twice = b'{"_type":"x",' + encode(made.build().plain)[1:]
    assert codes(dsse.sign(twice, key())) == ["bad-statement"]
