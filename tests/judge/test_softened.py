"""A test that may change may expect something else; it may not stop looking."""

from __future__ import annotations

import pytest

from forsooth.git.trees import Change
from forsooth.judge.softened import softened
from tests.judge.checks.place import Tree

WAS = "def test_a():\n    assert human(90) == '1m30s'\n    assert human(0) == '0s'\n"


def found(now: str, *, path: str = "tests/test_a.py", was: str = WAS, status: str = "M") -> list:
    change = Change(path, status, "100644", "100644", "a" * 40, "b" * 40)
    return [
        *softened(["tests/*.py::test_a"], Tree({path: was}), Tree({path: now}, changes=[change]))
    ]


@pytest.mark.parametrize(
    "now",
    [
        WAS,
        WAS.replace("'1m30s'", "'1m 30s'"),
        WAS.replace("    assert human(0) == '0s'\n", ""),
        WAS.replace("test_a", "test_b").replace("== '0s'", ""),
        WAS + "    assert human(1)\n",
        "def test_a():\n    assert [human(90), human(0)] == ['1m30s', '0s']\n",
    ],
)
def test_another_expectation_is_no_flaw(now: str):
    """Nor is one fewer, which other wards count, or one more."""
    assert found(now) == []


def test_a_comparison_that_became_a_question_of_being_there_is_one():
    """The reason shows both."""
    [flaw] = found(WAS.replace("human(90) == '1m30s'", "human(90)"))
    assert flaw.code == "softened"
    assert "`assert human(90) == '1m30s'` became `assert human(90)`" in flaw.says
    assert found(WAS.replace("human(0) == '0s'", "human(0) is not None"))
    assert found(WAS.replace("human(90) == '1m30s'", "human(90)"), status="A") == []
