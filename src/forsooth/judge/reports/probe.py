"""The judge's own records, written by its plug-ins inside a runner: one JSON object a line.

A report needs a start and an end: a file that merely exists proves nothing.
"""

from __future__ import annotations

from typing import Any, cast

from forsooth.judge.reports.report import (
    LONGEST_ID,
    MOST_BYTES,
    Problem,
    Report,
    Test,
    TestOutcome,
    a_test,
    clean,
    parsed,
    text,
    texts,
    worst,
)

_OUTCOMES: dict[str, TestOutcome] = {
    "passed": "passed",
    "failed": "failed",
    "error": "error",
    "skipped": "skipped",
    "xfailed": "xfailed",
    "xpassed": "xpassed",
}


def read(data: bytes) -> Report | Problem:
    """The tests between start and end. Several runners may append to one file: each must end."""
    lines = _lines(data)
    if isinstance(lines, Problem):
        return lines
    tests: list[Test] = []
    exits: list[int] = []
    patched: list[str] = []
    inside: list[str] = []
    starts = ends = 0
    for line in lines:
        patched += texts(line.get("patched"))
        inside += texts(line.get("inside"))
        match line.get("record"):
            case "start":
                starts += 1
            case "test":
                tests.append(_test(line))
            case "end":
                ends += 1
                exits += [code] if type(code := line.get("exit")) is int else []
            case _:
                pass
    whole = data.endswith(b"\n") and starts > 0 and starts == ends
    return Report(
        worst(tests),
        complete=whole,
        exit=max(exits, key=abs) if exits else None,
        patched=tuple(sorted({clean(name, LONGEST_ID) for name in patched})),
        inside=tuple(sorted({clean(name, LONGEST_ID) for name in inside})),
        audited=any("patched" in line for line in lines),
    )


def _lines(data: bytes) -> list[dict[str, Any]] | Problem:
    """The records; a torn last line is left out, a torn line before it spoils the report."""
    if not data.strip():
        return Problem("no-report", "the report is empty")
    if len(data) > MOST_BYTES:
        return Problem("report-unreadable", "the report is too long")
    lines = data.split(b"\n")
    values = [parsed(line) for line in lines[:-1]]
    if not all(isinstance(value, dict) for value in values):
        return Problem("report-unreadable", "a line of the report is not a record")
    return cast("list[dict[str, Any]]", values)


def _test(line: dict[str, Any]) -> Test:
    outcome = _OUTCOMES.get(text(line.get("outcome")), "error")
    return a_test(text(line.get("id")), outcome, line.get("reason"), line.get("seconds"))
