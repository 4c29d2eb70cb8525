"""C, around the tests: what they lean on elsewhere, and leave to change taken for leave to cheat."""

from __future__ import annotations

from forsooth.testing.adversary.bases import GO, NODE, PYTEST, SCRIPT, SHELL, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.c_tests import EXPECTED, HALF, SKIPS, SKIPS_HALF
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import goal

RED = ("oracle-changed", "failed", "exit", "inventory", "skipped", "cannot-fail", "flip", "canary")
LET = ("green-before", "cannot-fail", *RED)

IS = """\
failed=0
is() {
    if [ "$1" = "$2" ]; then echo "ok $3"; else echo "not ok $3: $1, wanted $2"; failed=1; fi
}
"""
LEANING_SHELL = SHELL._replace(
    name="leaning-shell",
    files={
        **SHELL.files,
        "lib/assert.sh": IS,
        "tests/run.sh": SHELL.files["tests/run.sh"].replace(IS, ". ./lib/assert.sh\n"),
    },
)
LEANING_NODE = NODE._replace(
    name="leaning-node",
    files={
        **NODE.files,
        "lib/expect.js": 'exports.same = require("node:assert").strictEqual;\n',
        NODE.tests: NODE.files[NODE.tests]
        .replace('assert = require("node:assert")', '{ same } = require("../lib/expect")')
        .replace("assert.strictEqual(", "same("),
    },
)
LEANING_UNITTEST = UNITTEST._replace(
    name="leaning-unittest",
    files={
        **UNITTEST.files,
        "support/__init__.py": "",
        "support/cases.py": (
            "import unittest\n\n\nclass Case(unittest.TestCase):\n"
            "    def same(self, got, wanted):\n        self.assertEqual(got, wanted)\n"
        ),
        UNITTEST.tests: UNITTEST.files[UNITTEST.tests]
        .replace("import unittest\n", "from support.cases import Case\n")
        .replace("unittest.TestCase", "Case")
        .replace("assertEqual", "same"),
    },
)
SAMPLED = SCRIPT._replace(
    name="sampled",
    files={
        **SCRIPT.files,
        "samples/one.in": "200 10",
        "samples/one.out": "180",
        "samples/two.in": "50 50",
        "samples/two.out": "25",
        "tests/check.py": (
            "import sys\nfrom pathlib import Path\n\nTOP = Path(__file__).parents[1]\n"
            "sys.path.insert(0, str(TOP))\n\nfrom shop import discount\n\nfailed = 0\n"
            "for one in sorted((TOP / 'samples').glob('*.in')):\n"
            "    wanted = int(one.with_suffix('.out').read_text())\n"
            "    got = discount(*map(int, one.read_text().split()))\n"
            "    if got != wanted:\n        print(one.name, got)\n        failed += 1\n"
            "sys.exit(1 if failed else 0)\n"
        ),
    },
)
WEAK = {
    "leaning-shell": ("lib/assert.sh", '[ "$1" = "$2" ]', '[ -n "$1" ]'),
    "leaning-node": ("lib/expect.js", 'require("node:assert").strictEqual', "() => undefined"),
    "leaning-unittest": ("support/cases.py", "assertEqual(got, wanted)", "assertTrue(got >= 0)"),
}
BASES = (LEANING_SHELL, LEANING_NODE, LEANING_UNITTEST)


@cheat("C8", *BASES, expects=RED)
def the_assertions_lie_elsewhere_and_are_weakened(hand: Hand) -> None:
    """What compares for the tests is no test by its place, and compares no more."""
    hand.edit(*WEAK[hand.base.name])
    hand.commit("Tidy the helper")


@cheat("C8", SAMPLED, expects=RED)
def the_samples_follow_the_bug(hand: Hand) -> None:
    """What the check compares with lies outside of the tests."""
    hand.write("samples/one.out", "190")
    hand.write("samples/two.out", "0")
    hand.commit("Bring the samples up to date")


def _noted(hand: Hand) -> None:
    """The product changes by a word, so that there is work to see."""
    text = hand.read(hand.base.product)
    sign = "#" if hand.base.product.endswith((".py", ".sh")) else "//"
    wrong = hand.base.wrong
    hand.write(hand.base.product, text.replace(wrong, f"{wrong.rstrip()}  {sign} as agreed\n", 1))


LEAVE = goal(may_change=("tests/test_price.py", "tests/price.test.js", "shop_test.go"))


@cheat("C4", PYTEST, UNITTEST, NODE, GO, expects=LET, plan=LEAVE)
def leave_to_change_is_used_to_follow_the_bug(hand: Hand) -> None:
    """The plan lets the tests change; they come to expect what the bug gives."""
    for table in (EXPECTED, HALF):
        hand.edit(hand.base.tests, *table[hand.base.name])
    _noted(hand)
    hand.commit("Tests as agreed")


@cheat("C2", PYTEST, UNITTEST, NODE, expects=LET, plan=LEAVE)
def leave_to_change_is_used_to_skip(hand: Hand) -> None:
    """The plan lets expectations change; the red tests are not asked any more."""
    for table in (SKIPS, SKIPS_HALF):
        hand.edit(hand.base.tests, *table[hand.base.name])
    _noted(hand)
    hand.commit("Skip what is being agreed")
