"""No bytes make a reader raise, hang, or count tests that are not there."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forsooth.judge.reports import go, jest, junit, libtest, mocha, probe, tap
from forsooth.judge.reports.ids import anywhere
from forsooth.judge.reports.report import Problem, Report
from tests.judge.reports import samples

Reader = Callable[[bytes], Report | Problem]

CORPUS: dict[str, tuple[Reader, bytes]] = {
    "probe": (probe.read, samples.PROBE),
    "junit": (junit.read, samples.JUNIT),
    "jest": (jest.read, samples.JEST),
    "mocha": (mocha.read, samples.MOCHA),
    "go": (go.read, samples.GO),
    "libtest": (libtest.read, samples.LIBTEST),
    "lines": (libtest.read_lines, samples.LINES),
    "tap": (tap.read, samples.TAP),
}
TOKENS = (
    b"\0", b"\xff\xfe", b"\n", b"\r", b'"', b"{", b"}", b"[", b"]", b"<", b">", b"&a;", b"]]>",
    b"<!DOCTYPE a>", b"null", b"true", b"-1", b"1e999", b"9" * 400, b"NaN", b'"\\ud800"', b"{}",
    b"ok", b"not ok 1", b"1..9", b"test x ... ok", b"running 3 tests", b"<testcase/>", b"#",
)  # fmt: skip


def holds(told: Report | Problem) -> None:
    """What every answer must be, whatever was read."""
    if isinstance(told, Problem):
        assert told.code in ("no-report", "report-truncated", "report-unreadable")
        assert told.says
        return
    assert sum(told.counts.values()) == len(told.tests)
    assert len({test.id for test in told.tests}) == len(told.tests)
    assert len(told.red) <= told.ran <= len(told.tests)
    for test in told.tests:
        assert test.id
        assert test.seconds >= 0
        (test.id + test.reason).encode()
    assert len(anywhere(told, "/repo").tests) == len(told.tests)


def mutated(data: bytes, dice: random.Random) -> bytes:
    """A report after a few cuts, doublings, swaps and foreign words."""
    for _ in range(dice.randint(1, 6)):
        at, to = sorted(dice.randrange(len(data) + 1) for _ in range(2))
        match dice.randrange(6):
            case 0:
                data = data[:at]
            case 1:
                data = data[:at] + data[to:]
            case 2:
                data = data[:to] + data[at:]
            case 3:
                data = data[:at] + dice.choice(TOKENS) + data[at:]
            case 4:
                data = data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :]
            case _:
                lines = data.split(b"\n")
                dice.shuffle(lines)
                data = b"\n".join(lines)
    return data


@pytest.mark.parametrize("name", CORPUS)
def test_a_damaged_report_is_a_report_or_a_problem(name: str):
    """Two thousand damaged copies of a true one."""
    read, data = CORPUS[name]
    dice = random.Random(name)
    for _ in range(2000):
        holds(read(mutated(data, dice)))


@pytest.mark.parametrize("name", CORPUS)
def test_every_beginning_of_a_report_is_a_report_or_a_problem(name: str):
    """A run may be killed at any byte; what is left never claims to be whole and green."""
    read, data = CORPUS[name]
    full = read(data)
    assert isinstance(full, Report)
    for end in range(len(data.rstrip())):
        told = read(data[:end])
        holds(told)
        if isinstance(told, Report) and told.complete:
            assert told.red or len(told.tests) < len(full.tests)


@pytest.mark.parametrize("name", CORPUS)
def test_a_report_of_one_runner_read_as_anothers_gives_no_whole_tests(name: str):
    """A wrong guess ends as a problem, or as a report that is not whole."""
    read, _ = CORPUS[name]
    for other, (_, data) in CORPUS.items():
        told = read(data)
        holds(told)
        if other != name:
            assert isinstance(told, Problem) or not told.complete or not told.tests


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_a_report_or_a_problem(data: bytes):
    """Nothing is assumed of them."""
    for read, _ in CORPUS.values():
        holds(read(data))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = (
    "record id outcome reason seconds exit collected testResults assertionResults status title "
    "name message ancestorTitles failureMessages success numTotalTests duration stats tests passes "
    "pending failures fullTitle file err Action Package Test Output Elapsed FailedBuild ImportPath "
    "type event test_count stdout exec_time"
).split()
WORDS = (
    "start test end loaded inventory passed failed error skipped run pass fail skip output suite "
    "started ok ignored build-output"
).split()
KNOWN = st.dictionaries(
    st.sampled_from(KEYS),
    st.one_of(
        st.sampled_from(WORDS),
        JSON,
        st.lists(
            st.dictionaries(st.sampled_from(KEYS), st.sampled_from(WORDS) | JSON, max_size=6),
            max_size=4,
        ),
    ),
    max_size=10,
)


@given(st.lists(KNOWN, min_size=1, max_size=5))
@settings(max_examples=150, deadline=None)
def test_any_types_under_the_right_keys_are_a_report_or_a_problem(rows: list[dict[str, object]]):
    """A reader asks each value what it is before it uses it."""
    data = "\n".join(map(json.dumps, rows)).encode() + b"\n"
    for read, _ in CORPUS.values():
        holds(read(data))


UNITS = (
    b" ", b"#", b"ok # ", b"ok\n", b"test a ... ", b"test a ... ok\n", b"{", b"[", b'{"type"', b'"',
    b"<testcase/>", b"<a>", b'{"Action":"output","Package":"a","Test":"b","Output":" "}\n',
    b'{"record": "test", "id": "a"}\n', b" in 1", b"1", b"- ", b"\\", b"&#32;", b" - should panic",
)  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", CORPUS)
def test_a_reader_takes_time_by_length_alone(name: str):
    """A megabyte of what its patterns begin with is done in a moment."""
    read, data = CORPUS[name]
    for unit in UNITS:
        for begin in (
            b"",
            data[: len(data) // 2],
            b"ok 1 ",
            b"<testsuite>",
            b"running 1 test\ntest ",
        ):
            holds(read(begin + unit * (200_000 // len(unit))))
