"""Receipts as other tools and people read them."""

import json
import xml.etree.ElementTree as ET

import pytest
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement as Theirs

from forsooth.receipts import page, views
from tests.receipts import made
from tests.receipts.made import finding

MIXED = made.verdict(
    finding("G001.C1", outcome="waived"),
    finding("G001.C2", outcome="fail", code="wrong", reason="hidden"),
    finding(
        "suite", outcome="error", code="timeout", reason="a\x1b[31m<red>\u202e & \x00", took=61
    ),
    subject="plan",
)


def test_the_reference_takes_the_view_for_a_test_result():
    """in-toto's own types accept statement and predicate."""
    for about, result in ((None, "PASSED"), (MIXED, "FAILED")):
        view = views.test_result(made.build(about))
        Theirs.copy_from_pb(json_format.ParseDict(view, statement_pb2.Statement())).validate()
        told = json_format.ParseDict(view["predicate"], test_result_pb2.TestResult())
        assert told.result == result
    assert list(told.failed_tests) == ["G001.C2", "suite"]
    assert list(told.warned_tests) == ["G001.C1"]


def test_a_result_with_a_waiver_is_a_warning():
    """Passed is said only where everything did."""
    about = made.verdict(finding("G001.C1", outcome="waived"))
    assert views.test_result(made.build(about))["predicate"]["result"] == "WARNED"


def test_junit_counts_each_outcome_as_readers_of_junit_do():
    """Failures, errors and skips, with text that cannot break the file."""
    root = ET.fromstring(views.junit(made.build(MIXED)))
    suite = root[0]
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
    }
    cases = suite.findall("testcase")
    assert [case[0].tag for case in cases] == ["skipped", "failure", "error"]
    assert cases[0][0].get("message") == "waived by ada: the flake is known"
    assert cases[2][0].get("message") == "a [31m<red>  &  "
    assert cases[2].get("time") == "0.061"
    plain = ET.fromstring(views.junit(made.build()))
    assert not list(plain[0].findall("testcase")[0])


def test_sarif_raises_failures_waivers_flags_and_gaps():
    """Errors block, waivers warn, the rest is noted; each has a place and a fingerprint."""
    run = views.sarif(made.build(MIXED))["runs"][0]
    levels = [(row["ruleId"], row["level"]) for row in run["results"]]
    assert levels == [
        ("waived", "warning"),
        ("wrong", "error"),
        ("timeout", "error"),
        ("weak-contract", "warning"),
    ]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["timeout", "waived", "weak-contract", "wrong"]
    notes = views.sarif(made.build())["runs"][0]["results"]
    assert [row["ruleId"] for row in notes] == ["flag", "lacking"]
    prints = [row["partialFingerprints"]["forsooth/v1"] for row in notes]
    assert len(set(prints)) == 2
    assert all(row["locations"][0]["physicalLocation"] for row in notes)
    json.dumps(run)


def test_views_of_a_waiver_nobody_signed_still_say_waived():
    """A receipt that must not be believed can still be shown."""
    about = made.build(made.verdict(finding("G001.C2", outcome="waived")))
    assert 'message="waived by passed"' in views.junit(about)
    assert views.sarif(about)["runs"][0]["results"][0]["message"]["text"].endswith(": waived")
    assert "- **G001.C2** hidden criterion" in page.show(about)


def test_a_page_reads_like_something_to_paste_into_a_pull_request():
    """What was proven, how, and what that is worth."""
    text = "\n".join(page.show(made.build()))
    assert text.startswith("## Forsooth: G001 proven: Reject malformed rows\n")
    assert f"All 2 checks passed on tree `{made.TREE[:12]}` (commit `{made.COMMIT[:12]}`)." in text
    assert "- ✓ **G001.C1** importer tests\n  - ran `pytest -q`\n" in text
    assert "  - failed before the work\n  - no mutant caught: 3 tried\n" in text
    assert "For your eyes:\n- long \\<b\\>" in text
    assert "Assurance **self**: whoever holds the key it is signed with says so" in text
    assert "Not covered: an agent under the same account" in text
    lifted = "\n".join(page.show(made.build(), assurance="ci"))
    assert "Assurance **ci**" in lifted
    assert "sealed 2026-01-02 03:04 UTC (terminal)" in text
    assert "then `forsooth verify --base origin`." in text


def test_a_page_says_what_a_proof_rests_on_in_words_that_need_no_manual():
    """Wards by what they showed, gaps by their reason, and a command where the sentence has it."""
    rows = finding(
        "G001.C1",
        held=["red-absent", "guard", "canary", "repeated 5", "mutants 2/3", "later"],
        lacking=["report: only the exit status is known", "canary: it takes none", "later: x"],
    )
    about = made.build(made.verdict(rows))
    said = about.predicate.checks[0].but(says="it passes: `pytest -q` exits 0 in my_dir_ <b>")
    text = "\n".join(page.show(about._replace(predicate=about.predicate.but(checks=(said,)))))
    assert "The one check passed on tree" in text
    assert (
        "- ✓ **G001.C1** it passes: `pytest -q` exits 0 in my_dir\\_ \\<b\\>\n"
        "  - did not exist before the work · passed before the work · planted failure detected · "
        "5 identical runs · 2 of 3 mutants caught · later\n"
        "  - no test report: only the exit status is known\n"
        "  - not checked with a planted failure: it takes none\n"
        "  - later: x\n"
    ) in text
    odd = about.predicate.but(checks=(said.but(says="half a ` tick", argv=()),))
    text = "\n".join(page.show(about._replace(predicate=odd)))
    assert "half a \\` tick" in text


def test_waivers_stand_first_and_what_failed_is_not_called_proven():
    """Nobody scrolls past what was set aside."""
    lines = page.show(made.build(MIXED))
    assert lines[0] == "## Forsooth: plan not proven: the whole plan"
    assert lines[2] == "**⚠ 1 WAIVED, not proven:**"
    assert lines[3] == "- **G001.C1** importer tests by ada: the flake is known"
    text = "\n".join(lines)
    assert "**Weak contract:**" in text
    assert "  - timeout: a [31m" not in text
    assert "  - timeout: a \\[31m\\<red\\> \\&\n" in text
    bare = "\n".join(page.show(made.build(made.verdict(commit=None))))
    assert f"on tree `{made.TREE[:12]}`, which was not committed." in bare


def test_text_from_a_plan_is_quoted_and_never_markup():
    """A title cannot mention people, hide links, end its line or run on for ever."""
    said = made.build().predicate
    odd = said.but(
        title="[x](http://e) @ada <img>\n# big " + "y" * 300,
        checks=(said.checks[0].but(argv=("sh", "-c", "``x` `")),),
    )
    lines = page.show(made.build()._replace(predicate=odd))
    assert lines[0].startswith(
        "## Forsooth: G001 proven: \\[x\\](http://e) \\@ada \\<img\\> \\# big"
    )
    assert lines[0].endswith("y…")
    assert "  - ran ``` sh -c ``x` ` ```" in lines


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("still-red", "no test of the suite that passed before fails"),
        ("in-parts", "no part of the suite that passed before fails"),
        ("not-kept", "the suite was not judged"),
    ],
)
def test_a_suite_that_failed_before_is_never_said_to_stay_green(code: str, says: str):
    """Each view has the sentence that is so, and the reservation beside it."""
    about = made.verdict(
        finding("G001.C1"),
        finding("G001.C2"),
        finding("suite", code=code, reason="1 test failed before the work and still fails: t"),
        subject="plan",
    )
    statement = made.build(about)
    shown = "\n".join(page.show(statement))
    assert says in shown
    assert "stays green" not in shown
    assert "- ~ **suite**" in shown
    assert "still fails: t" in shown
    case = ET.fromstring(views.junit(statement))[0].findall("testcase")[-1]
    assert "still fails" in (case[0].text or "")
    results = views.sarif(statement)["runs"][0]["results"]
    assert (code, "warning") in [(row["ruleId"], row["level"]) for row in results]
