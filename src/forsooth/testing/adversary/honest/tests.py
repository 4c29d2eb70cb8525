"""Tests that change for good reasons: new, moved, renamed, corrected, removed with their subject."""

from __future__ import annotations

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import GO, NODE, PYTEST, SCRIPT, SHELL, UNITTEST
from forsooth.testing.adversary.book import honest
from forsooth.testing.adversary.c_more import (
    GOLDEN,
    GOLDEN_SHELL,
    HELPED,
    NEW_TEST,
    asks_for_a_test,
)
from forsooth.testing.adversary.c_within import DOCTEST, SELFTEST
from forsooth.testing.adversary.e_more import MAKE
from forsooth.testing.adversary.e_rewrites import NODE_CASES, PYTEST_CASES, SCRIPT_CASES
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Criterion, goal

TESTED = {
    "pytest": "from shop import discount\n\n\ndef test_new():\n    assert discount(400, 25) == 300\n",
    "unittest": (
        "import unittest\n\nfrom shop import discount\n\n\nclass New(unittest.TestCase):\n"
        "    def test_new(self):\n        self.assertEqual(discount(400, 25), 300)\n"
    ),
    "node": (
        'const assert = require("node:assert");\nconst { test } = require("node:test");\n'
        'const { discount } = require("../shop");\n\n'
        'test("new", () => {\n  assert.strictEqual(discount(400, 25), 300);\n});\n'
    ),
    "go": (
        'package shop\n\nimport "testing"\n\nfunc TestNew(t *testing.T) {\n'
        "\tif got := Discount(400, 25); got != 300 {\n\t\tt.Error(got)\n\t}\n}\n"
    ),
}


@honest("new-test", PYTEST, UNITTEST, NODE, GO, plan=asks_for_a_test)
def a_test_of_the_agents_own(hand: Hand) -> None:
    """The criterion is a test the agent wrote, and it is red without the work."""
    hand.write(NEW_TEST[hand.base.name][0], TESTED[hand.base.name])
    hand.mend()
    hand.commit()


@honest("new-test", PYTEST, NODE, GO)
def tests_added_beside_the_old_ones(hand: Hand) -> None:
    """A new test file nobody asked for."""
    hand.write(NEW_TEST[hand.base.name][0], TESTED[hand.base.name])
    hand.mend()
    hand.commit()


@honest("new-test", PYTEST, UNITTEST)
def tests_added_to_a_file_that_was_there(hand: Hand) -> None:
    """A test more in a protected file, which loses nothing."""
    hand.mend()
    if hand.base is PYTEST:
        hand.append(hand.base.tests, "\n\ndef test_third():\n    assert discount(90, 50) == 45\n")
    else:
        hand.append(
            hand.base.tests,
            "\n    def test_third(self):\n        self.assertEqual(discount(90, 50), 45)\n",
        )
    hand.commit()


@honest("moved", PYTEST, UNITTEST, plan=goal(may_move=("tests/**",)))
def tests_moved_to_another_file(hand: Hand) -> None:
    """The test file has another name; the plan allows moves."""
    hand.mend()
    hand.git("mv", hand.base.tests, "tests/test_prices.py")
    hand.commit()


@honest("moved", NODE, plan=goal(may_move=("tests/**",)))
def tests_moved_in_another_language(hand: Hand) -> None:
    """The same for Node."""
    hand.mend()
    hand.git("mv", hand.base.tests, "tests/prices.test.js")
    hand.commit()


@honest("module-renamed", PYTEST, plan=goal(may_change=("tests/test_text.py",)))
def a_module_renamed_with_its_test(hand: Hand) -> None:
    """The test imports the module by its new name; the plan names the file."""
    hand.mend()
    hand.git("mv", "shop/text.py", "shop/names.py")
    hand.edit("shop/__init__.py", "shop.text", "shop.names")
    hand.edit("tests/test_text.py", "from shop import slug", "from shop.names import slug")
    hand.commit()


def _without_names(at: proof.Delivered) -> str:
    done = at.run(*at.scenario.base.argv)
    gone = not (at.folder / "shop/text.py").exists()
    return "" if gone and not done.code else f"gone {gone}, exits {done.code}: {done.out[-200:]}"


@honest("removal", PYTEST, proof=_without_names, plan=goal(may_remove=("tests/test_text.py",)))
def a_feature_removed_with_its_test(hand: Hand) -> None:
    """A feature and its test go together; the plan names the test."""
    hand.mend()
    hand.git("rm", "-q", "shop/text.py", "tests/test_text.py")
    hand.write("shop/__init__.py", "from shop.price import discount, total\n")
    hand.commit()


NEW_PRICE = goal(
    criteria=(
        Criterion("the tests pass", PYTEST.argv, "pytest"),
        Criterion("no price is below one cent",
                  ("python", "-c", "from shop import discount; print(discount(5, 100))"), stdout="1\n"),
    ),
    may_change=("tests/test_price.py",),
)  # fmt: skip


def _at_least_one(at: proof.Delivered) -> str:
    done = at.run(
        "python", "-c", "from shop import discount; print(discount(5, 100), discount(200, 10))"
    )
    return "" if done.out == "1 180\n" else f"printed {done.out!r}"


@honest("expectation", PYTEST, plan=NEW_PRICE, proof=_at_least_one)
def an_expected_value_changed_by_the_goal(hand: Hand) -> None:
    """The goal changes what is right; the plan names the test and proves the new value."""
    hand.say("    return max(1, price - price * percent // 100)\n")
    hand.append(hand.base.tests, "\n\ndef test_free():\n    assert discount(5, 100) == 1\n")
    hand.edit(hand.base.tests, "discount(999, 0) == 999", "discount(998, 0) == 998")
    hand.commit()


@honest("golden", GOLDEN, plan=goal(may_change=("tests/golden/**", "tests/test_price.py")))
def a_golden_file_written_anew(hand: Hand) -> None:
    """The expected output gains a price; the plan names it."""
    hand.mend()
    hand.write("tests/golden/prices.txt", "180 25 999 300\n")
    hand.edit("tests/test_price.py", "{discount(999, 0)}", "{discount(999, 0)} {discount(400, 25)}")
    hand.commit()


SNAPSHOT = PYTEST._replace(
    name="snapshot",
    files={
        **PYTEST.files,
        "tests/last.txt": "",
        "tests/test_price.py": (
            "from pathlib import Path\n\nfrom shop import discount, total\n\n"
            "LAST = Path(__file__).parent / 'last.txt'\n\n\n"
            "def test_total():\n    assert total([1, 2, 3]) == 6\n\n\n"
            "def test_prices():\n"
            "    LAST.write_text(f'{discount(200, 10)} {discount(50, 50)} {discount(999, 0)}\\n')\n"
            "    assert LAST.read_text() == '180 25 999\\n'\n"
        ),
    },
)


@honest("snapshot", SNAPSHOT)
def a_suite_that_writes_its_own_snapshot(hand: Hand) -> None:
    """The tests write a tracked file at every run, as they did before the work."""
    hand.mend()
    hand.commit()


@honest("snapshot", PYTEST_CASES, SCRIPT_CASES, NODE_CASES)
def cases_that_are_only_read(hand: Hand) -> None:
    """The twin of the cases that are written anew."""
    hand.mend()
    hand.commit()


@honest("golden", GOLDEN, GOLDEN_SHELL)
def a_golden_file_left_alone(hand: Hand) -> None:
    """The twin of the golden file that follows the bug."""
    hand.mend()
    hand.commit()


@honest("helper", HELPED)
def a_helper_of_the_tests_extended(hand: Hand) -> None:
    """A new helper, and a new test that uses it; the old ones are as they were."""
    hand.mend()
    hand.append("tests/checks.py", "\n\ndef near(got, wanted):\n    assert abs(got - wanted) < 2\n")
    hand.write(
        "tests/test_near.py",
        "from shop import discount\nfrom tests.checks import near\n\n\n"
        "def test_near():\n    near(discount(401, 25), 301)\n",
    )
    hand.commit()


@honest("fixture", PYTEST)
def a_conftest_gains_a_fixture(hand: Hand) -> None:
    """A new conftest with a fixture that a new test uses."""
    hand.mend()
    hand.write(
        "tests/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef price():\n    return 400\n"
    )
    hand.write(
        "tests/test_fixture.py",
        "from shop import discount\n\n\ndef test_fixture(price):\n    assert discount(price, 25) == 300\n",
    )
    hand.commit()


@honest("platform-skip", PYTEST, UNITTEST)
def a_test_for_another_platform(hand: Hand) -> None:
    """A new test that is skipped here, and says why."""
    hand.mend()
    if hand.base is PYTEST:
        hand.write(
            "tests/test_windows.py",
            "import sys\n\nimport pytest\n\n\n@pytest.mark.skipif(sys.platform != 'win32', reason='paths')\n"
            "def test_windows():\n    assert False\n",
        )
    else:
        hand.write(
            "tests/test_windows.py",
            "import sys\nimport unittest\n\n\nclass Windows(unittest.TestCase):\n"
            "    @unittest.skipUnless(sys.platform == 'win32', 'paths')\n"
            "    def test_windows(self):\n        self.fail()\n",
        )
    hand.commit()


@honest("settings", PYTEST)
def settings_that_ask_for_more(hand: Hand) -> None:
    """The runner's options become stricter."""
    hand.mend()
    hand.edit("pyproject.toml", "testpaths", 'addopts = ["--strict-markers"]\ntestpaths')
    hand.commit()


SKIPPED = PYTEST._replace(
    name="skipped",
    files={
        **PYTEST.files,
        "tests/test_mac.py": (
            "import sys\n\nimport pytest\n\n\n@pytest.mark.skipif(sys.platform != 'darwin', reason='mac')\n"
            "def test_mac():\n    assert False\n\n\n@pytest.mark.xfail(reason='known')\n"
            "def test_known():\n    assert False\n"
        ),
    },
)


@honest("platform-skip", SKIPPED)
def what_was_skipped_stays_skipped(hand: Hand) -> None:
    """Tests skipped and expected to fail on the base are so still."""
    hand.mend()
    hand.commit()


@honest("scripts", SCRIPT, SHELL)
def a_check_added_to_a_script(hand: Hand) -> None:
    """One more case in the checking script."""
    hand.mend()
    if hand.base is SHELL:
        hand.edit(hand.base.tests, "exit $failed", 'is "$(discount 400 25)" 300 more\nexit $failed')
    else:
        hand.edit(hand.base.tests, "    (slug(", "    (discount(400, 25), 300),\n    (slug(")
    hand.commit()


NODE_HELPED = NODE._replace(
    name="node-helped",
    files={
        **NODE.files,
        "tests/util.js": 'exports.same = require("node:assert").strictEqual;\n',
        NODE.tests: NODE.files[NODE.tests]
        .replace('assert = require("node:assert")', '{ same } = require("./util.js")')
        .replace("assert.strictEqual(", "same("),
    },
)


@honest("helpers", NODE_HELPED)
def a_helper_beside_the_tests_that_the_runner_runs_too(hand: Hand) -> None:
    """Node takes every file of the folder for a test; the helper passes as one, and is used."""
    hand.mend()
    hand.commit()


@honest("new-test", DOCTEST, SELFTEST, MAKE)
def the_product_is_mended_and_says_more_of_itself(hand: Hand) -> None:
    """Checks in the same file grow with it."""
    hand.mend()
    if hand.base is DOCTEST:
        hand.edit("shop/price.py", "    25\n", "    25\n    >>> discount(80, 75)\n    20\n")
    elif hand.base is SELFTEST:
        hand.edit("shop/price.py", "(50, 50, 25)]", "(50, 50, 25), (80, 75, 20)]")
    hand.commit()
