"""A branch's two ends compared by real runs: each made only where its answer could matter."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from forsooth.core.plan import Base
from forsooth.git.snapshot import snapshot
from forsooth.judge.copies import Copies
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.toolchain import Search
from forsooth.judge.range import Compared, Comparison, Step, warm
from forsooth.judge.rooms import Furnishing, History, Rooms
from forsooth.judge.sandbox.runner import answer
from forsooth.judge.sandbox.tiers import available
from tests.git.repos import Repo

SETTINGS: dict[str, Any] = {"prepare": ["true"], "test": ["python3 -m unittest discover"]}
PRODUCT = "def low(n):\n    return min(n)\n\n\ndef high(n):\n    return max(n)\n"
HEAD = "import unittest\nimport stats\n\n\nclass TestStats(unittest.TestCase):\n"
LOW = "    def test_low(self):\n        self.assertEqual(stats.low([1, 3]), 1)\n"
HIGH = "    def test_high(self):\n        self.assertEqual(stats.high([1, 3]), 3)\n"
FILE = "tests/test_stats.py"
NEW = HEAD.replace("TestStats", "TestMore")


class Branch:
    """A repository with a suite, and what a branch makes of it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work = folder, Repo(folder / "work")
        self.write("stats.py", PRODUCT, "tests/__init__.py", "", FILE, HEAD + LOW + HIGH)
        self.work.commit("base")
        at = snapshot(self.work.repo)
        self.base = Base(commit=at.commit, tree=at.tree)

    def write(self, *rows: str) -> Branch:
        for name, text in zip(rows[::2], rows[1::2], strict=True):
            self.work.write(name, text)
        return self

    @contextmanager
    def rooms(self, settings: dict[str, Any], *, path: str = "/usr/bin:/bin") -> Generator[Rooms]:
        layers = Layers(self.folder / "layers", search=Search(path, self.folder, answer))
        rooms = Rooms(
            self.work.repo,
            copies=Copies(self.work.repo, self.folder / "copies"),
            layers=layers,
            sandbox=available(),
            history=History(self.base, snapshot(self.work.repo).commit),
            furnishing=Furnishing(settings),
        )
        with layers, rooms:
            yield rooms

    def compared(self, settings: dict[str, Any] = SETTINGS, **named: str) -> Compared:
        told: list[Step] = []
        with self.rooms(settings, **named) as rooms:
            tree = snapshot(self.work.repo).tree
            found = Comparison(rooms, self.base.tree or "", tree, tell=told.append).compared()
        assert len([step for step in told if step.took is None and step.run]) == found.runs
        return found


@pytest.fixture
def branch(tmp_path: Path) -> Branch:
    return Branch(tmp_path)


def codes(found: Compared) -> set[str]:
    return {one.code for one in found.remarks}


def test_words_alone_need_no_run(branch: Branch):
    """There is nothing that a test could tell."""
    found = branch.write("README.md", "Statistics.\n").compared()
    assert (codes(found), found.runs, found.code) == ({"prose"}, 0, "weak-contract")


def test_honest_work_is_left_alone_and_still_no_pass(branch: Branch):
    """Nobody said what was wanted, so nothing is proven."""
    more = PRODUCT + "\n\ndef spread(n):\n    return high(n) - low(n)\n"
    test = NEW + "    def test_spread(self):\n        self.assertEqual(stats.spread([1, 3]), 2)\n"
    found = branch.write("stats.py", more, "tests/test_more.py", test).compared()
    assert (found.outcome, found.before, found.after) == ("clean", 2, 3)
    assert not any(one.rank == "wrong" for one in found.remarks)
    assert found.took > 0


def test_a_test_gone_red_is_run_again_before_anyone_is_accused(branch: Branch):
    """Once might be luck."""
    found = branch.write("stats.py", PRODUCT.replace("max(n)", "min(n)")).compared()
    assert (found.outcome, found.runs) == ("fail", 3)
    assert any("test_high" in one.subject for one in found.remarks if one.rank == "wrong")


def test_a_test_that_was_made_to_fit_is_told(branch: Branch):
    """The old test over the new product says that the product changed its mind."""
    spoilt = HEAD + LOW + HIGH.replace("), 3)", "), 1)")
    found = branch.write("stats.py", PRODUCT.replace("max(n)", "min(n)"), FILE, spoilt).compared()
    assert found.runs >= 4
    assert any(
        one.rank in ("wrong", "look") and "test_high" in one.subject for one in found.remarks
    )


def test_a_new_test_that_notices_nothing_is_told(branch: Branch):
    """It is green over the old product, and over one whose changed parts are emptied."""
    product = PRODUCT.replace("return max(n)", "found = max(n)\n    return found")
    test = NEW + "    def test_more(self):\n        self.assertTrue(stats.high)\n"
    found = branch.write("stats.py", product, "tests/test_more.py", test).compared()
    assert found.runs >= 4
    assert any("test_more" in one.subject for one in found.remarks)


def test_tests_and_settings_that_go_are_told(branch: Branch):
    """Also where the product changed with them."""
    branch.write("setup.cfg", "[tool:pytest]\naddopts = -x\n", "stats.py", PRODUCT + "\n# more\n")
    branch.write(FILE, HEAD + LOW)
    found = branch.compared()
    assert any("test_high" in one.subject for one in found.remarks)
    assert any("setup.cfg" in one.subject for one in found.remarks)


def test_what_cannot_be_run_says_why(branch: Branch):
    """No suite, no environment: neither is a pass or a failure."""
    branch.write("stats.py", PRODUCT + "\n# more\n")
    assert branch.compared({"prepare": ["false"], "test": ["python3 -m unittest"]}).trouble
    (branch.work.folder / FILE).unlink()
    (branch.work.folder / "tests/__init__.py").unlink()
    branch.work.commit("none")
    at = snapshot(branch.work.repo)
    branch.base = Base(commit=at.commit, tree=at.tree)
    found = branch.write("stats.py", PRODUCT).compared({})
    assert found.trouble
    assert found.code == found.trouble.code == "no-suite"


def test_only_what_is_compiled_is_warmed(branch: Branch):
    """An interpreter has nothing to build."""
    with branch.rooms(SETTINGS) as rooms:
        warm(rooms, branch.base.tree or "")
        assert not (branch.folder / "copies").exists()
