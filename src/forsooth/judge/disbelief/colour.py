"""What a run without the work, or with a spoilt one, says of the tests: green, red or weak.

Only a test that passed before and now fails by itself is red. A suite that could not be loaded,
found or ended has shown nothing of its tests, and is weak.
"""

from __future__ import annotations

import re
from typing import Literal

from forsooth.judge.checks.trial import Trial
from forsooth.judge.reports.ids import base_of
from forsooth.judge.reports.report import Report

Colour = Literal["green", "red", "weak", "broken"]

_UNLOADED = re.compile(
    r"ModuleNotFoundError|ImportError|cannot import name|SyntaxError|IndentationError"
    r"|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|does not provide an export"
    r"|command not found|: not found|syntax error|\[build failed\]"
)
_ABSENT = re.compile(
    _UNLOADED.pattern + r"|NameError: |ReferenceError: |unexpected keyword argument"
    r"|has no attribute|does not have the attribute"
    r"|is not (?:a function|a constructor|defined)|No such file|can't open|Cannot open"
    r"|undefined: |does the module exist"
)
_LATE = ("timeout", "memory", "output", "signal", "report-truncated")
_EMPTY = ("no-tests", "no-report", "collection", "errors")
_PASSED = ("passed", "xpassed")


def colour(trial: Trial, before: Report | None, *, bare: bool = False) -> Colour:
    """How a run stands beside the delivered one; without a report its exit status is all.

    `bare` when the work is not there at all: then a name that is missing shows nothing either.
    """
    weak = _ABSENT if bare else _UNLOADED
    if before is None or not before.tests:
        return _by_exit(trial, weak)
    if trial.told is None or not (trial.told.complete or trial.ran.ended == "timeout"):
        return _untold(trial)
    held = {test.id for test in before.tests if test.outcome in _PASSED}
    bases = {base_of(id_) for id_ in held}
    own = [test for test in trial.told.tests if test.id in held or base_of(test.id) in bases]
    fallen = [test for test in own if test.outcome in ("failed", "error", "xfailed")]
    if any(not weak.search(test.reason) for test in fallen):
        return "red"
    still = {test.id for test in own if test.outcome in _PASSED}
    # A suite that fails anyway, by tests that failed before, says by the others what it sees.
    return "green" if (trial.passed or before.red) and held <= still else _untold(trial)


def _untold(trial: Trial) -> Colour:
    """A run that did not get as far as the tests: broken when that is no one's doing."""
    end = trial.end
    return "broken" if end and not end.fail and end.code not in _EMPTY else "weak"


def _by_exit(trial: Trial, weak: re.Pattern[str]) -> Colour:
    end = trial.end
    if end is None:
        return "green"
    if not end.fail:
        return "broken"
    said = (trial.ran.stderr[-2000:] + trial.ran.stdout[-2000:]).decode("utf-8", "replace")
    return "weak" if end.code in _LATE or weak.search(said) else "red"
