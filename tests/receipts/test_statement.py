"""What a receipt states, built from a verdict and read back strictly."""

import json

import pytest
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement as Theirs

from forsooth.core.canonical import digest_of, encode
from forsooth.core.policy import Policy
from forsooth.receipts import statement
from forsooth.receipts.problem import BadReceipt
from tests.receipts import made


def changed(**fields) -> bytes:
    return encode(made.build().plain | fields)


def inside(**fields) -> bytes:
    plain = made.build().plain
    return encode(plain | {"predicate": plain["predicate"] | fields})


def test_a_statement_reads_back_as_it_was_built():
    """Nothing is lost between the verdict and the verifier."""
    built = made.build()
    assert statement.decoded(statement.encoded(built)) == built


def test_the_reference_takes_it_for_a_statement():
    """in-toto's own types accept it, field by field."""
    message = json_format.Parse(statement.encoded(made.build()), statement_pb2.Statement())
    Theirs.copy_from_pb(message).validate()
    assert message.predicate_type == statement.PREDICATE
    assert [one.name for one in message.subject] == ["tree", "commit"]


def test_the_subject_is_the_tree_by_two_digests_and_the_commit():
    """A tree is named by git and by our own sha256; a commit only where there is one."""
    rows = made.build().subject
    assert rows[0]["digest"] == {"gitTree": made.TREE, "sha256": made.LISTING}
    assert rows[1]["digest"] == {"gitCommit": made.COMMIT}
    bare = made.build(made.verdict(commit=None))
    assert len(bare.subject) == 1
    assert statement.decoded(statement.encoded(bare)).commit is None


def test_each_check_says_what_ran_what_it_saw_and_what_that_rests_on():
    """Argv, outcome, evidence and the record of its oracles stand beside one another."""
    one = made.build().predicate.checks[0]
    assert (one.argv, one.outcome, one.red) == (("pytest", "-q"), "pass", "assertion")
    assert (one.record, one.oracles, one.tests) == (made.RECORD, 2, 3)
    assert (one.held, one.lacking, one.waiver) == (("red",), ("mutants: 3 tried",), None)


def test_a_hidden_criterion_stays_hidden():
    """Neither its claim nor what it found is told to whoever reads the receipt."""
    two = made.build().predicate.checks[1]
    assert (two.says, two.reason, two.argv) == ("hidden criterion", "", ())
    assert b"secret" not in statement.encoded(made.build())


def test_a_waived_check_names_who_waived_it():
    """Only where it was waived; a waiver of a check that passed is not told."""
    told = made.build(made.verdict(made.finding("G001.C1", outcome="waived"))).predicate
    assert told.waived[0].waiver == statement.Waived(by="ada", reason="the flake is known")


def test_the_digests_name_verdict_policy_and_plan():
    """A later reader can tell whether these are the ones they know."""
    said = made.build().predicate
    assert said.verdict.sha256 == digest_of(made.verdict().plain())
    assert said.policy_digest == digest_of(Policy().plain())
    assert said.plan_digest == made.plan().digest
    assert said.flags == ("long <b>",)


def test_a_receipt_of_the_whole_plan_covers_the_suite_and_says_what_is_weak():
    """The suite is a check like any other; a goal nobody said how to prove makes it weak."""
    rows = (made.finding("G001.C1"), made.finding("suite"))
    said = made.build(made.verdict(*rows, subject="plan"), ground=None, waivers=None).predicate
    assert (said.title, said.weak, said.checks[1].guard) == ("the whole plan", True, True)
    assert said.checks[0].record is None
    assert not made.build().predicate.weak


def test_a_finding_about_no_criterion_of_the_plan_is_refused():
    """A receipt about something nobody asked for proves nothing."""
    with pytest.raises(BadReceipt, match=r"G001\.C9"):
        made.build(made.verdict(made.finding("G001.C9")))
    with pytest.raises(BadReceipt, match="suite"):
        statement.build(
            made.verdict(made.finding("suite")),
            made.plan(suite=None),
            listing_sha256=made.LISTING,
            policy=Policy(),
            seal=statement.Sealed(channel="terminal", at=made.AT),
            ledger=statement.Place(seq=1, head=made.HEAD),
            seq=1,
            at=made.AT,
            tool="forsooth",
        )


def test_what_a_later_version_adds_is_passed_over():
    """Fields unknown to this version neither break it nor count."""
    more = json.loads(inside(later=[1, {"a": None}]))
    more["subject"][1:1] = [{"name": "image", "digest": {"sha256": "x"}}, 7]
    assert statement.decoded(encode(more)) == made.build()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"7",
        encode(made.build().plain)[:-1] + b',"later":9007199254740993}',
        encode(made.build().plain)[:-1] + b',"later":"\\ud800"}',
        changed(_type="other"),
        changed(predicateType="https://forsooth.dev/receipt/v2"),
        changed(subject=[]),
        changed(subject=[{"name": "tree", "digest": {"gitTree": "x", "sha256": made.LISTING}}]),
        changed(subject=[{"name": "tree", "digest": {"gitTree": made.TREE}}]),
        changed(predicate=7),
        changed(predicate={}),
        inside(checks=[]),
        inside(checks=[7]),
        inside(at="yesterday"),
        inside(plan_digest="x"),
        inside(subject="goal"),
        inside(isolation="perfect"),
        inside(assurance="absolute"),
        inside(ledger={"seq": "1", "head": made.HEAD}),
    ],
)
def test_bytes_that_are_no_statement_are_refused_and_never_crash(data: bytes):
    """Signed or not, what is not well formed says nothing."""
    with pytest.raises(BadReceipt) as caught:
        statement.decoded(data)
    assert caught.value.code == "bad-statement"
