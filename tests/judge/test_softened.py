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
        "def test_a():\n    assert human(90)\n",
        "def test_a():\n    assert human(90)\n    assert each(0, 1) == ['0s', '1s']\n",
    ],
)
def test_another_expectation_is_no_flaw(now: str):
    """Nor is one fewer, which other wards count, or one more, or one made up for by another."""
    assert found(now) == []


def test_a_question_that_stood_before_stands_for_no_comparison():
    """A comparison with less that is still one is not softened, whatever stands beside it."""
    was = "def test_a():\n    assert human(1)\n    assert each(0, 1) == ['0s', '1s']\n"
    now = "def test_a():\n    assert human(1)\n    assert human(0) == '0s'\n"
    assert found(now, was=was) == []


def test_a_comparison_that_became_a_question_of_being_there_is_one():
    """The reason shows both."""
    [flaw] = found(WAS.replace("human(90) == '1m30s'", "human(90)"))
    assert flaw.code == "softened"
    assert "`assert human(90) == '1m30s'` became `assert human(90)`" in flaw.says
    assert found(WAS.replace("human(0) == '0s'", "human(0) is not None"))
    assert found(WAS.replace("human(90) == '1m30s'", "human(90)"), status="A") == []


@pytest.mark.parametrize("path", ["scripts/verify.mjs", "src/lib.rs", "a.go", "run.sh"])
def test_a_file_without_tests_asks_nothing(path: str):
    """Whatever became of it."""
    change = Change(path, "M", "100644", "100644", "a" * 40, "b" * 40)
    now = Tree({path: "const b = 2;\n"}, changes=[change])
    assert [*softened([path], Tree({path: "const a = 1;\n"}), now)] == []
