"""What findings make of a verdict, and what verdicts make of a criterion."""

from __future__ import annotations

import pytest

from forsooth.core.verdict import UNTESTED, Finding, Standing, Verdict, advance
from tests.core.build import BRIEF, TREE, Run, findings, goal, plan
from tests.requirements import requirement


def outcome(*outcomes: str) -> str:
    found = tuple(
        Finding(criterion=f"G001.C{n}", outcome=one, code=one) for n, one in enumerate(outcomes, 1)
    )
    return Verdict(subject="G001", tree=TREE, plan_digest=BRIEF, findings=found).outcome


@requirement("D9")
@pytest.mark.parametrize(
    ("outcomes", "whole"),
    [
        (("pass",), "pass"),
        (("pass", "waived"), "pass"),
        (("pass", "error"), "inconclusive"),
        (("error",), "inconclusive"),
        (("fail", "error", "pass"), "fail"),
        (("pass", "fail"), "fail"),
    ],
)
def test_what_could_not_be_evaluated_is_never_a_pass(outcomes: tuple[str, ...], whole: str):
    """A real failure outranks an error, and an error outranks every pass."""
    assert outcome(*outcomes) == whole


def standing(story: str) -> Standing:
    """The standing after p(ass), f(ail), e(rror) and w(aived), one letter a verdict."""
    names = {"p": "pass", "f": "fail", "e": "error", "w": "waived"}
    now = UNTESTED
    for seq, letter in enumerate(story, 1):
        (finding,) = findings(("G001.C1",), names[letter])
        now = advance(now, finding, seq=seq)
    return now


@requirement("R123", "R142", "R143", "R144", "R145", "R146", "D1")
@pytest.mark.parametrize(
    ("story", "status", "streak"),
    [
        ("", "untested", 0),
        ("f", "failing", 1),
        ("ff", "failing", 2),
        ("fff", "failing", 3),
        ("p", "passing", 0),
        ("fp", "passing", 0),
        ("pf", "regressed", 0),
        ("pff", "regressed", 1),
        ("pfff", "regressed", 2),
        ("pffff", "regressed", 3),
        ("ppf", "regressed", 0),
        ("ffpf", "regressed", 0),
        ("pfp", "passing", 0),
        ("pfpf", "regressed", 0),
        ("fef", "failing", 2),
        ("e", "untested", 0),
        ("pe", "passing", 0),
        ("pfe", "regressed", 0),
        ("fw", "failing", 1),
    ],
)
def test_a_standing_counts_failures_in_a_row_after_what_stood_before(
    story: str, status: str, streak: int
):
    """A regression is told from a failure by what stood before, and is not counted itself."""
    now = standing(story)
    assert (now.status, now.streak) == (status, streak)


@requirement("R144", "R143")
def test_a_regression_is_stamped_and_a_pass_wipes_the_stamp():
    """It says when it last held and since when it does not; later failures keep both."""
    assert (standing("ppff").passed_at, standing("ppff").regressed_at) == (2, 3)
    assert (standing("pfp").passed_at, standing("pfp").regressed_at) == (3, 0)
    assert standing("pfp").code == ""


def test_what_nobody_said_is_not_made_up():
    """A bare finding took no time and is no memory; what was never judged never passed."""
    bare = Finding(criterion="G001.C1", outcome="fail", code="exit")
    assert (bare.took, bare.cached) == (0, False)
    assert Finding(criterion="G001.C1", outcome="fail", code="exit", took=0) == bare
    assert (UNTESTED.passed_at, UNTESTED.regressed_at) == (0, 0)


@requirement("R145", "R146", "D1")
def test_stuck_is_the_third_failure_and_neither_the_second_nor_the_fourth():
    """From the start: after two failures another attempt, after three a block."""
    run = Run().judged(outcome="fail").judged(outcome="fail")
    assert type(run.step).__name__ == "Open"
    run.judged(outcome="fail")
    assert (run.step.kind, run.step.needs) == ("stuck", "human")
    assert "G001.C1" in run.step.why


@requirement("R144", "R146", "D1")
def test_stuck_after_a_regression_is_the_third_failure_after_it():
    """Pass, regress, and only then one, two, three."""
    run = Run(plan(goal(1, criteria=2)))
    run.open().submit().verdict(
        findings=findings(("G001.C1",), "pass") + findings(("G001.C2",), "fail")
    )
    for streak in (0, 1, 2):
        run.judged(outcome="fail", findings=findings(("G001.C1",), "fail"))
        assert run.goal().standing("G001.C1").streak == streak
        assert type(run.step).__name__ == "Open"
    run.judged(outcome="fail", findings=findings(("G001.C1",), "fail"))
    assert run.goal().standing("G001.C1").streak == 3
    assert run.step.kind == "stuck"


@requirement("R147")
def test_a_regression_fails_the_verdict_like_any_failure():
    """It is not proven, and only what passes counts as proven."""
    run = Run(plan(goal(1, criteria=2))).prove("G001")
    run.verdict("plan", "fail")
    assert run.goal().standing("G001.C1").status == "regressed"
    assert run.goal().verdict.outcome == "pass"
    assert run.state.verdict.outcome == "fail"
    assert run.status() == "pending"
