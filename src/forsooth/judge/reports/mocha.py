"""The JSON of mocha: passes, failures and pending tests, with failed hooks among the failures."""

from __future__ import annotations

from typing import Any

from forsooth.judge.reports.report import (
    Problem,
    Report,
    Test,
    TestOutcome,
    a_test,
    document,
    finite,
    numbered,
    row,
    rows,
    text,
)

_LISTS: tuple[tuple[str, TestOutcome], ...] = (
    ("passes", "passed"),
    ("failures", "failed"),
    ("pending", "skipped"),
)


def read(data: bytes) -> Report | Problem:
    """Every test, by file and full title; a hook that failed is an error."""
    told = document(data)
    if isinstance(told, Problem):
        return told
    stats = told.get("stats")
    if not isinstance(stats, dict):
        return Problem("report-unreadable", "the report has no statistics")
    tests = [_test(one, outcome) for name, outcome in _LISTS for one in rows(told.get(name))]
    total = row(told.get("stats")).get("tests")
    whole = type(total) is int and total <= len(tests)
    return Report(numbered(tests), complete=whole)


def _test(one: dict[str, Any], outcome: TestOutcome) -> Test:
    title = text(one.get("fullTitle")) or text(one.get("title"))
    hook = text(one.get("title")).startswith('"') and '" hook' in text(one.get("title"))
    return a_test(
        " > ".join(part for part in (text(one.get("file")), title) if part),
        "error" if hook and outcome == "failed" else outcome,
        text(row(one.get("err")).get("message")),
        finite(one.get("duration")) / 1000,
    )
