"""A base and what was delivered on top of it, as plain folders and as changes."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.core.check import CommandParams, TestsParams
from forsooth.git.trees import NO_MODE, Change
from forsooth.judge.checks.trial import Trial
from forsooth.judge.reports.report import Report
from tests.judge.checks.place import written
from tests.judge.disbelief.room import FolderRoom

MODE = "100644"


def is_test(path: str) -> bool:
    """What these small projects call a test."""
    name = path.rpartition("/")[2]
    return path.startswith("tests/") or "test" in name


class Delivery(NamedTuple):
    """One criterion over two trees."""

    room: FolderRoom
    base: str
    delivered: str
    changes: tuple[Change, ...]
    first: Trial

    @property
    def report(self) -> Report | None:
        return self.first.told


def delivery(
    place: Path, base: Mapping[str, str], work: Mapping[str, str | None], argv: str, runner: str
) -> Delivery:
    """Work that passes its own tests, laid over a base."""
    words = tuple(shlex.split(argv))
    params = TestsParams(argv=words, runner=runner) if runner else CommandParams(argv=words)
    after = {**base, **work}
    kept = {path: text for path, text in after.items() if text is not None}
    before = written(base, place / "base" / "repo")
    delivered = written(kept, place / "delivered" / "repo")
    before.mkdir(parents=True, exist_ok=True)
    room = FolderRoom(delivered, params)
    first = room.tried(str(delivered))
    assert first.passed, (first.end, first.ran.stdout, first.ran.stderr)
    made = tuple(_change(path, base, work) for path in sorted(work))
    return Delivery(room, str(before), str(delivered), made, first)


def _change(path: str, base: Mapping[str, str], work: Mapping[str, str | None]) -> Change:
    if work[path] is None:
        return Change(path, "D", MODE, NO_MODE, "1", "")
    if path not in base:
        return Change(path, "A", NO_MODE, MODE, "", "2")
    return Change(path, "M", MODE, MODE, "1", "2")
