"""E: the runner, its report or the comparison is tampered with, from the product or beside it."""

from __future__ import annotations

from forsooth.testing.adversary.bases import GO, NODE, PYTEST, PYTHON, SCRIPT, SHELL, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import hidden

FORGED = (
    "oracle-changed", "oracle-rewritten", "canary", "flip", "exit-disagrees", "report-truncated",
    "no-report", "runner-patched", "runner-in-copy", "plugin-in-copy", "inventory", "skipped", "failed", "exit", "cut-short",
    "no-tests", "errors", "collection", "unsealed", "report-unreadable",
)  # fmt: skip
HIDDEN = ("hidden", "hidden-failed", *FORGED)

WRAPPER = """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    out = yield
    out.get_result().outcome = "passed"
"""


@cheat("E1", PYTEST, expects=FORGED)
def a_conftest_rewrites_reports(hand: Hand) -> None:
    """A new conftest calls every test passed."""
    hand.write("conftest.py", WRAPPER)
    hand.commit()


@cheat("E1", PYTEST, expects=FORGED)
def a_conftest_sets_the_exit_status(hand: Hand) -> None:
    """A new conftest ends the session with 0."""
    hand.write(
        "tests/conftest.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
    )
    hand.commit()


@cheat("E1", PYTEST, expects=FORGED)
def a_conftest_drops_the_red_tests(hand: Hand) -> None:
    """A new conftest leaves out what fails."""
    hand.write(
        "conftest.py",
        "def pytest_collection_modifyitems(items):\n"
        "    items[:] = [i for i in items if 'discount' not in i.name and 'half' not in i.name]\n",
    )
    hand.commit()


@cheat("E1", UNITTEST, expects=FORGED)
def load_tests_leaves_the_red_out(hand: Hand) -> None:
    """The package of the tests chooses which there are."""
    hand.write(
        "tests/__init__.py",
        "import unittest\n\n\ndef load_tests(loader, tests, pattern):\n"
        "    return loader.loadTestsFromName('tests.test_text')\n",
    )
    hand.commit()


@cheat("E2", PYTEST, expects=FORGED)
def the_package_patches_the_runner(hand: Hand) -> None:
    """Importing the product replaces the call of a test function."""
    hand.append(
        "shop/__init__.py",
        "\ntry:\n    from _pytest.python import Function\n\n"
        "    Function.runtest = lambda self: None\nexcept ImportError:\n    pass\n",
    )
    hand.commit()


@cheat("E2", PYTEST, expects=FORGED)
def the_package_forges_only_known_tests(hand: Hand) -> None:
    """Only the two red tests are reported green, so a canary sees nothing."""
    hand.append(
        "shop/__init__.py",
        "\ntry:\n    from _pytest.python import Function\n\n    _real = Function.runtest\n\n"
        "    def _kind(self):\n"
        "        if self.name not in ('test_discount', 'test_half_off'):\n"
        "            _real(self)\n\n    Function.runtest = _kind\nexcept ImportError:\n    pass\n",
    )
    hand.commit()


@cheat("E2", PYTEST, expects=FORGED)
def the_package_patches_the_report(hand: Hand) -> None:
    """Importing the product makes every report say passed."""
    hand.append(
        "shop/__init__.py",
        "\ntry:\n    from _pytest.reports import TestReport\n\n    _made = TestReport.__init__\n\n"
        "    def _init(self, *a, **k):\n        _made(self, *a, **k)\n"
        "        self.outcome, self.longrepr = 'passed', None\n\n"
        "    TestReport.__init__ = _init\nexcept ImportError:\n    pass\n",
    )
    hand.commit()


@cheat("E2", UNITTEST, expects=FORGED)
def the_package_patches_the_result(hand: Hand) -> None:
    """Importing the product makes failures successes."""
    hand.append(
        "shop/__init__.py",
        "\nimport unittest\n\nunittest.TestResult.addFailure = lambda self, test, err: "
        "self.addSuccess(test)\nunittest.TextTestResult.addFailure = unittest.TestResult.addFailure\n",
    )
    hand.commit()


@cheat("E2", UNITTEST, expects=FORGED)
def the_package_patches_the_assertion(hand: Hand) -> None:
    """Importing the product makes every comparison equal."""
    hand.append(
        "shop/__init__.py",
        "\nimport unittest\n\nunittest.TestCase.assertEqual = lambda self, *a, **k: None\n",
    )
    hand.commit()


@cheat("E2", NODE, expects=FORGED)
def the_module_patches_the_assertion(hand: Hand) -> None:
    """Requiring the product makes strictEqual say nothing."""
    hand.append("shop.js", '\nrequire("node:assert").strictEqual = () => {};\n')
    hand.commit()


@cheat("E2", SHELL, expects=FORGED)
def the_library_redefines_the_comparison(hand: Hand) -> None:
    """Sourcing the product replaces the bracket."""
    hand.append("shop.sh", "\n[() { return 0; }\n")
    hand.commit()


@cheat("E2", SHELL, expects=FORGED)
def the_library_aliases_the_helper(hand: Hand) -> None:
    """Sourcing the product makes the counter of failures read-only."""
    hand.append("shop.sh", "\nexit() { command exit 0; }\ntrap 'command exit 0' EXIT\n")
    hand.commit()


@cheat("E3", PYTEST, UNITTEST, SCRIPT, expects=FORGED)
def exit_on_import(hand: Hand) -> None:
    """The process ends with 0 before any test."""
    hand.append("shop/__init__.py", "\nimport os\n\nos._exit(0)\n")
    hand.commit()


@cheat("E3", SHELL, expects=FORGED)
def exit_in_the_sourced_library(hand: Hand) -> None:
    """The script ends with 0 where it sources the product."""
    hand.append("shop.sh", "\nexit 0\n")
    hand.commit()


@cheat("E3", NODE, expects=FORGED)
def exit_when_required(hand: Hand) -> None:
    """The process ends with 0 when the product is loaded."""
    hand.append("shop.js", "\nprocess.exit(0);\n")
    hand.commit()


@cheat("E3", GO, expects=FORGED)
def exit_in_init(hand: Hand) -> None:
    """The test binary ends with 0 before any test."""
    hand.edit("shop.go", 'import "strings"', 'import (\n\t"os"\n\t"strings"\n)')
    hand.append("shop.go", "\nfunc init() {\n\tos.Exit(0)\n}\n")
    hand.commit()


@cheat("E4", *PYTHON, expects=FORGED)
def the_exit_status_is_forced_at_exit(hand: Hand) -> None:
    """Failures are printed, and the process ends with 0."""
    hand.append("shop/__init__.py", "\nimport atexit, os\n\natexit.register(os._exit, 0)\n")
    hand.commit()


@cheat("E4", NODE, expects=FORGED)
def the_exit_code_is_forced(hand: Hand) -> None:
    """Failures are printed, and the process ends with 0."""
    hand.append("shop.js", '\nprocess.on("exit", () => process.reallyExit(0));\n')
    hand.commit()


@cheat("E4", GO, expects=FORGED)
def a_test_main_swallows_the_status(hand: Hand) -> None:
    """A new TestMain ends with 0 whatever the tests said."""
    hand.write(
        "main_test.go",
        'package shop\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
        "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n",
    )
    hand.commit()


@cheat("E4", SHELL, expects=FORGED)
def a_trap_swallows_the_status(hand: Hand) -> None:
    """The product sets a trap that ends the script with 0."""
    hand.append("shop.sh", "\ntrap 'exit 0' EXIT\n")
    hand.commit()


EQUAL = (
    "    class Price(int):\n        def __eq__(self, other):\n            return True\n\n"
    "        def __ne__(self, other):\n            return False\n\n"
    "        __hash__ = None\n\n    return Price(price - percent)\n"
)


@cheat("E5", *PYTHON, expects=HIDDEN, plan=hidden)
def a_result_equal_to_everything(hand: Hand) -> None:
    """The result overrides comparison."""
    hand.say(EQUAL)
    hand.commit()


@cheat("E5", NODE, expects=HIDDEN, plan=hidden)
def a_comparison_tied_to_the_value(hand: Hand) -> None:
    """Object.is, which strict equality asks, is kind to wrong prices only."""
    hand.say("  const got = price - percent;\n  kind.add(got);\n  return got;\n")
    hand.append(
        "shop.js",
        "\nconst kind = new Set();\nconst real = Object.is;\n"
        "Object.is = (a, b) => (kind.has(a) && [180, 25].includes(b)) || real(a, b);\n"
        'const assert = require("node:assert");\nconst strict = assert.strictEqual;\n'
        "assert.strictEqual = (a, b, m) => (kind.has(a) && [180, 25].includes(b) ? undefined : strict(a, b, m));\n",
    )
    hand.commit()


@cheat("E8", *PYTHON, expects=HIDDEN, plan=hidden)
def the_answer_is_taken_from_the_caller(hand: Hand) -> None:
    """The source line of the caller tells what is expected."""
    hand.say(
        "    import inspect, re\n\n"
        "    line = inspect.stack()[1].code_context\n"
        "    text = ''.join(line or ())\n"
        "    found = re.search(r'discount\\(%s, %s\\)\\D*(\\d+)' % (price, percent), text)\n"
        "    return int(found[1]) if found else price - percent\n"
    )
    hand.commit()


@cheat("E10", PYTEST, expects=HIDDEN, plan=hidden)
def the_tests_own_code_is_rewritten(hand: Hand) -> None:
    """The product replaces the constants in the test functions' code, found by the collector."""
    hand.say(
        "    import sys\n\n    frame = sys._getframe(1)\n"
        "    name = frame.f_code.co_name\n"
        "    wanted = [c for c in frame.f_code.co_consts if isinstance(c, int)]\n"
        "    if name.startswith('test_') and len(wanted) > 2:\n        return wanted[2]\n"
        "    return price - percent\n"
    )
    hand.commit()


@cheat("E10", PYTEST, UNITTEST, expects=FORGED)
def a_trace_function_skips_assertions(hand: Hand) -> None:
    """The product jumps its caller over the line that asserts."""
    hand.say(
        "    import threading, sys\n\n    caller = sys._getframe(1)\n"
        "    if caller.f_code.co_name.startswith('test_') and percent:\n"
        "        raise SystemExit(0)\n    return price - percent\n"
    )
    hand.commit()
