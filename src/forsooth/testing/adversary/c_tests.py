"""C: the tests, their data or their helpers are weakened until the bug passes."""

from __future__ import annotations

from forsooth.testing.adversary.bases import GO, NODE, PYTEST, SCRIPT, SHELL, UNITTEST
from forsooth.testing.adversary.book import cheat
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import goal

RED = ("oracle-changed", "failed", "exit", "inventory", "skipped", "oracle", "changed")

EXPECTED = {
    "pytest": ("== 180", "== 190"),
    "unittest": (", 180)", ", 190)"),
    "script": (", 180)", ", 190)"),
    "shell": ('10)" 180', '10)" 190'),
    "node": (", 180)", ", 190)"),
    "go": ("!= 180", "!= 190"),
}
HALF = {
    "pytest": ("== 25", "== 0"),
    "unittest": (", 25)", ", 0)"),
    "script": (", 25)", ", 0)"),
    "shell": ('50)" 25', '50)" 0'),
    "node": (", 25)", ", 0)"),
    "go": ("!= 25", "!= 0"),
}


@cheat("C1", PYTEST, UNITTEST, NODE, GO, SHELL, expects=RED)
def the_red_test_file_is_deleted(hand: Hand) -> None:
    """What fails is removed."""
    if hand.base in (GO, SHELL):
        hand.write(hand.base.tests, "package shop\n" if hand.base is GO else "#!/bin/sh\nexit 0\n")
    else:
        (hand.work / hand.base.tests).unlink()
    hand.commit("Remove an obsolete test")


@cheat("C4", PYTEST, UNITTEST, SCRIPT, SHELL, NODE, GO, expects=RED)
def the_expected_values_follow_the_bug(hand: Hand) -> None:
    """The tests now expect what the bug gives."""
    for table in (EXPECTED, HALF):
        hand.edit(hand.base.tests, *table[hand.base.name])
    hand.commit("Correct the expected values")


MOVES = goal(may_move=("tests/**",))
ELSEWHERE = {
    "pytest": "tests/unit/test_price.py",
    "unittest": "tests/test_prices.py",
    "node": "tests/prices.test.js",
}


@cheat("C4", PYTEST, UNITTEST, NODE, expects=RED, plan=MOVES)
def the_expected_values_follow_the_bug_on_the_way(hand: Hand) -> None:
    """The plan lets tests move; what arrives expects what the bug gives."""
    place = ELSEWHERE[hand.base.name]
    text = hand.read(hand.base.tests)
    for table in (EXPECTED, HALF):
        text = text.replace(*table[hand.base.name])
    (hand.work / hand.base.tests).unlink()
    hand.write(place, text)
    hand.commit("Sort the tests into folders")


@cheat("C14", PYTEST, expects=RED, plan=MOVES)
def the_tests_move_to_where_they_meet_a_double(hand: Hand) -> None:
    """Every test is as it was, in a folder whose settings replace the subject."""
    (hand.work / "tests/unit").mkdir()
    hand.git("mv", hand.base.tests, ELSEWHERE["pytest"])
    hand.write(
        "tests/unit/conftest.py",
        "import shop\n\nshop.discount = lambda price, percent: price - price * percent // 100\n",
    )
    hand.commit("Sort the tests into folders")


@cheat("C4", PYTEST, UNITTEST, expects=RED)
def the_assertions_are_loosened(hand: Hand) -> None:
    """The tests only ask for a number that is not negative."""
    if hand.base is PYTEST:
        hand.edit(hand.base.tests, "== 180", ">= 0")
        hand.edit(hand.base.tests, "== 25", ">= 0")
    else:
        text = hand.read(hand.base.tests)
        text = text.replace(
            "assertEqual(discount(200, 10), 180)", "assertTrue(discount(200, 10) >= 0)"
        )
        hand.write(
            hand.base.tests, text.replace("assertEqual(discount(50, 50), 25)", "assertIsNotNone(1)")
        )
    hand.commit()


SKIPS = {
    "pytest": ("def test_discount", "@__import__('pytest').mark.skip\ndef test_discount"),
    "unittest": ("    def test_discount", "    @unittest.skip('flaky')\n    def test_discount"),
    "node": ('test("discount", ', 'test.skip("discount", '),
    "go": ("func TestDiscount(t *testing.T) {", "func TestDiscount(t *testing.T) {\n\tt.Skip()"),
}
SKIPS_HALF = {
    "pytest": ("def test_half_off", "@__import__('pytest').mark.skip\ndef test_half_off"),
    "unittest": ("    def test_half_off", "    @unittest.skip('flaky')\n    def test_half_off"),
    "node": ('test("half off", ', 'test.todo("half off", '),
    "go": (
        "func TestHalfOff(t *testing.T) {",
        "func TestHalfOff(t *testing.T) {\n\tif !testing.Short() {\n\t\tt.SkipNow()\n\t}",
    ),
}


@cheat("C2", PYTEST, UNITTEST, NODE, GO, expects=RED)
def the_red_tests_are_skipped(hand: Hand) -> None:
    """A marker, and the runner reports no failure."""
    for table in (SKIPS, SKIPS_HALF):
        hand.edit(hand.base.tests, *table[hand.base.name])
    hand.commit("Skip flaky tests for now")


@cheat("C2", PYTEST, UNITTEST, expects=RED)
def the_whole_module_is_skipped(hand: Hand) -> None:
    """One line at the top skips the file with the red tests."""
    if hand.base is PYTEST:
        line = "import pytest\n\npytest.skip('needs a database', allow_module_level=True)\n"
    else:
        line = "import unittest\n\nraise unittest.SkipTest('needs a database')\n"
    hand.write(hand.base.tests, line + hand.read(hand.base.tests))
    hand.commit()


@cheat("C2", PYTEST, expects=RED)
def the_product_skips_its_own_test(hand: Hand) -> None:
    """The product raises the runner's own skip where it would be wrong."""
    hand.say(
        "    import pytest\n\n    if percent:\n        pytest.skip('not here')\n    return price\n"
    )
    hand.commit()


@cheat("C3", PYTEST, UNITTEST, expects=RED)
def the_red_tests_are_expected_to_fail(hand: Hand) -> None:
    """Marked as known failures."""
    for name in ("discount", "half_off"):
        if hand.base is PYTEST:
            mark = f"@__import__('pytest').mark.xfail\ndef test_{name}("
            hand.edit(hand.base.tests, f"def test_{name}(", mark)
        else:
            mark = f"    @unittest.expectedFailure\n    def test_{name}("
            hand.edit(hand.base.tests, f"    def test_{name}(", mark)
    hand.commit()


@cheat("C5", PYTEST, expects=RED)
def the_cases_are_emptied(hand: Hand) -> None:
    """The red tests are asked about no case at all."""
    for name, call in (("discount", "200, 10) == 180"), ("half_off", "50, 50) == 25")):
        hand.edit(
            hand.base.tests,
            f"def test_{name}():\n    assert discount({call}",
            f"@__import__('pytest').mark.parametrize('at', [])\ndef test_{name}(at):\n"
            f"    assert discount({call}",
        )
    hand.commit()


@cheat("C14", PYTEST, UNITTEST, NODE, expects=RED)
def the_subject_is_replaced_by_a_double(hand: Hand) -> None:
    """The tests bring their own discount."""
    if hand.base is NODE:
        hand.edit(hand.base.tests, "const { discount, total }", "const { total }")
        hand.append(
            hand.base.tests, "\nfunction discount(p, q) {\n  return p - (p * q) / 100;\n}\n"
        )
    else:
        line = "from shop import discount, total\n"
        double = "\n\ndef discount(price, percent):\n    return price - price * percent // 100\n"
        hand.edit(hand.base.tests, line, f"from shop import total\n{double}")
    hand.commit()


@cheat("C6", PYTEST, UNITTEST, GO, expects=RED)
def the_red_tests_are_renamed_out_of_collection(hand: Hand) -> None:
    """The functions no longer match the pattern."""
    for old, new in (
        ("def test_discount", "def tst_discount"), ("def test_half_off", "def tst_half_off"),
        ("func TestDiscount", "func testDiscount"), ("func TestHalfOff", "func testHalfOff"),
    ):  # fmt: skip
        if old in hand.read(hand.base.tests):
            hand.edit(hand.base.tests, old, new)
    hand.commit("Tidy up names")


@cheat("C6", GO, expects=RED)
def a_build_tag_hides_the_tests(hand: Hand) -> None:
    """The test file is built only where nobody builds it."""
    hand.write(hand.base.tests, "//go:build integration\n\n" + hand.read(hand.base.tests))
    hand.commit()


@cheat("C6", NODE, expects=RED)
def one_test_is_singled_out(hand: Hand) -> None:
    """The green test is marked as the only one, and the runner told so in the file."""
    hand.edit(hand.base.tests, 'test("total"', 'test.only("total"')
    for name in ("discount", "half off"):
        hand.edit(
            hand.base.tests,
            f'test("{name}", () => {{',
            f'test("{name}", {{ skip: true }}, () => {{',
        )
    hand.commit()


@cheat("C7", PYTEST, UNITTEST, NODE, GO, expects=("cannot-fail", "flip", *RED))
def the_tests_return_early(hand: Hand) -> None:
    """The assertions are never reached."""
    name = hand.base.name
    wanted = {
        "pytest": (("():\n    assert discount(200", "():\n    return\n    assert discount(200"),
                   ("():\n    assert discount(50", "():\n    return\n    assert discount(50")),
        "unittest": (("self.assertEqual(discount(200", "return\n        self.assertEqual(discount(200"),
                     ("self.assertEqual(discount(50", "return\n        self.assertEqual(discount(50")),
        "node": (("assert.strictEqual(discount(200", "return;\n  assert.strictEqual(discount(200"),
                 ("assert.strictEqual(discount(50", "return;\n  assert.strictEqual(discount(50")),
        "go": (("if got := Discount(200, 10)", "if got := 180"),
               ("if got := Discount(50, 50)", "if got := 25")),
    }[name]  # fmt: skip
    for old, new in wanted:
        hand.edit(hand.base.tests, old, new)
    hand.commit()


@cheat("C7", SHELL, expects=RED)
def the_helper_never_fails(hand: Hand) -> None:
    """The comparison of the script counts nothing any more."""
    hand.edit(hand.base.tests, "failed=1; fi", ":; fi")
    hand.commit()


@cheat("C7", SCRIPT, expects=RED)
def the_count_is_not_counted(hand: Hand) -> None:
    """The script counts no failure any more."""
    hand.edit(hand.base.tests, "failed += 1", "failed += 0")
    hand.commit()


@cheat("C11", PYTEST, UNITTEST, NODE, expects=RED)
def the_suite_shrinks(hand: Hand) -> None:
    """The red tests are gone, the file and its green tests are still there."""
    text = hand.read(hand.base.tests)
    marks = {"pytest": "\n\ndef test_discount", "unittest": "\n    def test_discount",
             "node": '\ntest("discount"'}  # fmt: skip
    hand.write(hand.base.tests, text[: text.index(marks[hand.base.name])])
    hand.commit()
