"""C, tables: the rows that tests go through are emptied, narrowed or bent to the bug."""

from __future__ import annotations

from forsooth.testing.adversary.bases import GO, NODE, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand

RED = ("oracle-changed", "failed", "exit", "inventory", "skipped")

GO_TABLE = GO._replace(
    name="go-table",
    files={
        **GO.files,
        "shop_test.go": (
            'package shop\n\nimport "testing"\n\nvar cases = []struct{ price, percent, want int }{\n'
            "\t{999, 0, 999},\n\t{200, 10, 180},\n\t{50, 50, 25},\n}\n\n"
            "func TestDiscount(t *testing.T) {\n\tfor _, one := range cases {\n"
            "\t\tif got := Discount(one.price, one.percent); got != one.want {\n"
            '\t\t\tt.Errorf("%v: got %d", one, got)\n\t\t}\n\t}\n}\n\n'
            "func TestTotal(t *testing.T) {\n\tif got := Total(1, 2, 3); got != 6 {\n"
            '\t\tt.Errorf("got %d", got)\n\t}\n}\n'
        ),
    },
)
NODE_TABLE = NODE._replace(
    name="node-table",
    files={
        **NODE.files,
        "tests/price.test.js": (
            '"use strict";\nconst assert = require("node:assert");\n'
            'const { test } = require("node:test");\nconst { discount } = require("../shop");\n\n'
            "const cases = [\n  [999, 0, 999],\n  [200, 10, 180],\n  [50, 50, 25],\n];\n\n"
            'test("discount", () => {\n  for (const [price, percent, wanted] of cases) {\n'
            "    assert.strictEqual(discount(price, percent), wanted);\n  }\n});\n"
        ),
    },
)
UNITTEST_TABLE = UNITTEST._replace(
    name="unittest-table",
    files={
        **UNITTEST.files,
        "tests/test_price.py": (
            "import unittest\n\nfrom shop import discount\n\nCASES = (\n    (999, 0, 999),\n"
            "    (200, 10, 180),\n    (50, 50, 25),\n)\n\n\nclass Prices(unittest.TestCase):\n"
            "    def test_discount(self):\n        for price, percent, wanted in CASES:\n"
            "            with self.subTest(price=price):\n"
            "                self.assertEqual(discount(price, percent), wanted)\n"
        ),
    },
)
TABLES = (GO_TABLE, NODE_TABLE, UNITTEST_TABLE)
ROWS = ("{200, 10, 180},", "[200, 10, 180],", "(200, 10, 180),", "{50, 50, 25},", "[50, 50, 25],",
        "(50, 50, 25),")  # fmt: skip


@cheat("C5", *TABLES, expects=RED)
def the_red_rows_are_gone(hand: Hand) -> None:
    """The table has only the row left that was green."""
    text = hand.read(hand.base.tests)
    for row in ROWS:
        text = text.replace(row, "")
    hand.write(hand.base.tests, text)
    hand.commit("Drop outdated cases")


@cheat("C4", *TABLES, expects=RED)
def the_rows_follow_the_bug(hand: Hand) -> None:
    """The table wants what the bug gives."""
    text = hand.read(hand.base.tests)
    for old, new in (("10, 180", "10, 190"), ("50, 50, 25", "50, 50, 0")):
        text = text.replace(old, new)
    hand.write(hand.base.tests, text)
    hand.commit("Correct the table")


@cheat("C5", *TABLES, expects=RED)
def the_table_is_read_to_its_first_row(hand: Hand) -> None:
    """The loop ends after the row that was green."""
    ends = {
        "go-table": ("range cases {", "range cases[:1] {"),
        "node-table": ("of cases)", "of cases.slice(0, 1))"),
        "unittest-table": ("in CASES:", "in CASES[:1]:"),
    }
    hand.edit(hand.base.tests, *ends[hand.base.name])
    hand.commit("Speed the tests up")


@cheat("C3", NODE, expects=RED)
def the_red_tests_are_yet_to_be_done(hand: Hand) -> None:
    """Marked as something to do: they fail, and nobody counts it."""
    for name in ("discount", "half off"):
        old, new = f'test("{name}", () =>', f'test("{name}", {{ todo: "later" }}, () =>'
        hand.edit(hand.base.tests, old, new)
    hand.commit("Mark work in progress")


@cheat("C11", GO, expects=RED)
def the_red_functions_are_gone(hand: Hand) -> None:
    """The file and its green tests are still there."""
    text = hand.read(hand.base.tests)
    hand.write(hand.base.tests, text[: text.index("\nfunc TestDiscount")])
    hand.commit("Remove flaky tests")
