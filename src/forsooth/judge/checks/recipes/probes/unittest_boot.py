"""Starts unittest as `python -m unittest` does and writes what it sees: start, tests, end.

unittest is imported before the project's own folder joins the path: nothing there can pose as it.
"""

from __future__ import annotations

import runpy
import sys
import time
import unittest
from importlib import import_module
from typing import Any, Iterator, List

_TOLD: Any = import_module("forsooth_told")
_ROOTS = ("unittest",)
put = _TOLD.put


def _names(suite: Any) -> Iterator[str]:
    if isinstance(suite, unittest.TestSuite):
        for test in suite:
            yield from _names(test)
    else:
        yield suite.id()


def _short(reason: str) -> str:
    """Of a module that cannot be imported unittest tells a whole trace; its end says why."""
    lines = reason.strip().splitlines()
    traced = any(line.startswith("Traceback (most recent call last)") for line in lines)
    return (f"{lines[0]}: {lines[-1]}" if traced else reason)[:400]


class Recording(unittest.TestResult):
    """Mixed into whatever result class the runner made."""

    _since = 0.0

    def startTest(self, test: Any) -> None:  # noqa: N802
        self._since = time.perf_counter()
        super().startTest(test)

    def _tell(self, test: Any, outcome: str, reason: object = "") -> None:
        spent = time.perf_counter() - self._since if self._since else 0
        put("test", id=test.id(), outcome=outcome, reason=_short(str(reason)), seconds=spent)

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


class Pair(unittest.TestCase):
    """A test that must fail and one that must pass, in the words a suite itself would use."""

    def id(self) -> str:
        return "Pair." + _TOLD.SETTINGS[self._testMethodName]

    def red(self) -> None:
        self.assertEqual([1, 2], [2, 1])

    def green(self) -> None:
        self.assertEqual([1, 2], [1, 2])


def paired(suite: Any) -> Any:
    """A suite with the pair in it, where the nonce has it; in a plain one among its own."""
    tests = list(suite) if type(suite) is unittest.TestSuite else [suite]
    nonce = int(_TOLD.SETTINGS["nonce"], 16)
    at = nonce % (len(tests) + 1)
    names = ("red", "green") if nonce % 2 else ("green", "red")
    return unittest.TestSuite([*tests[:at], *map(Pair, names), *tests[at:]])


def turned(suite: Any) -> Any:
    """A plain suite last to first, but for one test; a class keeps its tests together."""
    if type(suite) is not unittest.TestSuite:
        return suite
    tests = [turned(test) for test in reversed(list(suite))]
    first = _TOLD.SETTINGS["turned"]
    return unittest.TestSuite(sorted(tests, key=lambda test: first not in _names(test)))


def recorded(runner: Any) -> None:
    """Let a runner class record every run."""
    run, make = runner.run, runner._makeResult  # noqa: SLF001

    def make_recording(self: Any) -> Any:
        made = make(self)
        made.__class__ = type("Recorded", (Recording, made.__class__), {})
        return made

    def run_recorded(self: Any, test: Any) -> Any:
        names: List[str] = list(_names(test))
        put("start", runner="unittest", version=sys.version.split()[0])
        put("inventory", collected=names, selected=names)
        if "turned" in _TOLD.SETTINGS:
            test = turned(test)
        if "nonce" in _TOLD.SETTINGS:
            self.failfast, test = False, paired(test)
        result = run(self, test)
        names = _TOLD.patched(before, *_ROOTS)
        put("end", exit=0 if result.wasSuccessful() else 1, patched=names)
        return result

    runner._makeResult = make_recording  # noqa: SLF001
    runner.run = run_recorded
    before = _TOLD.functions(*_ROOTS)


def main() -> None:
    """Do what `python -m unittest` does, or a script that runs unittest, recorded."""
    _TOLD.take()
    inside = _TOLD.foreign([unittest])
    put("loaded", runner="unittest", version=sys.version.split()[0], inside=inside)
    recorded(unittest.TextTestRunner)
    _TOLD.last()
    _TOLD.first()
    script = _TOLD.SETTINGS.get("script")
    sys.argv[0] = script or "python -m unittest"
    if script:
        runpy.run_path(script, run_name="__main__")
    else:
        unittest.main(module=None)


if __name__ == "__main__":
    main()
