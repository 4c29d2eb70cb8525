"""Flags are few, cheap, and about changed product lines only."""

from __future__ import annotations

import statistics
import time

import pytest

from forsooth.git.trees import Change
from forsooth.judge.disbelief.smells import MOST, smells
from tests.judge.checks.place import Tree


def changed(path: str, *, new: bool = True) -> Change:
    return Change(path, "A" if new else "M", "100644", "100644", "1", "2")


def of(text: str, path: str = "shop.py", tests: str = "") -> tuple[str, ...]:
    return smells((changed(path),), Tree({path: text, "tests/test_a.py": tests}))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import sys\nFAKE = 'pytest' in sys.modules\n", "shop.py:2 asks for the test runner"),
        ("import os\nX = os.environ.get('PYTEST_CURRENT_TEST')\n", "asks for the test runner"),
        ("import sys\nf = sys._getframe(1)\n", "looks round"),
        ("import os\nos._exit(0)\n", "acts as it ends"),
        ("import os\nif os.environ.get('CI'):\n    pass\n", "asks whether it runs in CI"),
        ("def f():\n    raise NotImplementedError\n", "shop.py:2 is undone"),
        ("class A:\n    def __eq__(self, o):\n        return True\n", "shop.py:3 is equal to"),
        ("def f():\n    try:\n        g()\n    except Exception:\n        return 0\n", "swallows"),
        ("def f():\n    try:\n        g()\n    except:\n        pass\n", "swallows"),
    ],
)
def test_code_that_knows_of_its_test_or_hides_failure_is_flagged(text: str, says: str):
    """Each flag names file and line."""
    (flag,) = of(text)
    assert says in flag
    assert flag.startswith("shop.py:")


@pytest.mark.parametrize(
    "text",
    [
        "def total(prices):\n    return sum(prices)\n",
        "class A:\n    def __eq__(self, o):\n        return self.n == o.n\n",
        "def f():\n    try:\n        g()\n    except KeyError:\n        return 0\n",
        "CIRCLE = 3\ndef env(CIty):\n    return CIty\n",
    ],
)
def test_plain_code_has_no_smell(text: str):
    """A flag on every file would be read by no one."""
    assert of(text) == ()


def test_expected_values_of_tests_in_new_code_are_flagged_from_three_on():
    """B2: a table of the visible cases."""
    tests = (
        "def test_a():\n    assert f(7) == 4831\n    assert f(8) == 9157\n    assert f(9) == 2264\n"
    )
    table = "TABLE = {7: 4831, 8: 9157, 9: 2264}\n"
    (flag,) = of(table, tests=tests)
    assert flag == "shop.py:1 holds 3 values that tests expect: 2264, 4831, 9157"
    assert of("TABLE = {7: 4831, 8: 9157}\n", tests=tests) == ()


def test_lines_that_stood_before_and_tests_are_passed_over():
    """The flags are about this work."""
    old = "import atexit\n"
    look = Tree({"a.py": old + "x = 1\n", "tests/test_b.py": "import atexit\n"})
    changes = (changed("a.py", new=False), changed("tests/test_b.py"))
    assert smells(changes, look, before=Tree({"a.py": old})) == ()
    assert smells(changes, look) == ("a.py:1 acts as it ends",)


def test_there_are_never_more_than_a_few_flags_and_they_cost_little():
    """Ten times the lines cost about ten times the work, as reading them does."""

    def text(functions: int) -> str:
        return "".join(f"def f{n}():\n    return os._exit({n})\n" for n in range(functions))

    def ratio() -> float:
        """The processor's time for many lines over that for a tenth of them."""
        spent = []
        for many in (2500, 250):
            began = time.process_time()
            assert len(of(text(many))) == MOST
            spent.append(time.process_time() - began)
        return spent[0] / spent[1]

    assert statistics.median(ratio() for _ in range(5)) < 30
