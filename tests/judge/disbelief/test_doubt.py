"""A doubted run beside the green one before it: what is believed, refused, or says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from forsooth.judge.checks.process import Ending
from forsooth.judge.checks.recipes.recipe import Order
from forsooth.judge.checks.trial import Flaw, Held, Lacking, Trial
from forsooth.judge.disbelief.audit import audited
from forsooth.judge.disbelief.doubt import Doubt, believed
from forsooth.judge.reports.report import Report, TestOutcome
from forsooth.judge.reports.report import Test as Told
from tests.judge.checks.place import ran

DOUBT = Doubt(
    Order(("pytest",)), {}, frozenset({"a::red", "a::one"}), frozenset({"a::green"}), frozenset({1})
)
BEFORE: dict[str, TestOutcome] = {"a::one": "passed", "a::two": "passed", "b::three": "passed"}
AFTER: dict[str, TestOutcome] = {
    **BEFORE,
    "a::one": "failed",
    "a::red": "failed",
    "a::green": "passed",
}


def report(outcomes: dict[str, Any], **more: Any) -> Report:
    tests = tuple(Told(id_, outcome) for id_, outcome in outcomes.items() if outcome)
    return Report(tests, **{"complete": True, **more})


def came(
    after: dict[str, Any] | None = None,
    *,
    before: dict[str, Any] | None = None,
    code: int | None = 1,
    doubt: Doubt = DOUBT,
    **more: Any,
) -> dict[str, type]:
    """What is said of the run, each word or code with its kind."""
    told = report({**AFTER, **(after or {})}, **more)
    trial = Trial(ran(code, signal=None if code is not None else 9), told, None)
    seen = believed(doubt, trial, report({**BEFORE, **(before or {})}))
    return {one.code if isinstance(one, Flaw) else one.what: type(one) for one in seen}


HELD = {"canary": Held, "flip": Held}


def test_exactly_what_was_broken_is_red():
    """Then both wards hold."""
    assert came() == HELD


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ({"a::red": "passed"}, {"canary": Flaw, "flip": Held}),
        ({"a::red": None}, {"canary": Flaw, "flip": Held}),
        ({"a::red": "xfailed"}, {"canary": Flaw, "flip": Held}),
        ({"a::green": "failed"}, {"canary": Flaw, "flip": Held}),
        ({"a::green": None}, {"canary": Flaw, "flip": Held}),
        ({"a::one": "passed"}, {"canary": Held, "flip": Flaw}),
        ({"a::one": None}, {"canary": Held, "flip": Flaw}),
        ({"a::one": "skipped"}, {"canary": Held, "flip": Flaw}),
        ({"b::three": None}, {**HELD, "report-truncated": Flaw}),
        ({"b::three": "failed"}, {"canary": Held, "flip": Flaw}),
        ({"b::three": "skipped"}, {"canary": Held, "flip": Flaw}),
        ({"a::two": "failed"}, {"canary": Held, "flip": Lacking}),
        ({"a::two": "xfailed"}, {"canary": Held, "flip": Lacking}),
        ({"b::new": "failed"}, {"canary": Held, "flip": Flaw}),
        ({"b::new": "passed"}, HELD),
        ({"a::red": "skipped", "a::green": "skipped"}, {"canary": Lacking, "flip": Held}),
        ({"a::red": "skipped", "a::one": "passed"}, {"canary": Flaw, "flip": Flaw}),
    ],
)
def test_each_difference_has_its_reason(after: dict[str, Any], says: dict[str, type]):
    """What may be honest says nothing; what cannot be is a flaw."""
    assert came(after) == says


@pytest.mark.parametrize(("name", "kind"), [("m.A.two", Lacking), ("m.B.two", Flaw)])
def test_where_no_file_is_named_a_class_is_what_a_test_lies_in(name: str, kind: type):
    """One of another class does not rest on the broken one."""
    doubt = DOUBT._replace(red=frozenset({"a::red", "m.A.one"}))
    before = {"m.A.one": "passed", name: "passed"}
    after = {"a::one": "passed", "m.A.one": "failed", name: "failed"}
    assert came(after, before=before, doubt=doubt) == {"canary": Held, "flip": kind}


def test_a_test_that_was_red_before_may_be_red_again():
    """A suite that was never all green is doubted as it is."""
    assert came({"b::three": "failed"}, before={"b::three": "failed"}) == HELD


def test_names_made_anew_are_counted():
    """Parameters without lasting names are the same tests when there are as many."""
    before = {"a::one[x]": "passed", "a::one[y]": "passed", "b::many[p]": "passed"}
    doubt = DOUBT._replace(red=frozenset({"a::red", "a::one[x]", "a::one[y]"}))
    none: dict[str, Any] = {"a::one": None}
    after = {**none, "a::one[v]": "failed", "a::one[w]": "failed", "b::many[q]": "passed"}
    assert came(after, before={**none, **before}, doubt=doubt) == HELD
    assert came({**after, "a::one[w]": "passed"}, before={**none, **before}, doubt=doubt) == {
        "canary": Held,
        "flip": Flaw,
    }
    fewer = came({**after, "b::many[q]": None}, before={**none, **before}, doubt=doubt)
    assert fewer == {**HELD, "report-truncated": Flaw}


@pytest.mark.parametrize("code", [0, 2, None])
def test_the_exit_must_say_that_tests_failed(code: int | None):
    """By the runner's own status; by any but zero where a wrapper may change it."""
    assert came(code=code) == {**HELD, "exit-disagrees": Flaw}
    wrapped = came(code=code, doubt=DOUBT._replace(exits=frozenset()))
    assert wrapped == (HELD if code else {**HELD, "exit-disagrees": Flaw})


def test_a_runner_that_tells_zero_beside_red_tests_is_not_believed():
    """Whatever the process then exits with."""
    assert came(exit=0) == {**HELD, "exit-disagrees": Flaw}


@pytest.mark.parametrize(
    ("told", "end", "code"),
    [
        (None, Ending(fail=True, code="no-report", reason="r"), "no-report"),
        (None, None, "no-report"),
        (report(AFTER, complete=False), None, "report-truncated"),
        (None, Ending(fail=False, code="not-run", reason="r"), "canary"),
    ],
)
def test_a_run_that_is_not_told_to_its_end_is_refused(
    told: Report | None, end: Ending | None, code: str
):
    """Unless it could not be run at all, which is no one's doing."""
    (one,) = believed(DOUBT, Trial(ran(0), told, end), report(BEFORE))
    assert (one.code if isinstance(one, Flaw) else one.what) == code
    assert isinstance(one, Lacking if code == "canary" else Flaw)


def test_a_run_that_takes_too_long_is_refused_as_that():
    """The run before came to its end in time."""
    late = Trial(ran(None, ended="timeout"), None, Ending(fail=True, code="timeout", reason="r"))
    (one,) = believed(DOUBT, late, report(BEFORE))
    assert isinstance(one, Flaw)
    assert one.code == "timeout"


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ({}, {**HELD, "exit": Lacking}),
        ({"a::two": None}, {**HELD, "exit": Lacking}),
        ({"a::one": None}, {"timeout": Flaw}),
        ({"a::red": "passed"}, {"timeout": Flaw}),
    ],
)
def test_a_broken_test_may_keep_its_process_alive(after: dict[str, Any], says: dict[str, type]):
    """What was broken is red by then; only how the run would have ended is not known."""
    told = report({**AFTER, **after}, complete=False)
    end = Ending(fail=True, code="timeout", reason="r")
    seen = believed(DOUBT, Trial(ran(None, ended="timeout"), told, end), report(BEFORE))
    assert {one.code if isinstance(one, Flaw) else one.what: type(one) for one in seen} == says


def test_only_what_the_seal_did_not_see_counts_in_an_audit():
    """The worst first: a runner of the work's own, a plug-in, a replaced function."""
    told = report({}, inside=("pytest.py", "evil.py (plug-in)"), patched=("m:f",), audited=True)
    every = ("pytest.py", "evil.py (plug-in)", "m:f")
    codes = ["runner-in-copy", "plugin-in-copy", "runner-patched"]
    for number, code in enumerate(codes):
        one = audited(told, every[:number])
        assert isinstance(one, Flaw)
        assert one.code == code
    assert audited(told, every) == Held("runner")
    assert audited(report({}), ()) is None
