"""A test run is believed only where its report and its exit status agree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from forsooth.judge.checker import Ran
from tests.judge.checks.place import Bench, Said, Tree, ran

START, END = '{"record": "start"}\n', '{"record": "end", "exit": %d}\n'


def lines(*outcomes: str, end: int | None = 0, reason: str = "") -> bytes:
    """A report of our own plug-in."""
    tests = [
        json.dumps({"record": "test", "id": f"t.py::{n}", "outcome": one, "reason": reason})
        for n, one in enumerate(outcomes)
    ]
    text = START + "".join(f"{test}\n" for test in tests) + ("" if end is None else END % end)
    return text.encode()


def judged(
    run: Ran, runner: str = "pytest", *, argv: tuple[str, ...] = ("pytest",)
) -> tuple[str, ...]:
    finding = Bench(Said(run)).finds("tests", argv=list(argv), runner=runner)
    return finding.outcome, finding.code, finding.reason


def pytest_ran(code: int | None, report: bytes | None, **fields: Any) -> Ran:
    return ran(code, out={} if report is None else {"pytest.jsonl": report}, **fields)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (pytest_ran(0, lines("passed", "skipped")), ("pass", "pass", "1 passed, 1 skipped")),
        (
            pytest_ran(1, lines("failed", "passed", end=1, reason="a\nb")),
            ("fail", "failed", "1 of 2 tests failed, t.py::0: a"),
        ),
        (
            pytest_ran(1, lines("failed", end=1, reason="a")),
            ("fail", "failed", "1 of 1 tests failed, t.py::0: a"),
        ),
        (
            pytest_ran(1, lines("failed", end=1, reason="a:\nb\nc\nd")),
            ("fail", "failed", "1 of 1 tests failed, t.py::0: a: b c"),
        ),
        (pytest_ran(1, lines("error", end=1)), ("fail", "errors", "1 of 1 tests failed, t.py::0")),
        (
            pytest_ran(1, lines(*["failed"] * 5, end=1)),
            ("fail", "failed", "5 of 5 tests failed, t.py::0, t.py::1, t.py::2 and 2 more"),
        ),
        (
            pytest_ran(0, lines("failed", end=1)),
            ("fail", "exit-disagrees", "exits 0, but reports 1 of 1 tests failed, t.py::0"),
        ),
        (
            pytest_ran(0, lines("passed", end=1)),
            ("fail", "exit-disagrees", "exits 0, but the runner told exit 1"),
        ),
        (
            pytest_ran(2, lines("passed"), stderr="coverage below 90\n"),
            ("fail", "threshold", "1 passed, yet exits 2: coverage below 90"),
        ),
        (pytest_ran(5, lines(end=5)), ("error", "no-tests", "no test was run")),
        (pytest_ran(0, lines("skipped")), ("error", "no-tests", "no test was run; 1 skipped")),
        (
            pytest_ran(0, lines("passed", end=None), stderr="bye"),
            ("fail", "report-truncated", "exits 0, but the report breaks off after 1 passed: bye"),
        ),
        (
            pytest_ran(None, lines("passed", end=None), signal=11),
            ("fail", "signal", "ended by signal 11 after 1 passed"),
        ),
        (
            pytest_ran(None, lines(end=None), signal=11),
            ("fail", "signal", "ended by signal 11 after no tests"),
        ),
        (
            pytest_ran(None, lines("passed"), signal=11),
            ("fail", "signal", "ended by signal 11 after 1 passed"),
        ),
        (
            pytest_ran(None, None, signal=9),
            ("fail", "signal", "ended by signal 9, and the report is empty"),
        ),
        (pytest_ran(0, None), ("fail", "no-report", "exits 0, and the report is empty")),
        (
            pytest_ran(1, None, stderr="No module named pytest"),
            ("error", "no-report", "exits 1, and the report is empty; No module named pytest"),
        ),
        (
            pytest_ran(1, b"nonsense\n"),
            ("fail", "report-unreadable", "exits 1, and a line of the report is not a record"),
        ),
        (pytest_ran(127, None), ("error", "not-found", "not there: pytest")),
        (pytest_ran(None, None, ended="timeout"), ("fail", "timeout", "did not end in 60 s")),
        (
            pytest_ran(None, None, ended="memory"),
            ("fail", "memory", "used more memory than it may"),
        ),
        (pytest_ran(None, None, ended="output"), ("fail", "output", "printed more than is kept")),
        (
            pytest_ran(None, None, ended="error", stderr="no sandbox"),
            ("error", "not-run", "could not run: no sandbox"),
        ),
    ],
)
def test_report_and_exit_status_must_agree(run: Ran, expected: tuple[str, ...]):
    """Disagreement has a direction, and what cannot be evaluated is an error, never a pass."""
    assert judged(run) == expected


def test_a_runner_that_began_and_told_nothing_broke_off():
    """A mark it leaves tells a test file that cannot be loaded from a runner that is not there."""
    began = ran(1, out={"mocha-loaded": b"v20"})
    assert judged(began, "mocha", argv=("npx", "mocha"))[:2] == ("fail", "report-truncated")
    assert judged(ran(1), "mocha", argv=("npx", "mocha"))[:2] == ("error", "no-report")


def test_a_runner_that_finds_no_tests_says_so_in_words():
    """jest and mocha write no report then; it is no test run all the same."""
    none = ran(1, stderr="No tests found, exiting with code 1\nPattern: x - 0 matches\n")
    assert judged(none, "jest", argv=("npx", "jest"))[:2] == ("error", "no-tests")
    none = ran(1, stderr='Error: No test files found: "x"\n', out={"mocha-loaded": b"v20"})
    assert judged(none, "mocha", argv=("npx", "mocha"))[:2] == ("error", "no-tests")
    none = ran(1, stdout='[ERROR] No tests matching pattern "NewTest" were executed!\n')
    assert judged(none, "maven", argv=("mvn", "test"))[:2] == ("error", "no-tests")


def test_maven_that_skips_every_test_is_no_test_run():
    """It exits 0 then, and writes no report."""
    skipped = ran(0, stdout="[INFO] Tests are skipped.\n")
    assert judged(skipped, "maven", argv=("mvn", "test"))[:2] == ("fail", "no-report")


def test_code_that_cannot_be_built_is_a_failure_of_the_work():
    """The compiler ran, so the environment is there."""
    broken = ran(101, stderr="error: could not compile `all` (lib test) due to 1 previous error")
    assert judged(broken, "cargo", argv=("cargo", "test"))[:2] == ("fail", "collection")
    unbuilt = pytest_ran(1, None, stdout="FAIL example.com/m [build failed]")
    assert judged(unbuilt)[:2] == ("fail", "collection")
    broken = ran(1, stdout="[ERROR] COMPILATION ERROR : \n")
    assert judged(broken, "maven", argv=("mvn", "test"))[:2] == ("fail", "collection")


def test_a_rust_executable_that_told_nothing_spoils_the_whole():
    """One that ended before its suite began leaves an empty file."""
    run = ran(0, out={"libtest-a-0123456789abcdef.jsonl": b""})
    assert judged(run, "cargo", argv=("cargo", "test"))[:2] == ("fail", "report-truncated")


def test_nextest_is_read_from_what_it_prints():
    """It speaks the events of Rust's own harness."""
    text = (
        '{"type":"suite","event":"started","test_count":1}\n'
        '{"type":"test","event":"ok","name":"a::b$c"}\n{"type":"suite","event":"ok"}\n'
    )
    place = Said(ran(0, text))
    found = Bench(place).outcome("tests", argv=["cargo", "nextest", "run"], runner="nextest")
    assert found == ("pass", "pass")
    assert place.asked == [("cargo", "nextest", "run", "--message-format", "libtest-json")]


@pytest.mark.parametrize(
    ("out", "expected"),
    [
        ({}, ("fail", "no-report")),
        ({"a.xml": b'<testsuite><testcase name="a"/></testsuite>'}, ("pass", "pass")),
        ({"a.xml": b"<testsuite>", "b.xml": b"<testsuite/>"}, ("fail", "report-truncated")),
    ],
)
def test_junit_in_the_out_folder_is_found(out: dict[str, bytes], expected: tuple[str, str]):
    """Any tool may write it there; one that cannot be read spoils the others."""
    assert judged(ran(0, out=out), "junit", argv=("tool",))[:2] == expected


def test_tap_on_standard_output_is_read():
    """For small runners that print nothing else."""
    assert judged(ran(0, "1..1\nok 1 a\n"), "tap", argv=("./check.sh",))[:2] == ("pass", "pass")


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"argv": ["x"], "runner": "magic"}, "unknown-runner"),
        ({"argv": ["make"], "runner": "unittest"}, "runner-hidden"),
        ({"argv": ["pytest"], "runner": "pytest", "cwd": "../x"}, "bad-cwd"),
        ({"argv": ["pytest"], "runner": "pytest", "cwd": "out/x"}, "bad-cwd"),
        ({"runner": "pytest"}, "bad-check"),
    ],
)
def test_what_cannot_be_run_is_an_error(params: dict[str, Any], code: str):
    """It is said before anything runs."""
    there = Bench(look=Tree(links={"out": "/etc"}))
    assert there.outcome("tests", **params) == ("error", code)


def test_where_the_argv_hides_the_runner_a_variable_reaches_it():
    """Added to what a person set, never in its place."""

    class Noting(Said):
        def run(self, argv: Any, *, env: Any = None, **more: Any) -> Ran:
            self.env = env
            return super().run(argv, **more)

    for runner, name, given in (
        ("go", "GOFLAGS", "-mod=mod"),
        ("node", "NODE_OPTIONS", "--no-warnings"),
        ("jest", "NODE_OPTIONS", "--no-warnings"),
        ("pytest", "PYTEST_ADDOPTS", "-q"),
        ("pytest", "PYTHONPATH", "src"),
    ):
        place = Noting(ran(1))
        Bench(place).finds("tests", argv=["make"], runner=runner, env={name: given})
        assert place.asked == [("make",)]
        assert place.env[name].endswith(given)
        assert len(place.env[name]) > len(given)


def test_a_time_limit_of_ones_own_is_kept():
    """Else the judge's holds."""
    place = Said(pytest_ran(0, lines("passed")), pytest_ran(0, lines("passed")))
    Bench(place).finds("tests", argv=["pytest"], runner="pytest", timeout=7)
    Bench(place).finds("tests", argv=["pytest"], runner="pytest")
    assert place.seconds == [7, 60.0]


def test_the_report_is_kept_as_evidence():
    """With what was printed and how the run ended, secrets taken out."""
    report = lines("passed", reason="TOKEN=abcdefgh")
    there = Bench(Said(pytest_ran(0, report, stdout="hello\n")))
    finding = there.finds("tests", argv=["pytest", "-q"], runner="pytest")
    kept = [there.kept[digest] for digest in finding.evidence]
    assert kept[:2] == [b"$ pytest -q\nexit 0\n", b"hello\n"]
    assert b"TOKEN=***" in kept[2]
    assert finding.took == 500
