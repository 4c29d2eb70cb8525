"""Leave that a plan gives, before the judge: what it permits, and what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.court import Court

WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = "import unittest\n\nfrom calc import add\n\n\nclass Adds(unittest.TestCase):\n"
TEST += "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n"
FILES = {"calc.py": WRONG, "tests/__init__.py": "", "tests/test_calc.py": TEST}
GOAL = "@goal: Add\nIntent: fix\n{leave}\n- [ ] `python3 -m unittest -q tests.test_calc`\n"
FOLLOWS = TEST.replace(", 5)", ", -1)")


@pytest.mark.parametrize(
    ("product", "test", "told"),
    [
        (RIGHT, TEST.replace("add(2, 3), 5", "add(2, 4), 6"), ("pass", "pass")),
        (RIGHT, TEST.replace("test_add", "test_sum_of_two"), ("pass", "pass")),
        (RIGHT, TEST.replace("class Adds", "class Sums"), ("pass", "pass")),
        (WRONG + "\n\nSIGN = '+'\n", FOLLOWS, ("fail", "green-before")),
        (WRONG, FOLLOWS, ("pass", "pass")),
    ],
)
def test_a_test_that_may_change_must_still_notice_the_work(tmp_path: Path, product, test, told):
    """Where product changed beside it; a goal that only puts a test right is believed."""
    leave = "May change: tests/test_calc.py"
    court = Court(tmp_path, FILES, GOAL.format(leave=leave)).sealed()
    court.work.write("calc.py", product)
    court.work.write("tests/test_calc.py", test)
    assert court.told() == told


MUTANTS = """@goal: Tests of what works
```goal
touch: [tests/**]
```
```criteria
- says: the new tests pass
  check: tests
  with: {argv: [python3, -m, unittest, -q, tests.test_new], runner: unittest}
  %s
```
"""
NOTICES = "mutants: [{path: calc.py, replace: a + b, by: a * b}]"


@pytest.mark.parametrize(("mutants", "told"), [(NOTICES, "pass"), ("", "green-before")])
def test_tests_of_what_works_are_proven_by_what_they_notice(tmp_path: Path, mutants, told):
    """They pass on the base, as they should; only a mutant shows that they look."""
    court = Court(tmp_path, {**FILES, "calc.py": RIGHT}, MUTANTS % mutants).sealed()
    court.work.write("tests/test_new.py", TEST)
    assert court.told()[1] == told


def test_the_suite_follows_a_test_that_may_move(tmp_path: Path):
    """It was found by the name the file had."""
    brief = "Suite: `python3 -m unittest -q tests/test_calc.py`\n"
    court = Court(tmp_path, FILES, brief + GOAL.format(leave="May move: tests/test_calc.py"))
    assert court.plan.suite
    court.sealed()
    court.work.write("calc.py", RIGHT)
    court.work.write("tests/test_sums.py", TEST)
    (court.work.folder / "tests/test_calc.py").unlink()
    assert court.told("suite") == ("pass", "pass")


def test_settings_may_follow_tests_that_may_move(tmp_path: Path):
    """They name the new place, where nothing is as sealed; so they are as sealed themselves."""
    files = {**FILES, "Makefile": "check:\n\tpython3 -m unittest -q tests.test_calc\n"}
    brief = "@goal: Add\nIntent: fix\nMay move: tests/test_calc.py\nMay change: Makefile\n"
    court = Court(tmp_path, files, brief + "- [ ] `make check`\n").sealed()
    court.work.write("calc.py", RIGHT)
    court.work.write("Makefile", "check:\n\tpython3 -m unittest -q tests.unit.test_calc\n")
    court.work.write("tests/unit/__init__.py", "")
    court.work.write("tests/unit/test_calc.py", TEST)
    (court.work.folder / "tests/test_calc.py").unlink()
    assert court.told() == ("pass", "pass")


MAKES = {**FILES, "Makefile": "include config.mk\ncheck:\n\t$(PY) -m unittest -q tests.test_calc\n"}


@pytest.mark.parametrize(
    ("leave", "line", "told"),
    [
        ("Touch: calc.py, config.mk", "SHELL := /bin/true\n", ("fail", "oracle-changed")),
        ("Touch: calc.py, config.mk", ".IGNORE:\n", ("fail", "oracle-changed")),
        ("Touch: calc.py, config.mk", ".SHELLFLAGS = -nc\n", ("fail", "oracle-changed")),
        ("Touch: calc.py, config.mk", "NAME = calc\n", ("pass", "pass")),
        (
            "Touch: calc.py, config.mk",
            "SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\n",
            ("pass", "pass"),
        ),
    ],
)
def test_a_fence_around_a_makefile_is_no_leave_to_make_it_deaf(tmp_path: Path, leave, line, told):
    """Other variables are the agent's to set."""
    files = {**MAKES, "config.mk": "PY = python3\n"}
    brief = f"@goal: Add\nIntent: fix\n{leave}\n- [ ] `make check`\n"
    court = Court(tmp_path, files, brief).sealed()
    court.work.write("calc.py", RIGHT)
    court.work.write("config.mk", "PY = python3\n" + line)
    assert court.told(full=False) == told


SEALED = """@goal: Add
```goal
intent: fix
{leave}
```
```criteria
- says: adds
  check: tests
  with: {{argv: [python3, -m, unittest, -q, tests.test_calc], runner: unittest}}
  oracle: [tests/**, tools.lock, golden/**]
```
"""


@pytest.mark.parametrize(
    ("leave", "path", "told"),
    [
        ("touch: [calc.py, '*.lock']", "tools.lock", ("fail", "oracle-changed")),
        ("touch: [calc.py, tools.lock]", "tools.lock", ("pass", "pass")),
        ("may_change: [tools.lock]", "tools.lock", ("pass", "pass")),
        ("touch: ['**']", "golden/new.txt", ("pass", "pass")),
        ("touch: ['**']", "other.lock", ("pass", "pass")),
    ],
)
def test_what_the_plan_seals_and_is_no_test_stays_as_it_was(tmp_path: Path, leave, path, told):
    """Unless the fence or the plan names that very path; tests are run as sealed anyway."""
    files = {**FILES, "tools.lock": "a 1\n", "other.lock": "b 1\n", "golden/new.txt": "c\n"}
    court = Court(tmp_path, files, SEALED.format(leave=leave)).sealed()
    court.work.write("calc.py", RIGHT)
    court.work.write("tests/test_calc.py", TEST + "\n    def test_more(self):\n        add(0, 0)\n")
    court.work.write(path, "changed\n")
    assert court.told(full=False) == told


def test_another_goal_s_work_is_no_product_of_a_goal_that_changes_a_text(tmp_path: Path):
    """What lies outside of its fence does not make its own change one of tests beside product."""
    brief = GOAL.format(leave="Only: calc.py") + (
        "\n@goal: Label\nIntent: feature\nOnly: LABEL\nMay change: LABEL\n- [ ] `grep -q 2 LABEL`\n"
    )
    court = Court(tmp_path, {**FILES, "LABEL": "1\n"}, brief).sealed()
    court.work.write("calc.py", RIGHT)
    court.work.write("LABEL", "2\n")
    assert {one.code for one in court.found().values()} == {"pass"}


def test_a_file_that_may_move_is_gone_where_a_criterion_looks(tmp_path: Path):
    """It is not put back for a criterion that runs nothing, and asks whether it is there."""
    looks = "- [ ] `sh -c 'test -e tests/test_sum.py && ! test -e tests/test_calc.py'`\n"
    court = Court(tmp_path, FILES, "@goal: Move\nMay move: tests/test_calc.py\n" + looks).sealed()
    (court.work.folder / "tests/test_calc.py").rename(court.work.folder / "tests/test_sum.py")
    assert court.told(full=False) == ("pass", "pass")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("\t-python3 -m unittest -q tests.test_calc\n", ("fail", "oracle-changed")),
        ("\t@python3 -m unittest -q tests.test_calc || true\n", ("fail", "oracle-changed")),
        ("\tpython3 -m unittest -q tests.test_calc; echo done\n", ("fail", "oracle-changed")),
        ("\t@python3 -m unittest -q tests.test_calc\nclean:\n\t-rm -rf build\n", ("pass", "pass")),
    ],
)
def test_a_fence_around_a_makefile_is_no_leave_to_ignore_failures(tmp_path: Path, line, told):
    """Not of a command whose failure counted; tidying up may fail."""
    was = "check:\n\tpython3 -m unittest -q tests.test_calc\nclean:\n\trm -rf build\n"
    brief = "@goal: Add\nIntent: fix\nTouch: calc.py, Makefile\n- [ ] `make check`\n"
    court = Court(tmp_path, {**FILES, "Makefile": was}, brief).sealed()
    court.work.write("calc.py", RIGHT)
    court.work.write("Makefile", "check:\n" + line)
    assert court.told(full=False) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("check:\n\t@echo ok\n", ("fail", "oracle-changed")),
        ("include Makefile\nrelease:\n\t@echo ok\n", ("pass", "pass")),
    ],
)
def test_a_fence_is_no_leave_to_put_a_makefile_in_front_of_another(tmp_path: Path, text, told):
    """One that takes the other in stands beside it."""
    files = {**FILES, "Makefile": "check:\n\tpython3 -m unittest -q tests.test_calc\n"}
    brief = "@goal: Add\nIntent: fix\nTouch: calc.py, GNUmakefile\n- [ ] `make check`\n"
    court = Court(tmp_path, files, brief).sealed()
    court.work.write("calc.py", RIGHT)
    court.work.write("GNUmakefile", text)
    assert court.told(full=False) == told


def test_leave_to_change_a_test_is_no_leave_to_look_away(tmp_path: Path):
    """The work is right; the test that says so may expect something else, not less."""
    court = Court(tmp_path, FILES, GOAL.format(leave="May change: tests/test_calc.py")).sealed()
    court.work.write("calc.py", RIGHT)
    soft = TEST.replace("assertEqual(add(2, 3), 5)", "assertTrue(add(2, 3))")
    court.work.write("tests/test_calc.py", soft)
    assert court.told(full=False) == ("fail", "softened")
