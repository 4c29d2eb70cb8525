"""`check RANGE` on a repository without a plan: what a branch did to its tests, and no more."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.place import AGENT, Place, new
from tests.requirements import requirement

SETTINGS = '[environment]\nprepare = ["true"]\ntest = ["python3 -m unittest discover"]\n'
PRODUCT = """\
def total(numbers):
    return sum(numbers)


def mean(numbers):
    return sum(numbers) / len(numbers)


def low(numbers):
    return min(numbers)


def high(numbers):
    return max(numbers)


def spread(numbers):
    return high(numbers) - low(numbers)
"""
TESTS = """\
import unittest

import stats


class TestStats(unittest.TestCase):
    def test_total(self):
        self.assertEqual(stats.total([1, 2]), 3)
        self.assertEqual(stats.total([]), 0)

    def test_mean(self):
        self.assertEqual(stats.mean([1, 3]), 2)

    def test_low(self):
        self.assertEqual(stats.low([1, 3]), 1)

    def test_high(self):
        self.assertEqual(stats.high([1, 3]), 3)

    def test_spread(self):
        self.assertEqual(stats.spread([1, 3]), 2)
"""
FILE = "tests/test_stats.py"
LOW = """\
    def test_low(self):
        self.assertEqual(stats.low([1, 3]), 1)

"""
NEW = """\
import unittest

import stats


class TestMore(unittest.TestCase):
    def test_more(self):
        {line}
"""


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranged") / "place"
    made = new(folder)
    for name, text in (
        ("forsooth.toml", SETTINGS),
        ("stats.py", PRODUCT),
        ("tests/__init__.py", ""),
        ("tests/test_stats.py", TESTS),
    ):
        made.commit(name, text)
    return folder


@pytest.fixture
def branch(begun: Path, tmp_path: Path) -> Place:
    """A repository with two tests, no plan, and a branch that did nothing yet."""
    shutil.copytree(begun, tmp_path / "place", symlinks=True)
    place = Place(tmp_path / "place/repo", tmp_path / "place/home")
    place.git("checkout", "-q", "-b", "work")
    place.run("trust", "--yes")
    return place


def swap(place: Place, name: str, *pairs: tuple[str, str]) -> None:
    """Replace text in a file and commit it."""
    text = (place.folder / name).read_text()
    for old, now in pairs:
        assert old in text
        text = text.replace(old, now)
    place.commit(name, text)


def remarks(found: Any, rank: str) -> set[str]:
    return {f"{row['code']} {row['subject'].rpartition('.')[2]}" for row in rows(found, rank)}


def rows(found: Any, rank: str) -> list[Any]:
    return [r for one in found["projects"] for r in one["remarks"] if r["rank"] == rank]


@requirement("D14")
def test_what_a_branch_took_from_its_tests_is_named(branch: Place):
    """Each way of making a suite green by asking less is told as what it is, and exits 1."""
    swap(
        branch,
        FILE,
        ("assertEqual(stats.total([1, 2]), 3)", "assertTrue(stats.total([1, 2]))"),
        ("    def test_mean", '    @unittest.skip("later")\n    def test_mean'),
        (LOW, ""),
        ("def test_high", "def check_high"),
    )
    swap(branch, "stats.py", ("high(numbers) - low(numbers)", "high(numbers)"))
    branch.commit("tests/test_more.py", NEW.format(line="self.assertEqual(1 + 1, 2)"))
    found = branch.ask("check", "main..HEAD", code=1)
    assert found["outcome"] == "fail"
    assert remarks(found, "wrong") == {
        "weakened test_total",
        "skipped test_mean",
        "deleted test_low",
        "deleted test_high",
        "red test_spread",
        "vacuous test_more",
    }
    told = branch.run("check", "main..HEAD", code=1).out
    assert f"git diff {branch.git('rev-parse', 'main')[:12]}" in told
    assert "fail: 6 wrong" in told


@requirement("D14")
def test_tests_that_gave_in_to_broken_code_are_named(branch: Place):
    """As they were they fail on the new code; as they are they pass on both."""
    swap(branch, "stats.py", ("return min(numbers)", "return min(numbers) - 1"))
    swap(
        branch,
        FILE,
        ("assertEqual(stats.low([1, 3]), 1)", "assertIn(stats.low([1, 3]), (0, 1))"),
        ("    def test_spread", "    @unittest.expectedFailure\n    def test_spread"),
    )
    branch.commit("tests/test_more.py", NEW.format(line="self.assertTrue(stats.total)"))
    found = branch.ask("check", "main..HEAD", code=1)
    assert remarks(found, "wrong") == {
        "weakened test_low",
        "skipped test_spread",
        "vacuous test_more",
    }


@requirement("D14")
def test_a_suite_that_cannot_be_loaded_any_more_is_red(branch: Place):
    """The tests that are gone with it are not called deleted."""
    swap(branch, "stats.py", ("def total", "def total("))
    found = branch.ask("check", "main..HEAD", code=1)
    assert {row["code"] for row in rows(found, "wrong")} == {"red"}


@requirement("D14", "R090")
def test_honest_work_is_not_called_wrong_and_proves_nothing(branch: Place):
    """Without a plan nobody said what was wanted: the best there is is a weak contract."""
    split = "        self.assertEqual(stats.total([]), 0)\n"
    wide = "# one\n        self.assertEqual(\n            stats.low([1, 3]), 1\n        )"
    swap(
        branch,
        FILE,
        (split, f"\n    def test_nothing(self):\n{split}"),
        ("def test_mean", "def test_the_mean"),
        ("self.assertEqual(stats.low([1, 3]), 1)", wide),
    )
    branch.git("mv", FILE, "tests/test_numbers.py")
    grown = ("def mean", "def double(n):\n    return n * 2\n\n\ndef mean")
    swap(branch, "stats.py", grown, ("return max(numbers)", "return sorted(numbers)[-1]"))
    branch.commit("tests/test_more.py", NEW.format(line="self.assertEqual(stats.double(2), 4)"))
    found = branch.ask("check", "main..HEAD")
    assert (found["outcome"], found["code"]) == ("clean", "weak-contract")
    assert rows(found, "wrong") == rows(found, "look") == []
    assert {"moved test_the_mean", "moved test_low", "new test_more"} <= remarks(found, "note")
    says = branch.run("check", "main..HEAD").out
    assert "clean: nothing wrong was found; no criteria were stated, so this is not a proof" in says
    assert "inconclusive" not in says


@requirement("D14")
def test_what_went_or_changed_with_its_subject_is_for_a_person_to_look_at(branch: Place):
    """Only a person can tell a changed mind from giving in, and a removal from a loss."""
    gone = "def total(numbers):\n    return sum(numbers)\n\n\n"
    swap(branch, "stats.py", (gone, ""), ("/ len(numbers)", "/ len(numbers) * 10"))
    lost = TESTS[TESTS.index("    def test_total") : TESTS.index("    def test_mean")]
    swap(branch, FILE, (lost, ""), ("stats.mean([1, 3]), 2)", "stats.mean([1, 3]), 20)"))
    found = branch.ask("check", "main..HEAD")
    assert rows(found, "wrong") == []
    assert remarks(found, "look") == {"removed test_total", "expects test_mean"}


@requirement("D14")
def test_what_is_around_the_tests_is_for_a_person_to_look_at(branch: Place):
    """Settings of the runner and the build server's orders are named, and decide nothing."""
    branch.commit("setup.cfg", "[tool:pytest]\naddopts = -x\n")
    branch.commit(".github/workflows/test.yml", "on: [push]\n")
    found = branch.ask("check", "main..HEAD")
    assert {(row["code"], row["subject"]) for row in rows(found, "look")} == {
        ("runner", "setup.cfg"),
        ("ci", ".github/workflows/test.yml"),
    }


@requirement("D14")
def test_words_alone_need_no_run(branch: Place):
    """A branch of prose is told so, at once."""
    branch.commit("README.md", "Better words.\n")
    found = branch.ask("check", "main..HEAD")
    assert [one["runs"] for one in found["projects"]] == [0]
    assert "only words changed" in branch.run("check", "main..HEAD").out


@requirement("D14")
def test_what_lies_in_the_work_tree_is_compared_without_an_argument(branch: Place):
    """From where the branch parted to the files as they lie, what is not added among them."""
    branch.write("tests/test_more.py", NEW.format(line="self.assertTrue(True)"))
    told = branch.run("check", code=1)
    assert "vacuous" in told.out
    assert "git diff" in told.out
    assert "fail: 1 wrong" in told.out


@requirement("D14")
def test_a_request_begins_where_it_parted_and_a_missing_one_names_its_fetch(branch: Place):
    """What others did to the main branch meanwhile is nobody's doing here."""
    missing = branch.ask("check", "--pr", "7", code=5)["error"]
    assert missing["hint"] == "git fetch origin pull/7/head:refs/pull/7/head"
    swap(branch, FILE, (LOW, ""))
    branch.git("update-ref", "refs/pull/7/head", "HEAD")
    branch.git("checkout", "-q", "main")
    swap(branch, FILE, ("def test_mean", "def check_mean"))
    assert remarks(branch.ask("check", "--pr", "7", code=1), "wrong") == {"deleted test_low"}
    same = branch.ask("check", "--branch", "work", code=1)
    assert same["base"] == branch.ask("check", "main...work", code=1)["base"]


@requirement("D13", "D14")
def test_nothing_runs_before_somebody_trusts_it(branch: Place):
    """What reading shows is reported all the same, with the commands and how to allow them."""
    branch.run("trust", "--revoke")
    branch.commit("tests/test_more.py", NEW.format(line="self.assertEqual(stats.low([2]), 2)"))
    swap(branch, FILE, ("    def test_mean", '    @unittest.skip("later")\n    def test_mean'))
    found = branch.ask("check", "main..HEAD", code=5, env=AGENT)
    assert (found["outcome"], found["code"]) == ("inconclusive", "untrusted")
    (one,) = found["projects"]
    assert "unittest discover" in one["trouble"]
    assert one["hint"].startswith("forsooth trust ")
    assert one["runs"] == 0
    assert {row["code"] for row in one["remarks"]} == {"skipped"}
    refused = branch.typed("check", "main..HEAD", answer="n")
    assert refused.code == 5
    assert "skipped" in refused.out
    swap(branch, FILE, ('    @unittest.skip("later")\n', ""))
    said = branch.typed("check", "main..HEAD", answer="y")
    assert said.code == 0
    assert branch.run("check", "main..HEAD").code == 0


@requirement("D14")
def test_sub_projects_are_judged_by_their_own_suites(branch: Place):
    """Only those that were touched, each with its own tests."""
    named = SETTINGS + 'projects = ["a", "b"]\n'
    branch.git("checkout", "-q", "main")
    branch.commit("forsooth.toml", named)
    for name in ("a", "b"):
        branch.commit(f"{name}/stats.py", PRODUCT)
        branch.commit(f"{name}/tests/__init__.py", "")
        branch.commit(f"{name}/tests/test_stats.py", TESTS)
    branch.git("checkout", "-q", "-b", "other")
    branch.run("trust", "--yes")
    swap(branch, "b/stats.py", ("/ len(numbers)", "/ 2.5"))
    found = branch.ask("check", "main..HEAD", code=1)
    assert [one["path"] for one in found["projects"]] == ["b"]
    assert remarks(found, "wrong") == {"red test_mean"}


@requirement("D14")
def test_a_repository_without_a_suite_could_not_be_run(place: Place):
    """That is said, with how to name one, and is no failure of the branch."""
    place.git("checkout", "-q", "-b", "work")
    place.commit("thing.py", "x = 1\n")
    found = place.ask("check", "main..HEAD", code=5)
    assert found["code"] == "no-suite"
    says = place.run("check", "main..HEAD", code=5).out
    (line,) = re.findall(r'forsooth.toml .*?: (environment\.test = ".*")', says)
    place.git("checkout", "-q", "main")
    place.commit("Makefile", "test:\n\ttrue\n")
    place.commit("forsooth.toml", f"{line}\n")
    place.git("checkout", "-q", "-b", "again")
    place.commit("thing.py", "x = 2\n")
    place.run("trust", "main..HEAD", "--yes")
    assert place.ask("check", "main..HEAD")["outcome"] == "clean"


@requirement("D14")
def test_an_unchanged_range_is_answered_from_what_was_found(branch: Place):
    """No run is made again until it is asked for; another tree is another question."""
    swap(branch, "stats.py", ("return max(numbers)", "return sorted(numbers)[-1]"))
    first = branch.ask("check", "main..HEAD")
    again = branch.ask("check", "main..HEAD")
    assert (first.pop("cached"), again.pop("cached")) == (False, True)
    assert again == first
    told = branch.run("check", "main..HEAD")
    assert "found before" in told.out
    assert "run 1" not in told.err
    fresh = branch.run("check", "main..HEAD", "--fresh")
    assert "run 1 of at most 7, the suite on the base" in fresh.err
    assert "5 tests" in fresh.err
    assert "\x1b" not in fresh.err
    swap(branch, "stats.py", ("return min(numbers)", "return sorted(numbers)[0]"))
    assert not branch.ask("check", "main..HEAD")["cached"]


@requirement("D14")
def test_what_could_not_be_run_is_read_and_asked_again(branch: Place):
    """A suite that is not there any more hides nothing, and its answer is not kept."""
    branch.git("checkout", "-q", "main")
    branch.commit("forsooth.toml", SETTINGS.replace('["true"]', '["false"]'))
    branch.git("checkout", "-q", "-b", "broken")
    branch.run("trust", "main..HEAD", "--yes")
    swap(branch, FILE, ("    def test_mean", '    @unittest.skip("later")\n    def test_mean'))
    for _ in range(2):
        found = branch.ask("check", "main..HEAD", code=5)
        assert (found["outcome"], found["cached"]) == ("inconclusive", False)
        assert [row["code"] for row in rows(found, "look")] == ["skipped"]


@requirement("D14")
def test_a_terminal_shows_how_long_a_run_takes(branch: Place):
    """One line that is kept up to date, and nothing of it is left at the end."""
    swap(branch, FILE, ("stats.low([1, 3])", "stats.low([1,  3])"))
    slow = "import time\nimport unittest\n\ntime.sleep(2)\n"
    swap(branch, FILE, ("import unittest\n", slow))
    said = branch.typed("check", "main..HEAD", answer="y")
    assert "\x1b[K" in said.out
    assert "the suite on the branch, 1 s" in said.out
