"""How a branch is told at a terminal: what is alike once, and one command for what it shows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from forsooth.cli.ranges import _remarks
from forsooth.judge.branch.remarks import Remark
from forsooth.judge.range import Compared

SPAN: Any = SimpleNamespace(
    base=SimpleNamespace(commit="a" * 40), commit="b" * 40, is_worktree=False, text="main..HEAD"
)


def lines(*rows: Remark) -> list[str]:
    return [text.strip() for text, _ in _remarks(Compared("", rows), SPAN)]


def test_cases_of_one_test_of_which_the_same_is_said_are_one_line():
    """A table of twenty cases is one test; what is said of a single case is a line of its own."""
    rows = [Remark("wrong", "skipped", f"t.py::test_a[{n}]", "slow", "t.py") for n in range(20)]
    rows.append(Remark("wrong", "skipped", "t.py::test_a[x]", "slow; it fails", "t.py"))
    assert lines(*rows) == [
        "✘ skipped   t.py::test_a (20 cases): slow",
        "✘ skipped   t.py::test_a[x]: slow; it fails",
        "git diff aaaaaaaaaaaa bbbbbbbbbbbb -- t.py",
    ]


def test_what_is_left_out_is_counted_by_cases():
    """Twelve lines are read; the rest is in the data."""
    rows = [Remark("wrong", "red", f"t.py::test_{n}[{m}]", f"{n}") for n in range(13) for m in "ab"]
    assert lines(*rows)[-1] == "… and 2 more: forsooth check main..HEAD --json"
