"""What a test run says of itself, whatever runner wrote it. A report is a claim, never a proof."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, cast

TestOutcome = Literal["passed", "xpassed", "xfailed", "skipped", "failed", "error"]
ProblemCode = Literal["no-report", "report-truncated", "report-unreadable"]

MOST_BYTES = 64 << 20
LONGEST_ID = 2000
LONGEST_REASON = 400

# Mildest first: of several results under one id the last of these counts; a skip is not a pass.
_WORSE: tuple[TestOutcome, ...] = ("passed", "xpassed", "xfailed", "skipped", "failed", "error")
_RANK = {outcome: rank for rank, outcome in enumerate(_WORSE)}
_RED = frozenset({"failed", "error"})
# Also as an XML report spells it.
_COLOUR = re.compile(r"(?:\x1b|#x1B)\[[0-9;?]*[A-Za-z]")


class Test(NamedTuple):
    """One test and how it ended."""

    id: str
    outcome: TestOutcome
    reason: str = ""
    seconds: float = 0.0


class Report(NamedTuple):
    """Every test of a run; `complete` when the runner came to its own end, `exit` what it told.

    `patched` are functions of the runner that were others at its end than at its start, `inside`
    modules of the runner, and of its plug-ins, that lie in the judged copy; both are known only
    where the runner was `audited`. `fickle` are tests run in several rounds that failed in one
    and passed in a later one.
    """

    tests: tuple[Test, ...]
    complete: bool
    exit: int | None = None
    patched: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    audited: bool = False
    fickle: tuple[str, ...] = ()

    @property
    def red(self) -> tuple[Test, ...]:
        """The tests that did not hold."""
        return tuple(test for test in self.tests if test.outcome in _RED)

    @property
    def counts(self) -> Counter[TestOutcome]:
        """How many tests ended in which way."""
        return Counter(test.outcome for test in self.tests)

    @property
    def ran(self) -> int:
        """How many tests were really run: a skipped one was not."""
        return sum(1 for test in self.tests if test.outcome != "skipped")


class Problem(NamedTuple):
    """Why there is no report."""

    code: ProblemCode
    says: str


def a_test(id_: str, outcome: TestOutcome, reason: object = "", seconds: object = 0) -> Test:
    """A test with every text capped and every number finite, whatever was read."""
    return Test(
        clean(id_, LONGEST_ID) or "?",
        outcome,
        clean(_COLOUR.sub("", reason), LONGEST_REASON) if isinstance(reason, str) else "",
        finite(seconds),
    )


def clean(text: str, cap: int) -> str:
    """Text that can be stored: no lone surrogates, no nulls, no longer than the cap."""
    return text[:cap].encode("utf-8", "replace").decode().replace("\0", "�")


def finite(number: object) -> float:
    """A duration as told; zero when it is none."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return 0.0
    try:
        seconds = float(number)
    except OverflowError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds >= 0 else 0.0


def worst(tests: Iterable[Test]) -> tuple[Test, ...]:
    """One test an id: its worst result. For runners that report a test in several parts."""
    kept: dict[str, Test] = {}
    for test in tests:
        before = kept.get(test.id)
        if before is None or _RANK[test.outcome] > _RANK[before.outcome]:
            kept[test.id] = test
    return tuple(kept.values())


def numbered(tests: Iterable[Test]) -> tuple[Test, ...]:
    """Twins told apart by a number. For runners where two tests may bear one name."""
    used: set[str] = set()
    times: Counter[str] = Counter()
    told: list[Test] = []
    for test in tests:
        name = test.id
        while name in used:
            times[test.id] += 1
            name = f"{test.id} #{times[test.id] + 1}"
        used.add(name)
        told.append(test._replace(id=name))
    return tuple(told)


def merged(reports: Sequence[Report]) -> Report:
    """Several reports as one: complete when each is, and red when one is."""
    told = [report.exit for report in reports if report.exit is not None]
    return Report(
        numbered(test for report in reports for test in report.tests),
        complete=all(report.complete for report in reports),
        exit=max(told, key=abs) if told else None,
        patched=tuple(dict.fromkeys(name for report in reports for name in report.patched)),
        inside=tuple(dict.fromkeys(name for report in reports for name in report.inside)),
        audited=all(report.audited for report in reports),
    )


def parsed(data: bytes | str) -> Any:
    """JSON as data; None when it is not JSON, or nests deeper than any report would."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def row(value: Any) -> dict[str, Any]:
    """A JSON object; an empty one when it is something else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def rows(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON array, the rest left out."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def text(value: Any) -> str:
    """A JSON string; an empty one when it is something else."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """The strings of a JSON array, the rest left out."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]


def document(data: bytes) -> dict[str, Any] | Problem:
    """A report that is one JSON object, or why it is none."""
    if not data.strip():
        return Problem("no-report", "the report is empty")
    if len(data) > MOST_BYTES:
        return Problem("report-unreadable", "the report is too long")
    value = parsed(data)
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    if data.lstrip().startswith(b"{") and not data.rstrip().endswith(b"}"):
        return Problem("report-truncated", "the report breaks off")
    return Problem("report-unreadable", "the report is not a JSON object")
