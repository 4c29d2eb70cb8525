"""Looks that are told again: only for exactly the same, and never an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core.verdict import Finding, Verdict
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.seen import Seen
from forsooth.project.memo import MOST, Memo

ABOUT: dict[str, object] = {"tree": "a"}


def seen(outcome: str = "pass", *tools: str) -> Seen:
    finding = Finding(criterion="G001.C1", outcome=outcome, code="x", took=5)
    verdict = Verdict(subject="plan", tree="a" * 40, plan_digest="b" * 64, findings=(finding,))
    return Seen(verdict, Recipe(kind="python"), "prepared", ("n",), tools)


def test_a_look_is_told_again_for_the_same_and_nothing_else(tmp_path: Path):
    """Every finding says that it was not made anew."""
    memo = Memo(tmp_path / "looks")
    assert memo.find(ABOUT) is None
    memo.keep(ABOUT, seen())
    again = memo.find(ABOUT)
    assert again is not None
    assert [finding.cached for finding in again.verdict.findings] == [True]
    assert (again.how, again.notes) == ("prepared", ("n",))
    assert memo.find({"tree": "b"}) is None


def test_another_program_in_the_same_place_is_looked_at_anew(tmp_path: Path):
    """What ran the tests is part of what was seen."""
    tool, memo = tmp_path / "python", Memo(tmp_path / "looks")
    tool.write_text("one")
    memo.keep(ABOUT, seen("fail", str(tool)))
    assert memo.find(ABOUT) is not None
    tool.write_text("another")
    assert memo.find(ABOUT) is None


@pytest.mark.parametrize("spoil", [b"", b"{}", b"[]", b'{"tools": {}, "verdict": "x"}'])
def test_what_cannot_be_read_is_not_there(tmp_path: Path, spoil: bytes):
    """A file cut short or written by someone else says nothing."""
    memo = Memo(tmp_path / "looks")
    memo.keep(ABOUT, seen())
    (path,) = (tmp_path / "looks").iterdir()
    path.write_bytes(spoil)
    assert memo.find(ABOUT) is None


def test_an_error_is_never_kept_and_the_oldest_looks_go(tmp_path: Path):
    """An error may pass by itself; a folder that only grows is nobody's friend."""
    memo = Memo(tmp_path / "looks")
    memo.keep(ABOUT, seen("error"))
    assert memo.find(ABOUT) is None
    for number in range(MOST + 5):
        memo.keep({"tree": str(number)}, seen())
    assert len(list((tmp_path / "looks").iterdir())) == MOST
