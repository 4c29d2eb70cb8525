"""TAP, as bats and many small runners print it. Without its plan a stream may have broken off."""

from __future__ import annotations

import re

from forsooth.judge.reports.report import (
    MOST_BYTES,
    Problem,
    Report,
    Test,
    TestOutcome,
    a_test,
    numbered,
)

_PLAN = re.compile(r"1\.\.(\d{1,9})(?:\s*#.*)?")
_TEST = re.compile(r"(ok|not ok)\b(?: (\d{1,9}))?(.*)")
_DIRECTIVE = re.compile(r"(?<!\\)#[ \t]{0,4}(skip|todo)\S{0,20}", re.IGNORECASE)
_SPENT = re.compile(r" in \d+(?:ms|sec)$")


def read(data: bytes) -> Report | Problem:
    """The tests at the top of the stream; what is indented belongs to the test after it."""
    if len(data) > MOST_BYTES:
        return Problem("report-unreadable", "the report is too long")
    tests: list[Test] = []
    planned: int | None = None
    bailed = False
    for line in data.decode("utf-8", "replace").splitlines():
        if found := _PLAN.fullmatch(line.rstrip()):
            planned = int(found[1])
        elif found := _TEST.fullmatch(line):
            tests.append(_test(found[1] == "ok", found[3], len(tests) + 1))
        elif line.startswith("Bail out!"):
            bailed = True
        elif line.startswith("# ") and tests and tests[-1].outcome == "failed":
            said = f"{tests[-1].reason} {line[2:].strip()}".strip()
            tests[-1] = a_test(tests[-1].id, "failed", said)
    if planned is None and not tests:
        return Problem("no-report", "no line is TAP")
    return Report(numbered(tests), complete=planned == len(tests) and not bailed)


def _test(good: bool, rest: str, number: int) -> Test:  # noqa: FBT001
    said, directive, why = rest, "", ""
    if found := _DIRECTIVE.search(rest):
        said, directive, why = rest[: found.start()], found[1].lower(), rest[found.end() :].strip()
    name = _SPENT.sub("", said.strip().removeprefix("- ").strip()) or f"test {number}"
    outcome: TestOutcome = "passed" if good else "failed"
    if directive == "skip":
        outcome = "skipped"
    elif directive == "todo":
        outcome = "xpassed" if good else "xfailed"
    return a_test(name, outcome, why)
