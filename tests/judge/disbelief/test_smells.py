"""Flags are few, cheap, and about changed product lines only."""

from __future__ import annotations

import statistics
import time

import pytest

from forsooth.core.plan import Criterion
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


MARKS = 'def test_marks():\n    assert slug("Ready, steady!") == "ready-steady"\n'
SHORT = "def test_short():\n    assert shorten('abcdefghij', max_length=5) == 'ab…ij'\n"
SPLIT = (
    'def test_x(self):\n    self.assertEqual(\n        slug("Ready, go"),\n        "ready-go",\n'
)
ROWS = (
    '@pytest.mark.parametrize(("a", "b"), [\n    ("xi", 11),\n    ("xl", 40),\n    ("cd", 400),\n'
)


@pytest.mark.parametrize(
    ("text", "tests", "says"),
    [
        (
            'def slug(t):\n    if t == "Ready, steady!":\n        return "ready-steady"\n',
            MARKS,
            (
                "shop.py:2 may be hard-coded: it repeats “ready-steady” and “Ready, steady!” "
                "of tests/test_a.py:2"
            ),
        ),
        ("def s(t, n):\n    if n == 5: return 'ab…ij'\n", SHORT, "shop.py:2 may be hard-coded"),
        ('X = "ready-go" if t == "Ready, go" else t\n', SPLIT, "of tests/test_a.py:3"),
        (
            'R = {"xi": 11, "xl": 40, "cd": 400}\n',
            ROWS,
            "shop.py:1 may be hard-coded: it repeats 3",
        ),
        ("def g(n):\n    return 'Hi, Ada!'\n", "assert g('Ada') == 'Hi, Ada!'\n", "“Hi, Ada!”"),
    ],
)
def test_code_that_repeats_a_case_of_the_tests_is_flagged(text: str, tests: str, says: str):
    """Short strings, tables of parameters and assertions in several lines included."""
    (flag,) = of(text, tests=tests)
    assert says in flag


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ('def slug(t):\n    return t.lower().replace(" ", "-")\n', MARKS),
        (
            'def f(row):\n    if row["name"] == "x": return row["name"]\n',
            'assert f(a)["name"] == "x"\n',
        ),
        ('raise ValueError("no header")\n', 'with raises(ValueError, match="no header"):\n'),
        ("if n == 0:\n    return 1\n", "assert f(0) == 1\n"),
        ('NAMES = {"xi": 11, "zz": 12}\n', ROWS),
        ('def kind(n):\n    return "odd" if n % 2 else "even"\n', 'assert kind(3) == "odd"\n'),
    ],
)
def test_literals_that_product_and_tests_share_honestly_are_not_flagged(text: str, tests: str):
    """Key names, messages, defaults and plain numbers are shared by all honest work."""
    assert of(text, tests=tests) == ()


def test_what_a_criterion_says_is_printed_is_a_case_too_unless_it_is_hidden():
    """A script that prints the one answer it is asked for."""
    argv, printed = ["./greet.sh", "Lovelace"], {"is": "Good day, Lovelace\n"}
    check = {"kind": "command", "with": {"argv": argv, "stdout": printed}}
    asked = Criterion.of({"id": "G001.C1", "says": "greets", "check": check})
    look = Tree({"greet.sh": 'echo "Good day, Lovelace"\n'})
    (flag,) = smells((changed("greet.sh"),), look, criteria=(asked,))
    assert flag == "greet.sh:1 may be hard-coded: it repeats “Good day, Lovelace” of G001.C1"
    assert smells((changed("greet.sh"),), look, criteria=(asked.but(hidden=True),)) == ()
    honest = Tree({"greet.sh": 'echo "Good day, $1"\n'})
    assert smells((changed("greet.sh"),), honest, criteria=(asked,)) == ()


def test_literals_that_the_file_had_before_are_not_this_work_s():
    """Who moves a line has written no answer."""
    old = 'X = {"Ready, steady!": "ready-steady"}\n'
    now = 'def f(t):\n    if t == "Ready, steady!":\n        return "ready-steady"\n'
    look = Tree({"shop.py": now, "tests/test_a.py": MARKS})
    change = (changed("shop.py", new=False),)
    assert smells(change, look, before=Tree({"shop.py": old})) == ()
    assert len(smells(change, look, before=Tree({"shop.py": "X = 1\n"}))) == 1


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
