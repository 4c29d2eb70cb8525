"""Each reader gives back what its runner wrote, and says why when there is nothing to give back."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from forsooth.judge.reports import go, jest, junit, libtest, mocha, probe, report, tap
from forsooth.judge.reports.report import Problem, Report
from tests.judge.reports import samples

Reader = Callable[[bytes], Report | Problem]


def seen(told: Report | Problem) -> dict[str, tuple[str, str]]:
    """Outcome and reason of each test."""
    assert isinstance(told, Report)
    return {test.id: (test.outcome, test.reason) for test in told.tests}


def whole(told: Report | Problem) -> tuple[bool, int | None]:
    assert isinstance(told, Report)
    return told.complete, told.exit


def code(told: Report | Problem) -> str:
    assert isinstance(told, Problem)
    return told.code


def test_our_own_records_give_the_worst_of_each_test():
    """A teardown that fails after a pass is an error, and the end tells the exit status."""
    told = probe.read(samples.PROBE)
    assert seen(told) == {
        "t.py::a": ("error", "late"),
        "t.py::b": ("xfailed", "known"),
        "t.py::c": ("skipped", "not now"),
    }
    assert whole(told) == (True, 1)


@pytest.mark.parametrize(
    "data",
    [
        samples.PROBE[:-1],
        samples.PROBE[: samples.PROBE.rindex(b'{"record": "end"')],
        samples.PROBE + b'{"record": "start"}\n',
        b'{"record": "loaded"}\n',
        samples.PROBE.replace(b'"start"', b'"begin"'),
    ],
)
def test_a_run_without_its_end_is_not_whole(data: bytes):
    """Every start needs its end, also when several runners append to one report."""
    assert whole(probe.read(data))[0] is False


def test_the_worst_exit_of_several_runs_counts():
    """A report may hold two runs; one that failed is not hidden by one that did not."""
    ends = b'{"record": "start"}\n{"record": "end", "exit": %d}\n'
    assert whole(probe.read(ends % 3 + ends % 0)) == (True, 3)
    assert whole(probe.read(b'{"record": "start"}\n{"record": "end", "exit": "0"}\n')) == (
        True,
        None,
    )


def test_junit_is_read_by_class_and_name():
    """Attributes and text of every writer we know: message, body, status and expected failure."""
    told = junit.read(samples.JUNIT)
    assert seen(told) == {
        "t::passes": ("passed", ""),
        "t::fails": ("failed", "1 < 2"),
        "t.py::errs": ("error", "no message, only text"),
        "t::skipped": ("skipped", "not now"),
        "t::known": ("xfailed", ""),
        "unit::unrun": ("skipped", ""),
    }
    assert isinstance(told, Report)
    assert [test.seconds for test in told.tests][:3] == [0.001, 1000.5, 0.0]


def test_a_failure_that_belongs_to_no_test_is_still_one():
    """Some writers put an error beside the tests, others only count it."""
    beside = b'<testsuite name="s"><error message="no class"/><skipped/></testsuite>'
    assert seen(junit.read(beside)) == {"s": ("error", "no class")}
    counted = b'<testsuite name="s" failures="2"><testcase name="a"/></testsuite>'
    assert seen(junit.read(counted))["s"][0] == "error"
    assert seen(junit.read(b'<testsuite failures="x"><testcase name="a"/></testsuite>')) == {
        "a": ("passed", "")
    }


def test_an_error_after_a_failure_stays_an_error():
    """One test may hold both; the worse one counts."""
    data = b'<testsuite><testcase name="a"><error message="e"/><failure/></testcase></testsuite>'
    assert seen(junit.read(data)) == {"a": ("error", "e")}


LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>
<testsuite><testcase name="&c;"/></testsuite>"""
OUTSIDE = b"""<?xml version="1.0"?>
<!DOCTYPE foo [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<testsuite><testcase name="a"><failure>&x;</failure></testcase></testsuite>"""


@pytest.mark.parametrize(
    "data",
    [
        LAUGHS,
        OUTSIDE,
        b'<!DOCTYPE a SYSTEM "a.dtd"><testsuite/>',
        b'<!DOCTYPE a [<!ENTITY % p SYSTEM "a.ent"> %p;]><testsuite/>',
        b"<testsuite>&undeclared;</testsuite>",
        b"<testsuite>" * 101 + b"</testsuite>" * 101,
        b'<?xml version="1.0" encoding="utf-7"?><testsuite/>',
        b'<?xml version="1.0" encoding="no-such"?><testsuite/>',
        b'<?xml version="1.0" encoding="rot13"?><testsuite/>',
        b"<html/>",
        b"\0\1\2",
    ],
)
def test_xml_that_no_runner_writes_is_refused(data: bytes):
    """Entities, document types, depths and encodings of another purpose never come to be read."""
    assert code(junit.read(data)) == "report-unreadable"


def test_jest_and_vitest_are_read_by_file_and_name():
    """A file that failed with no failed test is an error of its own, and so is an odd status."""
    told = jest.read(samples.JEST)
    assert seen(told) == {
        "/repo/all.test.js > all > passes": ("passed", ""),
        "/repo/all.test.js > all > fails": ("failed", "Error: 1 is not 2\n    at x"),
        "/repo/all.test.js > later": ("skipped", ""),
        "/repo/all.test.js > odd": ("error", ""),
        "/repo/gone.test.js": ("error", "no such module"),
        "/repo/out.test.js > x": ("passed", ""),
        "/repo/out.test.js": ("error", "out"),
        "/repo/odd.test.js": ("error", "the file could not be run"),
    }
    assert whole(told) == (True, 1)


@pytest.mark.parametrize(
    "but", [{"wasInterrupted": True}, {"numTotalTests": 99}, {"numTotalTests": "many"}]
)
def test_a_jest_run_that_was_stopped_is_not_whole(but: dict[str, object]):
    """It says so, or it promised more tests than it holds."""
    data = json.dumps({**json.loads(samples.JEST), **but}).encode()
    assert whole(jest.read(data))[0] is False


def test_mocha_is_read_with_its_hooks():
    """A hook that failed is in no list of tests, and is an error."""
    told = mocha.read(samples.MOCHA)
    assert seen(told) == {
        "/repo/t.js > all a": ("passed", ""),
        "/repo/t.js > all b": ("failed", "no"),
        '"before all" hook for "c"': ("error", ""),
        "/repo/t.js > all d": ("skipped", ""),
    }
    assert whole(told) == (True, None)
    assert code(mocha.read(b"{}")) == "report-unreadable"


def test_go_is_read_by_package_and_name():
    """A package that failed without a failed test is an error, as is a test that never ended."""
    told = go.read(samples.GO)
    assert seen(told) == {
        "m::TestA": ("failed", "a_test.go:3: one is not two"),
        "m::TestB": ("passed", ""),
        "m::TestC": ("skipped", ""),
        "m/broken": ("error", "b_test.go:5: undefined: x"),
        "m/crash::TestOut": ("error", "it never ended"),
    }
    assert whole(told) == (True, None)


@pytest.mark.parametrize(
    ("rounds", "fickle"),
    [("pp", ()), ("pff", ()), ("fff", ()), ("fp", ("m::TestA",)), ("pfpf", ("m::TestA",))],
)
def test_a_go_test_that_fails_and_later_passes_is_fickle(rounds: str, fickle: tuple[str, ...]):
    """In the rounds of one run; one that fails for good from some round on is not."""
    word = {"p": "pass", "f": "fail"}
    events = [
        {"Action": action, "Package": "m", "Test": "TestA"}
        for one in rounds
        for action in ("run", word[one])
    ]
    events.append({"Action": "fail" if "f" in rounds else "pass", "Package": "m"})
    told = go.read("\n".join(map(json.dumps, events)).encode())
    assert isinstance(told, report.Report)
    assert told.fickle == fickle
    assert [test.outcome for test in told.tests] == ["failed" if "f" in rounds else "passed"]


def test_a_go_package_without_an_end_is_not_whole():
    """What was running there is not reported, for nothing is known of it."""
    told = go.read(b"\n".join(samples.GO.splitlines()[:9]))
    assert whole(told)[0] is False
    assert seen(told) == {}


def test_rust_events_are_read_amid_what_tests_print():
    """A panic gives its message; a suite's end tells whether it was red."""
    told = libtest.read(samples.LIBTEST, target="all")
    assert seen(told) == {
        "all::a": ("passed", ""),
        "all::b": ("failed", "1 is not 2"),
        "all::c": ("skipped", "not now"),
        "all::d": ("failed", "said"),
    }
    assert whole(told) == (True, 1)
    panicked = samples.LIBTEST.replace(b"\\n1 is not 2\\n", b"")
    assert seen(libtest.read(panicked))["b"][1] == "b panicked at l:1"


@pytest.mark.parametrize("gone", [0, 2, 6])
def test_a_rust_suite_must_end_and_hold_every_test(gone: int):
    """`process::exit(0)` in a test leaves a suite without its end."""
    lines = samples.LIBTEST.splitlines(keepends=True)
    told = libtest.read(b"".join(lines[:gone] + lines[gone + 1 :]))
    assert code(told) == "no-report" if gone == 0 else whole(told) == (False, None)


def test_rust_lines_are_read_where_there_are_no_events():
    """Doctests lose their line number, and twins are told apart by a number."""
    told = libtest.read_lines(samples.LINES)
    assert seen(told) == {
        "a": ("passed", ""),
        "b": ("passed", ""),
        "c": ("skipped", "not now"),
        "src/lib.rs - two": ("failed", ""),
        "src/lib.rs - two #2": ("passed", ""),
    }
    assert whole(told) == (True, 1)
    assert code(libtest.read_lines(b"nothing")) == "no-report"
    assert whole(libtest.read_lines(b"running 1 test\n")) == (False, None)


def test_tap_is_read_at_its_top_level():
    """Skips and todos by their directive, the reason of a failure from the comments after it."""
    told = tap.read(samples.TAP)
    assert seen(told) == {
        "passes": ("passed", ""),
        "fails": ("failed", "(in test file all.bats, line 2) `false' failed"),
        "skipped": ("skipped", "(not now)"),
        "known": ("xfailed", "later"),
        "mended": ("xpassed", ""),
        "test 6": ("passed", ""),
    }
    assert whole(told) == (True, None)


@pytest.mark.parametrize("data", [b"ok 1 a\n", b"1..2\nok 1 a\n", b"1..1\nok 1 a\nBail out! no\n"])
def test_tap_without_its_plan_is_not_whole(data: bytes):
    """Nor is it when fewer tests came than planned, or it bailed out."""
    assert whole(tap.read(data))[0] is False


READERS: dict[str, Reader] = {
    "probe": probe.read,
    "junit": junit.read,
    "jest": jest.read,
    "mocha": mocha.read,
    "go": go.read,
    "libtest": libtest.read,
    "lines": libtest.read_lines,
    "tap": tap.read,
}


@pytest.mark.parametrize("name", READERS)
def test_nothing_at_all_is_no_report(name: str):
    """An empty file and blank lines alike."""
    assert code(READERS[name](b"")) == "no-report"
    assert code(READERS[name](b" \n\n")) == "no-report" or name == "probe"


@pytest.mark.parametrize("name", READERS)
def test_a_report_of_boundless_length_is_refused(name: str, monkeypatch: pytest.MonkeyPatch):
    """Before anything of it is looked at."""
    module = libtest if name == "lines" else __import__("sys").modules[READERS[name].__module__]
    monkeypatch.setattr(report, "MOST_BYTES", 10)
    monkeypatch.setattr(module, "MOST_BYTES", 10, raising=False)
    assert code(READERS[name](b"{" * 11)) == "report-unreadable"


@pytest.mark.parametrize("read", [jest.read, mocha.read])
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a": ', "report-truncated"),
        (b"[1]", "report-unreadable"),
        (b"{a}", "report-unreadable"),
        (b"[" * 100_000, "report-unreadable"),
        (b'{"a": ' + b"9" * 5000 + b"}", "report-unreadable"),
        (b'{"testResults": 3, "stats": 3}', "report-unreadable"),
    ],
)
def test_a_document_that_breaks_off_is_told_from_one_of_another_kind(
    read: Reader, data: bytes, expected: str
):
    """A killed runner leaves half a document; garbage is garbage."""
    assert code(read(data)) == expected


def test_a_torn_line_spoils_our_own_report_unless_it_is_the_last():
    """Nothing but our records may be in it, so a line that is none was put there."""
    assert (
        code(probe.read(b'{"record": "start"}\nhello\n{"record": "end"}\n')) == "report-unreadable"
    )
    assert code(probe.read(b"x\n")) == "report-unreadable"
    assert code(probe.read(b"\n \n")) == "no-report"


def test_what_a_report_says_is_made_storable():
    """Lone surrogates, nulls, boundless texts and odd numbers come out harmless."""
    odd = {"id": "a\ud800\0" + "x" * 5000, "outcome": "what", "reason": 3, "seconds": float("nan")}
    line = json.dumps({"record": "test", **odd}).encode() + b"\n"
    (test,) = probe.read(line).tests
    assert test.id.startswith("a?�x")
    assert len(test.id) == report.LONGEST_ID
    assert (test.outcome, test.reason, test.seconds) == ("error", "", 0.0)
    assert [report.finite(n) for n in (True, -1, 10**400, "3", float("inf"))] == [0.0] * 5


def test_several_reports_make_one():
    """Whole when each is whole, and told red when one was."""
    one = Report((report.Test("a", "passed"),), complete=True, exit=0)
    both = report.merged([one, one._replace(exit=2)])
    assert [test.id for test in both.tests] == ["a", "a #2"]
    assert (both.complete, both.exit, both.ran, both.red) == (True, 2, 2, ())
    assert report.merged([one, one._replace(complete=False, exit=None)]).complete is False
    assert report.merged([]).exit is None


def test_a_twin_never_takes_the_name_of_a_third():
    """`a`, `a #2` and `a` again are three tests."""
    tests = [report.Test(name, "passed") for name in ("a", "a #2", "a", "a")]
    assert len({test.id for test in report.numbered(tests)}) == 4
