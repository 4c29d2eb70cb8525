"""What Rust's own harness says: JSON events, or the lines it prints where those cannot be had.

nextest speaks the same events. A suite that began and never ended spoils the report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from forsooth.judge.reports.report import (
    MOST_BYTES,
    Problem,
    Report,
    Test,
    TestOutcome,
    a_test,
    numbered,
    parsed,
    row,
    text,
)

_ENDS: dict[str, TestOutcome] = {"ok": "passed", "failed": "failed", "ignored": "skipped"}
_EVENT = re.compile(rb'\{ ?"type"')
_RUNNING = re.compile(r"running (\d{1,9}) tests?")
_RESULT = re.compile(r"test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ig")
_LINE = re.compile(r"test (.+?)(?: - should panic)? \.\.\. (.*)")
_WORD = re.compile(r"(ok|FAILED|ignored)(?:, (.*)| <.*>)?")
_SPOT = re.compile(r" \(line \d+\)")


def read(data: bytes, *, target: str = "") -> Report | Problem:
    """The tests of every suite in a stream of events, each named after its target."""
    if len(data) > MOST_BYTES:
        return Problem("report-unreadable", "the report is too long")
    tests: list[Test] = []
    expected = started = ended = 0
    red = False
    for event in _events(data):
        match (event.get("type"), text(event.get("event"))):
            case ("suite", "started"):
                started += 1
                expected += count if type(count := event.get("test_count")) is int else 0
            case ("suite", "ok" | "failed" as end):
                ended += 1
                red = red or end == "failed"
            case ("test", end) if end in _ENDS:
                tests.append(_test(event, end, target))
            case _:
                pass
    if not started:
        return Problem("no-report", "no suite began")
    whole = started == ended and expected == len(tests)
    return Report(numbered(tests), complete=whole, exit=int(red) if whole else None)


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    """The events, also where a test printed something before one on the same line."""
    for line in data.split(b"\n"):
        if found := _EVENT.search(line):
            yield row(parsed(line[found.start() :]))


def _test(event: dict[str, Any], end: str, target: str) -> Test:
    name = "::".join(part for part in (target, text(event.get("name"))) if part)
    reason = text(event.get("message")) or _panic(text(event.get("stdout")))
    return a_test(name, _ENDS[end], reason if end != "ok" else "", event.get("exec_time"))


def _panic(said: str) -> str:
    """What a panic said: the line after the one that says where."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    at = next((n for n, line in enumerate(lines) if "panicked at" in line), None)
    if at is None:
        return lines[0] if lines else ""
    return lines[at + 1] if at + 1 < len(lines) else lines[at]


def read_lines(data: bytes) -> Report | Problem:
    """The tests of every suite that was printed for people, doctests by file without the line."""
    if len(data) > MOST_BYTES:
        return Problem("report-unreadable", "the report is too long")
    tests: list[Test] = []
    expected = started = ended = 0
    red = False
    pending = ""
    for line in data.decode("utf-8", "replace").splitlines():
        if found := _RUNNING.fullmatch(line):
            started += 1
            expected += int(found[1])
        elif found := _RESULT.match(line):
            ended += 1
            red = red or found[1] == "FAILED"
        elif found := _LINE.fullmatch(line):
            pending = found[1]
            line = found[2]  # noqa: PLW2901
        if pending and (word := _WORD.fullmatch(line)):
            name = _SPOT.sub("", pending)
            tests.append(a_test(name, _ENDS[word[1].lower()], word[2] or ""))
            pending = ""
    if not started:
        return Problem("no-report", "no suite began")
    whole = started == ended and expected == len(tests)
    return Report(numbered(tests), complete=whole, exit=int(red) if whole else None)
