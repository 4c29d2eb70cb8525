"""The events of `go test -json`, one a line among whatever else was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from forsooth.judge.reports.report import (
    MOST_BYTES,
    Problem,
    Report,
    Test,
    TestOutcome,
    a_test,
    finite,
    parsed,
    row,
    text,
    worst,
)

_ENDS: dict[str, TestOutcome] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_FRAME = re.compile(r"\s*(?:=== |--- |\x16)")


def read(data: bytes) -> Report | Problem:
    """Every test by package and name; a package that failed with none of its tests is an error."""
    if len(data) > MOST_BYTES:
        return Problem("report-unreadable", "the report is too long")
    walk = _Walk()
    for event in _events(data):
        walk.take(event)
    if not walk.seen:
        return Problem("no-report", "no line is an event of go test")
    complete = not walk.seen - walk.ended
    return Report(worst(walk.result()), complete=complete, fickle=tuple(walk.fickle))


class _Walk:
    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.ended: set[str] = set()
        self._running: dict[tuple[str, str], str] = {}
        self._said: dict[str, str] = {}
        self._failed: set[str] = set()
        self._fell: set[str] = set()
        self.fickle: dict[str, None] = {}
        self._tests: list[Test] = []

    def take(self, event: dict[str, Any]) -> None:
        action, package, name = (text(event.get(key)) for key in ("Action", "Package", "Test"))
        if action == "build-output":
            self._say(text(event.get("ImportPath")), text(event.get("Output")))
        if not package:
            return
        self.seen.add(package)
        if name:
            self._test(event, action, (package, name))
        elif action in _ENDS:
            self.ended.add(package)
            if action == "fail":
                self._package(package, text(event.get("FailedBuild")))
        elif action == "output":
            self._say(package, text(event.get("Output")))

    def _test(self, event: dict[str, Any], action: str, key: tuple[str, str]) -> None:
        if action == "run":
            self._running[key] = ""
        elif action == "output" and not _FRAME.match(text(event.get("Output"))):
            said = self._running.get(key, "")
            self._running[key] = said or text(event.get("Output")).strip()
        elif action in _ENDS:
            said = self._running.pop(key, "")
            outcome = _ENDS[action]
            id_ = "::".join(key)
            if outcome == "failed":
                self._failed.add(key[0])
                self._fell.add(id_)
            elif outcome == "passed" and id_ in self._fell:
                self.fickle[id_] = None
            reason = said if outcome != "passed" else ""
            seconds = finite(event.get("Elapsed"))
            self._tests.append(a_test(id_, outcome, reason, seconds))

    def _package(self, package: str, build: str) -> None:
        running = any(key[0] == package for key in self._running)
        if package not in self._failed and not running:
            reason = self._said.get(build) or self._said.get(package, "")
            self._tests.append(a_test(package, "error", reason))

    def _say(self, package: str, line: str) -> None:
        if line.strip() and not line.startswith("#"):
            self._said.setdefault(package, line.strip())

    def result(self) -> Iterator[Test]:
        """What ended, then what was still running when its package ended."""
        yield from self._tests
        for (package, name), said in self._running.items():
            if package in self.ended:
                yield a_test(f"{package}::{name}", "error", said or "it never ended")


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n"):
        event = row(parsed(line)) if line.startswith(b"{") else {}
        if isinstance(event.get("Action"), str):
            yield event
