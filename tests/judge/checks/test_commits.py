"""Commits are looked at as git has them: their messages, in order, and their number."""

from __future__ import annotations

from typing import Any

import pytest

from forsooth.git.commit import Commit
from tests.judge.checks.place import Bench, Tree


def judged(messages: list[str], **params: Any) -> tuple[str, ...]:
    commits = [
        Commit(
            f"{n:040d}", "", ("1", "2") if message.startswith("Merge") else ("1",), message, n, n
        )
        for n, message in enumerate(messages)
    ]
    finding = Bench(look=Tree(commits=commits)).finds("commits", **params)
    return finding.outcome, finding.code, finding.reason


LOG = ["feat(a): one\n\nRefs: 7\n", "fix: two\r\n", "docs: three"]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"patterns": ["^feat", "^docs"]}, "pass"),
        ({"patterns": ["^feat", "^fix", "^docs: three$"], "count": 3}, "pass"),
        ({"patterns": ["one$"]}, "pass"),
        ({"patterns": [r"one\n\nRefs: \d"]}, "pass"),
        ({"patterns": ["two$"]}, "pass"),
        ({"count": 3}, "pass"),
        ({"count": 2}, "commit-count"),
        ({"patterns": ["^Refs"]}, "commit-message"),
        ({"patterns": ["^docs", "^feat"]}, "commit-message"),
        ({"patterns": ["^feat", "^feat"]}, "commit-message"),
        ({"patterns": ["[[a]x"]}, "commit-message"),
        ({"every": ["^(feat|fix|docs)"]}, "pass"),
        ({"every": ["^(feat|fix|docs)", "e"], "count": 3}, "commit-message"),
        ({"every": ["^f"]}, "commit-message"),
    ],
)
def test_patterns_need_commits_of_their_own_in_order(params: dict[str, Any], expected: str):
    """Each after the one before; a pattern is found in the subject, or across the message."""
    assert judged(LOG, **params)[:2] == ("pass" if expected == "pass" else "fail", expected)


def test_the_reason_names_what_is_missing():
    """And, when it came too early, that others must come before."""
    assert judged([], patterns=["^a"])[2] == "no commit matches “^a”"
    assert judged(["b\nbody"], patterns=["^a"])[2] == "no commit matches “^a”; the last says “b”"
    said = judged(LOG, patterns=["^docs", "^feat"])[2]
    assert said == "no commit matches “^feat” after the ones before it; the last says “docs: three”"
    assert judged(LOG, count=1)[2] == "3 commits, expected 1"


def test_a_rule_for_every_commit_names_the_one_that_breaks_it_and_leaves_merges_alone():
    """Git words those itself; without any commit nothing kept the rule."""
    assert judged(["fix: a", "wip"], every=["^fix: "])[2] == "“wip” does not match “^fix: ”"
    log = ["fix: a", "Merge branch 'main'"]
    assert judged(log, every=["^fix: "], count=1)[0] == "pass"
    assert judged([], every=["^fix: "])[2] == "no commit matches “^fix: ”"


def test_a_long_pattern_is_cut_where_it_is_named():
    """It is judged whole."""
    long = "^" + "a" * 99
    assert judged([], patterns=[long])[2] == f"no commit matches “{long}”"
    assert judged([], patterns=[long + "b"])[2] == f"no commit matches “{long[:99]}…”"
