"""Starts unittest as `python -m unittest` does and writes what it sees: start, tests, end.

unittest is imported before the project's own folder joins the path: nothing there can pose as it.
"""

from __future__ import annotations

import json
import os
import sys
import time
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List  # noqa: UP035 - the interpreter may be old

_STATE: Dict[str, str] = {}  # noqa: UP006


def put(record: str, **fields: Any) -> None:
    """Append one record."""
    line = json.dumps({"record": record, **fields}) + "\n"
    file = os.open(_STATE["out"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


def _names(suite: Any) -> Iterator[str]:
    if isinstance(suite, unittest.TestSuite):
        for test in suite:
            yield from _names(test)
    else:
        yield suite.id()


class Recording(unittest.TestResult):
    """Mixed into whatever result class the runner made."""

    _since = 0.0

    def startTest(self, test: Any) -> None:  # noqa: N802
        self._since = time.perf_counter()
        super().startTest(test)

    def _tell(self, test: Any, outcome: str, reason: object = "") -> None:
        spent = time.perf_counter() - self._since if self._since else 0
        put("test", id=test.id(), outcome=outcome, reason=str(reason)[:400], seconds=spent)

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        self._tell(test, "passed")
        super().addSuccess(test)

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._tell(test, "failed", err[1])
        super().addFailure(test, err)

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        self._tell(test, "error", err[1])
        super().addError(test, err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        self._tell(test, "skipped", reason)
        super().addSkip(test, reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._tell(test, "xfailed", err[1])
        super().addExpectedFailure(test, err)

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        self._tell(test, "failed", "expected to fail, and did not")
        super().addUnexpectedSuccess(test)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        if err is not None:
            failed = issubclass(err[0], test.failureException)
            self._tell(test, "failed" if failed else "error", err[1])
        super().addSubTest(test, subtest, err)


def patched(runner: Any, *, only_list: bool) -> None:
    """Let a runner class record every run."""
    run, make = runner.run, runner._makeResult  # noqa: SLF001

    def make_recording(self: Any) -> Any:
        made = make(self)
        made.__class__ = type("Recorded", (Recording, made.__class__), {})
        return made

    def run_recorded(self: Any, test: Any) -> Any:
        names: List[str] = list(_names(test))  # noqa: UP006
        put("start", runner="unittest", version=sys.version.split()[0])
        put("inventory", collected=names, selected=names)
        result = run(self, unittest.TestSuite() if only_list else test)
        put("end", exit=0 if result.wasSuccessful() else 1)
        return result

    runner._makeResult = make_recording  # noqa: SLF001
    runner.run = run_recorded


def main() -> None:
    """Do what `python -m unittest` does, recorded in the folder named first."""
    _STATE["out"] = sys.argv.pop(1) + "/unittest.jsonl"
    put("loaded", runner="unittest", version=sys.version.split()[0])
    only_list = Path(__file__).with_name("list").exists()
    patched(unittest.TextTestRunner, only_list=only_list)
    sys.path[0] = str(Path.cwd())
    sys.argv[0] = "python -m unittest"
    unittest.main(module=None)


if __name__ == "__main__":
    main()
