"""JUnit XML as its many writers write it. A document type, and so any entity, is refused."""

from __future__ import annotations

from xml.parsers import expat

from forsooth.judge.reports.report import (
    MOST_BYTES,
    Problem,
    Report,
    Test,
    TestOutcome,
    a_test,
    numbered,
)

_DEEPEST = 100
_SUITES = ("testsuites", "testsuite")
_ENDINGS: dict[str, TestOutcome] = {"failure": "failed", "error": "error", "skipped": "skipped"}
_NOT_RUN = frozenset({"notrun", "skipped", "disabled", "ignored"})


class _RefusedError(ValueError):
    """Something no report has."""


def read(data: bytes) -> Report | Problem:
    """Every `testcase`, by class and name."""
    if not data.strip():
        return Problem("no-report", "the report is empty")
    if len(data) > MOST_BYTES:
        return Problem("report-unreadable", "the report is too long")
    walk = _Walk()
    try:
        _parser(walk).Parse(data, True)
    except expat.ExpatError as error:
        cut = error.code in _CUT
        code = "report-truncated" if cut else "report-unreadable"
        return Problem(code, f"the report is not XML: {error}")
    except (ValueError, LookupError, TypeError) as error:
        return Problem("report-unreadable", f"the report is refused: {error}")
    if not walk.root:
        return Problem("report-unreadable", "the report is XML of another kind")
    return Report(numbered([*walk.tests, *walk.unexplained()]), complete=True)


_CUT = tuple(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)


def _parser(walk: _Walk) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = walk.opens
    parser.EndElementHandler = walk.closes
    parser.CharacterDataHandler = walk.says
    parser.StartDoctypeDeclHandler = _refuse
    return parser


def _refuse(*_: object) -> None:
    raise _RefusedError("it declares a document type")


class _Walk:
    """One pass over the elements, remembering the open test only."""

    def __init__(self) -> None:
        self.root = False
        self.tests: list[Test] = []
        self._depth = 0
        self._open: dict[str, str] | None = None
        self._outcome: TestOutcome = "passed"
        self._reason = ""
        self._told = 0
        self._suite = ""

    def opens(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _RefusedError("it nests too deeply")
        name = name.rpartition(":")[2]
        if self._depth == 1:
            self.root = name in _SUITES
        if name == "testsuite":
            self._suite = attributes.get("name", "") or self._suite
        if name in _SUITES:
            self._told += _number(attributes, "failures") + _number(attributes, "errors")
        elif name == "testcase":
            self._begin(attributes)
        elif name in _ENDINGS:
            self._end(_ENDINGS[name], attributes)

    def _begin(self, attributes: dict[str, str]) -> None:
        self._open, self._reason = attributes, ""
        ended = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
        self._outcome = "skipped" if ended & _NOT_RUN else "passed"

    def _end(self, outcome: TestOutcome, attributes: dict[str, str]) -> None:
        if self._open is None:
            if outcome != "skipped":
                self.tests.append(a_test(self._suite, "error", attributes.get("message", "")))
            return
        if outcome == "skipped" and attributes.get("type") == "pytest.xfail":
            outcome = "xfailed"
        if self._outcome != "error":
            self._outcome = outcome
        self._reason = attributes.get("message", "") or self._reason

    def says(self, text: str) -> None:
        if self._open is not None and self._outcome in ("failed", "error") and not self._reason:
            self._reason = text.strip()

    def closes(self, name: str) -> None:
        self._depth -= 1
        if name.rpartition(":")[2] != "testcase" or self._open is None:
            return
        group = self._open.get("classname", "") or self._open.get("file", "") or self._suite
        id_ = "::".join(part for part in (group, self._open.get("name", "")) if part)
        seconds = _seconds(self._open.get("time", ""))
        self.tests.append(a_test(id_, self._outcome, self._reason, seconds))
        self._open = None

    def unexplained(self) -> list[Test]:
        """A failure that was counted and belongs to no test is still a failure."""
        if self._told and not any(test.outcome in ("failed", "error") for test in self.tests):
            return [a_test(self._suite, "error", "the report counts failures and names none")]
        return []


def _number(attributes: dict[str, str], name: str) -> int:
    value = attributes.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0  # noqa: PLR2004


def _seconds(value: str) -> float:
    try:
        return float(value.replace(",", ""))
    except ValueError:
        return 0.0
