"""A pytest plug-in that writes what it sees: loaded, start, inventory, each test, end.

It changes nothing of the run. With xdist the first worker lists the tests, the controller the rest.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Generator, List  # noqa: UP035 - the interpreter may be old

import pytest

_STATE: Dict[str, Any] = {}  # noqa: UP006


def _put(record: str, **fields: Any) -> None:
    line = json.dumps({"record": record, **fields}) + "\n"
    file = os.open(_STATE["out"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--forsooth-out", help="the folder the judge reads records from")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    _STATE["out"] = early_config.known_args_namespace.forsooth_out + "/pytest.jsonl"
    _put("loaded", runner="pytest", version=pytest.__version__)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    _STATE["worker"] = getattr(config, "workerinput", {}).get("workerid", "")
    if not _STATE["worker"]:
        _put("start", runner="pytest", version=pytest.__version__)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: List[Any]) -> Generator[None, Any, None]:  # noqa: UP006
    before = [item.nodeid for item in items]
    yield
    if _STATE["worker"] in ("", "gw0"):
        _put("inventory", collected=before, selected=[item.nodeid for item in items])


def pytest_collectreport(report: Any) -> None:
    if not report.passed and not _STATE["worker"]:
        outcome = "error" if report.failed else "skipped"
        _put("test", id=report.nodeid, outcome=outcome, reason=_reason(report))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: Any) -> None:
    outcome = _outcome(report)
    if outcome and not _STATE["worker"]:
        reason = "" if outcome == "passed" else _reason(report)
        spent = report.duration
        _put("test", id=report.nodeid, outcome=outcome, reason=reason, seconds=spent)


def _outcome(report: Any) -> str:
    """What one phase of a test adds; the worst of them counts."""
    if report.failed:
        return "failed" if report.when == "call" else "error"
    expected = hasattr(report, "wasxfail")
    if report.skipped:
        return "xfailed" if expected else "skipped"
    if report.when != "call":
        return ""
    return "xpassed" if expected else "passed"


def _reason(report: Any) -> str:
    told: Any = report.longrepr
    crash = getattr(told, "reprcrash", None)
    if crash is not None:
        return str(crash.message)[:400]
    if type(told).__name__ == "tuple":  # a skip tells file, line and reason
        return str(told[-1])[:400]
    lines = str(getattr(told, "longrepr", told) or "").strip().splitlines()
    return lines[-1].lstrip("E ")[:400] if lines else ""


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session: Any) -> Generator[None, Any, None]:
    yield
    if not _STATE["worker"]:
        _put("end", exit=int(session.exitstatus))
