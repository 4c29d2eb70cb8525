"""The JSON of jest, which vitest writes as well: files, each with its assertions."""

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
    texts,
)

_OUTCOMES: dict[str, TestOutcome] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
    "skipped": "skipped",
    "todo": "skipped",
    "disabled": "skipped",
}


def read(data: bytes) -> Report | Problem:
    """Every assertion, by file and full name; a file that could not be loaded is an error."""
    told = document(data)
    if isinstance(told, Problem):
        return told
    if not isinstance(told.get("testResults"), list):
        return Problem("report-unreadable", "the report has no test results")
    tests = [test for file in rows(told["testResults"]) for test in _file(file)]
    total = told.get("numTotalTests")
    whole = type(total) is int and total <= len(tests) and told.get("wasInterrupted") is not True
    success = told.get("success")
    exit_ = (0 if success else 1) if isinstance(success, bool) else None
    return Report(numbered(tests), complete=whole, exit=exit_)


def _file(file: dict[str, Any]) -> list[Test]:
    name = text(file.get("name"))
    tests = [_assertion(name, found) for found in rows(file.get("assertionResults"))]
    if file.get("status") == "failed" and all(test.outcome != "failed" for test in tests):
        reason = text(file.get("message")) or text(row(file.get("testExecError")).get("message"))
        tests.append(a_test(name, "error", reason or "the file could not be run"))
    return tests


def _assertion(file: str, found: dict[str, Any]) -> Test:
    parts = [file, *texts(found.get("ancestorTitles")), text(found.get("title"))]
    reasons = texts(found.get("failureMessages"))
    return a_test(
        " > ".join(part for part in parts if part),
        _OUTCOMES.get(text(found.get("status")), "error"),
        reasons[0] if reasons else "",
        finite(found.get("duration")) / 1000,
    )
