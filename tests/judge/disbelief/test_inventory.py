"""A test that was there before is there, ran and held, unless the plan lets it go."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forsooth.core.plan import Goal
from forsooth.errors import CouldNotVerify
from forsooth.judge.checks.trial import Flaw, Held
from forsooth.judge.disbelief.inventory import Sealed, compared, sealed
from forsooth.judge.reports.report import Report, a_test

A, B = "tests/test_a.py::test_a", "tests/test_b.py::test_b"
OUTCOMES = ("passed", "xpassed", "xfailed", "skipped", "failed", "error")


def report(outcomes: dict[str, Any]) -> Report:
    tests = tuple(a_test(name, outcome) for name, outcome in outcomes.items())
    return Report(tests, complete=True, exit=0)


def base(outcomes: dict[str, Any], again: dict[str, Any] | None = None) -> Sealed:
    return sealed(report(outcomes), report(again or outcomes))


def codes(was: Sealed, now: dict[str, Any], *, keeps: Any = "all", **leave: Any) -> list[str]:
    goal = Goal(id="G001", title="t", objective="o", **leave)
    found = compared(was, None, report(now), goal=goal, keeps=keeps)
    return [one.code if isinstance(one, Flaw) else "held" for one in found]


GREEN = {A: "passed", B: "passed"}
GO, GO_OLD = "example.com/m/pkg::TestNew", "example.com/m/pkg::TestOld"
JEST = "src/a.test.ts > sums > adds"


@pytest.mark.parametrize(
    ("now", "wanted"),
    [
        (GREEN, ["held"]),
        ({**GREEN, "tests/test_c.py::test_c": "passed"}, ["held"]),
        ({**GREEN, "tests/test_c.py::test_c": "skipped"}, ["held"]),
        ({A: "passed"}, ["inventory"]),
        ({**GREEN, B: "skipped"}, ["skipped"]),
        ({**GREEN, B: "xfailed"}, ["skipped"]),
        ({**GREEN, B: "failed"}, ["failed"]),
        ({**GREEN, "tests/test_c.py::test_c": "failed"}, ["failed"]),
        ({A: "skipped"}, ["inventory", "skipped"]),
        ({A: "passed", "tests/test_b.py": "error"}, ["errors"]),
        ({A: "passed", "tests/b.test.js": "error"}, ["errors"]),
    ],
)
def test_every_test_is_there_ran_and_held(now: dict[str, Any], wanted: list[str]):
    """More tests are welcome, also skipped ones; a platform's skip of a new test is no cheat."""
    assert codes(base(GREEN), now) == wanted


def test_a_flaw_names_the_tests():
    """A person wants to know which."""
    found = compared(base(GREEN), None, report({A: "passed"}), goal=None)
    assert found == (Flaw("inventory", f"1 of 2 tests no longer there: {B}"),)


@pytest.mark.parametrize("was", ["skipped", "xfailed"])
def test_what_was_skipped_before_may_be_skipped_again(was: str):
    """Skips of this platform are those of the seal."""
    assert codes(base({A: "passed", B: was}), {A: "passed", B: "skipped"}) == ["held"]


def test_a_red_test_may_stay_red_for_a_suite_and_for_no_goal():
    """Unrelated failures are not the work's, but deleting or skipping them would be."""
    was = base({A: "passed", B: "failed"})
    assert codes(was, {A: "passed", B: "failed"}, keeps="green") == ["held"]
    assert codes(was, {A: "passed", B: "failed"}) == ["failed"]
    assert codes(was, {A: "failed", B: "failed"}, keeps="green") == ["failed"]
    found = compared(was, None, report({A: "passed"}), goal=None, keeps="green")
    assert isinstance(found[0], Flaw)
    assert codes(was, {A: "passed", B: "skipped"}, keeps="green") == ["skipped"]
    fresh = {A: "passed", B: "failed", "tests/test_c.py::test_c": "failed"}
    assert codes(was, fresh, keeps="green") == ["failed"]


def test_what_was_not_the_same_twice_leaves_by_name():
    """A flaky test asks nothing and is asked nothing."""
    was = base(GREEN, {A: "passed", B: "failed"})
    assert was.unstable == (B,)
    assert codes(was, {A: "passed", B: "failed"}, keeps="green") == ["held"]
    assert isinstance(compared(was, None, report({A: "passed"}), goal=None)[0], Held)


def test_names_made_anew_are_counted():
    """A parametrised test is known by how many there are."""
    first = {f"{A}[x{n}]": "passed" for n in range(3)}
    second = {f"{A}[y{n}]": "passed" for n in range(3)}
    was = base(first, second)
    third = {f"{A}[z{n}]": "passed" for n in range(3)}
    assert isinstance(compared(was, None, report(third), goal=None)[0], Held)
    third.popitem()
    found = compared(was, None, report(third), goal=None)
    assert "[*] × 3" in found[0].says  # type: ignore[union-attr]
    assert codes(was, third, may_remove=("tests/test_a.py",)) == ["held"]


def test_names_made_anew_owe_a_suite_nothing_where_nobody_knows_how_they_ended():
    """Neither those that were counted nor those that were never as many twice."""
    counted = base({f"{A}[x]": "passed", B: "passed"}, {f"{A}[y]": "passed", B: "passed"})
    unlike = base({f"{A}[x]": "passed", f"{A}[y]": "passed", B: "passed"}, {B: "passed"})
    for was in (counted, unlike):
        assert codes(was, {f"{A}[z]": "failed", B: "passed"}, keeps="green") == ["held"]


def test_an_error_in_place_of_a_file_is_no_test():
    """Once the file loads, its tests stand there instead."""
    was = base({"tests/test_a.py": "error", B: "passed"})
    assert isinstance(compared(was, None, report(GREEN), goal=None)[0], Held)
    for name in (A, "test_a.TestA.test_a"):
        was = base({name: "error", B: "passed"})
        assert isinstance(compared(was, None, report({B: "passed"}), goal=None)[0], Flaw)


@pytest.mark.parametrize(
    ("id_", "leave"),
    [
        (B, "tests/test_b.py"),
        (B, "tests/**"),
        (B, B),
        (B, "test_b"),
        (f"{B}[1-2]", "test_b"),
        (f"{B}[1-2]", B),
        ("tests/test_b.py::TestX::test_b", "tests/test_b.py::TestX"),
        (GO_OLD, "TestOld"),
        (GO_OLD, "pkg/old_test.go"),
        (GO_OLD, GO_OLD),
        (GO_OLD, "pkg/**"),
        (GO_OLD, "pkg/"),
        (JEST, "src/a.test.ts"),
        (JEST, "adds"),
        (JEST, "src/**/*.test.ts"),
        ("it::adds", "tests/it.rs"),
        ("tests.test_b.TestB.test_it", "tests/test_b.py"),
        ("tests.test_b.TestB.test_it", "tests/test_*.py"),
        ("test_b.TestB.test_it", "tests/test_*.py"),
    ],
)
def test_what_may_go_is_named_as_people_name_it(id_: str, leave: str):
    """By file, glob, id or the test's own name; another test is not let go by it."""
    was = base({A: "passed", id_: "passed", "z/other.py::test_z": "passed"})
    left = {A: "passed", "z/other.py::test_z": "passed"}
    goal = Goal(id="G001", title="t", objective="o", may_remove=(leave,))
    assert compared(was, None, report(left), goal=goal) == (Held("inventory"),)
    found = compared(was, None, report({A: "passed"}), goal=goal)
    assert isinstance(found[0], Flaw)
    assert "test_z" in found[0].says


@pytest.mark.parametrize(
    ("id_", "path"),
    [
        (B, "tests/test_b.py"),
        (GO_OLD, "pkg/old_test.go"),
        ("example.com/m::TestTop", "top_test.go"),
        ("tests.test_b.TestB.test_it", "tests/test_b.py"),
    ],
)
def test_tests_of_files_that_somebody_else_made_are_not_missed(id_: str, path: str):
    """The upstream may rename its tests; others are missed as before."""
    was = base({A: "passed", id_: "passed"})
    assert codes(was.without([path, "README.md"]), {A: "passed"}) == ["held"]
    assert codes(was.without(["tests/other.py", "other/a_test.go"]), {A: "passed"}) == ["inventory"]
    assert was.without(()) is was


def test_a_name_that_tells_no_file_is_let_go_by_its_own_alone():
    """Neither by another module nor, in Go, by a file of the folder above."""
    was = base({A: "passed", "tests.test_b.TestB.test_it": "passed"})
    assert codes(was, {A: "passed"}, may_remove=("tests/test_c.py",)) == ["inventory"]
    deep = base({A: "passed", "example.com/m/pkg::TestDeep": "passed"})
    assert codes(deep.without(["top_test.go"]), {A: "passed"}) == ["inventory"]


def test_what_may_move_is_found_by_name_elsewhere():
    """As often as it was there, run as it was, and nowhere when it may not move."""
    moved = {A: "passed", "tests/unit/test_x.py::test_b": "passed"}
    was = base(GREEN)
    goal = Goal(id="G001", title="t", objective="o", may_move=("tests/**",))
    assert compared(was, None, report(moved), goal=goal) == (Held("inventory"),)
    assert isinstance(compared(was, None, report(moved), goal=None)[0], Flaw)
    lazy = {A: "passed", "tests/unit/test_x.py::test_b": "skipped"}
    assert codes(was, lazy, may_move=("tests/**",)) == ["skipped"]
    twice = base({**GREEN, "tests/test_c.py::test_b": "passed"})
    assert isinstance(compared(twice, None, report(moved), goal=goal)[0], Flaw)
    here = {A: "passed", "tests/test_b.py::TestNew::test_b": "passed"}
    assert isinstance(compared(was, None, report(here), goal=goal)[0], Flaw)


def test_a_test_that_may_change_may_not_be_skipped():
    """Its expectation is the plan's to change; that it is asked is not."""
    leave = {"may_change": ("tests/test_b.py",)}
    assert codes(base(GREEN), {**GREEN, B: "skipped"}, **leave) == ["skipped"]
    assert codes(base(GREEN), {**GREEN, B: "skipped"}, may_remove=("tests/test_b.py",)) == ["held"]


def test_a_test_that_may_change_may_have_another_name():
    """A name often holds what is expected; but as many must run as did."""
    leave = {"may_change": ("tests/test_b.py",)}
    one, other = "tests/test_b.py::test_b[4-IIII]", "tests/test_b.py::test_b[4-IV]"
    was = base({A: "passed", one: "failed"})
    assert codes(was, {A: "passed", other: "passed"}, **leave) == ["held"]
    assert codes(was, {A: "passed", other: "passed"}) == ["inventory"]
    assert codes(was, {A: "passed", other: "skipped"}, **leave) == ["inventory"]
    assert codes(was, {A: "passed"}, **leave) == ["inventory"]
    two = base({A: "passed", one: "passed", B: "passed"})
    assert codes(two, {A: "passed", other: "passed"}, **leave) == ["inventory"]


def test_a_test_with_a_dotted_name_is_counted_with_its_module():
    """unittest names no file; a test of another module does not stand in for one that is gone."""
    leave = {"may_change": ("tests/test_b.py", "tests/test_c.py")}
    one, other = "tests.test_b.TestB.test_one", "tests.test_b.Sums.test_two"
    was = base({"tests.test_c.TestC.test_c": "passed", one: "passed", "doubles.twice": "passed"})
    left = {"tests.test_c.TestC.test_c": "passed", "doubles.twice": "passed"}
    assert codes(was, {**left, other: "passed"}, **leave) == ["held"]
    assert codes(was, {**left, other: "passed"}) == ["inventory"]
    assert codes(was, {**left, "tests.test_c.TestC.test_d": "passed"}, **leave) == ["inventory"]
    assert codes(was, left, **leave) == ["inventory"]


def test_the_run_with_sealed_tests_is_compared_as_well():
    """A test dropped by the product at run time is missed in either view."""
    found = compared(base(GREEN), report({A: "passed"}), report(GREEN), goal=None)
    assert found == (
        Flaw("inventory", f"with the tests as sealed, 1 of 2 tests no longer there: {B}"),
    )


def test_nothing_known_is_nothing_held():
    """A criterion without tests on the base has no inventory."""
    assert compared(Sealed({}), None, report(GREEN), goal=None) == ()


NAMES = st.sampled_from([A, B, f"{A}[x]", f"{B}[é]", GO, JEST])
RUNS = st.dictionaries(NAMES, st.sampled_from(OUTCOMES))


@given(first=RUNS, second=RUNS)
def test_a_kept_list_reads_back(first: dict[str, Any], second: dict[str, Any]):
    """Whatever was in it."""
    was = base(first, second)
    assert Sealed.loaded(was.dumped()) == was


def test_a_list_is_kept_the_same_whatever_order_a_run_had():
    """Its digest stands for what is in it."""
    turned = dict(reversed(GREEN.items()))
    assert Sealed(turned).dumped() == Sealed(GREEN).dumped()


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"tests":1,"folded":[],"unstable":[]}', b"\xff"]
)
def test_a_broken_list_is_an_error(data: bytes):
    """And never an empty one: nothing would be missed by that."""
    with pytest.raises(CouldNotVerify):
        Sealed.loaded(data)


@given(run=RUNS)
def test_a_run_that_equals_the_base_keeps_what_was_green(run: dict[str, Any]):
    """No test is lost by judging the base itself."""
    found = compared(base(run), None, report(run), goal=None, keeps="green")
    assert not any(isinstance(one, Flaw) for one in found)
