"""What other goals were proven with stands in the place of what was sealed, and is frozen."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.core.ids import SUITE
from forsooth.core.plan import Criterion, Fence
from forsooth.core.verdict import Finding
from forsooth.git.snapshot import snapshot
from forsooth.judge.court import Asked, asked_of
from forsooth.judge.neighbour import Neighbour, compared
from tests.judge.court import Court

CALC = "def add(a, b):\n    return a + b{}\n"
HEAD = "import unittest\n\nfrom calc import add\n\n\nclass Adds(unittest.TestCase):\n"
ONE = "    def test_{}(self):\n        self.assertEqual(add(2, 3), {})\n"
TEST = HEAD + ONE.format("add", 5)
OLD = TEST.replace("Adds", "Old")
NEW = HEAD.replace("Adds", "New") + ONE.format("new", 6) + ONE.format("more", 6)
FILES = {
    "calc.py": CALC.format(""),
    "greet.sh": "echo hi\n",
    "tests/__init__.py": "",
    "tests/test_calc.py": TEST,
    "tests/test_old.py": OLD,
}
BRIEF = """\
Suite: `python3 -m unittest discover -q`

@goal: Add one more
May change: tests/test_calc.py
May remove: tests/test_old.py
- [ ] one more: `python3 -c "import calc; assert calc.add(1, 1) == 3"`

@goal: Greet
- [ ] greets: `sh greet.sh` exits 0, stdout has "day"
"""
PROVEN = {
    "calc.py": CALC.format(" + 1"),
    "tests/test_calc.py": HEAD + ONE.format("plus", 6) + ONE.format("again", 6),
    "tests/test_old.py": None,
    "tests/test_new.py": NEW,
}
DAY = {"greet.sh": "echo good day\n"}
SEALED = {path: FILES.get(path) for path in PROVEN}
BROKEN = {"calc.py": CALC.format(" + 2")}
EDITED = HEAD + ONE.format("plus", 7) + ONE.format("again", 7)


@pytest.fixture
def court(tmp_path: Path) -> Court:
    return Court(tmp_path, FILES, BRIEF).sealed()


def put(court: Court, files: dict[str, str | None]) -> str:
    """Write files, or take them away, and name the tree that this makes."""
    for path, text in files.items():
        if text is None:
            (court.folder / "work" / path).unlink(missing_ok=True)
        else:
            court.work.write(path, text)
    return snapshot(court.work.repo).tree


def suite(court: Court, other: Neighbour) -> Finding:
    """What the suite comes to for the second goal, with the first beside it."""
    at, goal = snapshot(court.work.repo), court.plan.goals[1]
    assert court.plan.suite
    kept = Criterion(id=SUITE, says="suite", check=court.plan.suite, guard=True)
    asked = (*asked_of([goal], [other]), Asked(kept, goal, (other,)))
    case = court.case(at.tree, at.commit)._replace(
        asked=asked, base=court.base, ground=court.ground, fresh=True
    )
    verdict = court.judge().judge(case).verdict
    return next(one for one in verdict.findings if one.criterion == SUITE)


LEFT = {
    "as the proven goal left it": ({}, "pass"),
    "without one of its tests": (
        {"tests/test_calc.py": HEAD + ONE.format("plus", 6)},
        "inventory",
    ),
    "another goal's new test edited": (
        {**BROKEN, "tests/test_calc.py": EDITED, "tests/test_new.py": NEW.replace("6)", "7)")},
        "oracle-changed",
    ),
    "another goal's new test gone": ({"tests/test_new.py": None}, "inventory"),
    "more tests in another goal's file": (
        {"tests/test_new.py": NEW + ONE.format("third", 6)},
        "pass",
    ),
    "of another work tree, not merged here": (SEALED, "pass"),
}


@pytest.mark.parametrize("how", LEFT)
def test_the_suite_is_judged_with_what_another_goal_was_proven_with(court: Court, how: str):
    """Its permission counts as far as it was proven, and is no licence for anyone else."""
    files, code = LEFT[how]
    tree = put(court, PROVEN)
    put(court, {**files, **DAY})
    other = Neighbour(court.plan.goals[0], tree=tree, is_local=not how.startswith("of another"))
    assert suite(court, other).code == code


@pytest.mark.parametrize(("is_open", "code"), [(True, "pass"), (False, "oracle-changed")])
def test_a_permission_counts_while_its_goal_is_open(court: Court, is_open: bool, code: str):
    """Whether or not it was begun: for what was green before, and named for a person to see."""
    changed = HEAD + ONE.format("add", 6)
    put(court, {**PROVEN, **DAY, "tests/test_calc.py": changed, "tests/test_new.py": None})
    found = suite(court, Neighbour(court.plan.goals[0], is_open=is_open))
    assert found.code == code
    named = [flag for flag in found.flags if flag.endswith("G001, which is not proven yet")]
    assert bool(named) is is_open


def test_product_that_a_proven_goal_names_is_judged_as_it_is_now(court: Court):
    """Put back as that goal left it, it would hide that sealed tests fail with it."""
    first = court.plan.goals[0].but(
        fence=Fence(touch=("calc.py",)), may_change=("calc.py",), may_remove=()
    )
    more = "\n\ndef more():\n    return 1\n"
    tree = put(court, {"calc.py": CALC.format("") + more})
    edited = {path: FILES[path].replace("5)", "7)") for path in FILES if "test_" in path}
    put(court, {**DAY, "calc.py": CALC.format(" + 2") + more, **edited})
    assert suite(court, Neighbour(first, tree=tree, is_local=True)).code == "oracle-changed"


def test_work_is_here_by_its_files_its_commit_or_its_work_tree(court: Court):
    """And what two goals' trees share says nothing about the second."""
    first, second = court.plan.goals
    one = put(court, DAY)
    court.work.commit("first")
    two = put(court, BROKEN)
    commit = court.work.commit("second")

    def here(tree: str, at: str | None = None, *, is_local: bool = False) -> list[bool]:
        rows = (
            Neighbour(first, tree=one),
            Neighbour(second, tree=two, commit=commit, is_local=is_local),
        )
        base = court.base.tree
        found = compared(rows, court.work.repo, base=base, tree=tree, commit=at)
        return [row.is_here for row in found]

    assert here(two) == [True, True]
    assert here(one) == [True, False]
    assert here(one, commit) == [True, True]
    again = put(court, {"calc.py": CALC.format(" + 3")})
    assert here(again) == [True, False]
    assert here(again, is_local=True) == [True, True]
    assert (
        compared((Neighbour(first),), court.work.repo, base=None, tree=one)[0].same == frozenset()
    )
