"""Which changed test files a person is told to read, and what is said of each."""

from __future__ import annotations

from forsooth.core.plan import Goal
from forsooth.judge.basis import JudgedFiles
from forsooth.judge.checks.trial import Held, Lacking
from forsooth.judge.views import View

TEST, NEW = "tests/test_calc.py", "tests/test_new.py"
GOAL = Goal(id="G001", title="Add", objective="Add")


def files(view: View, *, changed: tuple[str, ...] = (), added: tuple[str, ...] = ()) -> JudgedFiles:
    return JudgedFiles("G001.C1", view, (TEST,), (TEST,), 0, (*changed, *added), added)


def test_a_changed_test_that_was_put_back_is_told_as_judged_by_the_original():
    """The sentence is about the original; the changed one is for a person to read."""
    judged = files(View("t", restored=(TEST,)), changed=(TEST,))
    assert [*judged.flags(GOAL, ())] == [
        f"{TEST}: changed since the seal; G001.C1 passes with the original too"
    ]
    assert [*judged.doubted()] == [Held("sealed", (1,)), Held("delivered")]


def test_a_test_changed_by_permission_is_told_as_judged_by_itself():
    """It is no original test any more, and it is named as what it is."""
    judged = files(View("t"), changed=(TEST,))
    goal = GOAL.but(may_change=("tests/**",))
    assert judged.permitted(goal) == [TEST]
    assert [*judged.flags(goal, ())] == [
        f"{TEST}: changed with the plan's permission since the seal; G001.C1 was judged by it"
    ]
    assert [one.what for one in judged.doubted() if isinstance(one, Lacking)] == ["sealed"]
    assert judged.permitted(GOAL) == judged.permitted(None) == []


def test_a_new_test_is_told_only_where_the_criterion_names_it():
    """One that was put aside passes without it; one that is neither says nothing."""
    judged = files(View("t"), added=(NEW,))
    assert [*judged.flags(GOAL, ())] == []
    assert [*judged.flags(GOAL, (NEW,))] == [f"{NEW}: new since the seal; G001.C1 runs it"]
    aside = files(View("t", removed=(NEW,)), added=(NEW,))
    assert [*aside.flags(GOAL, ())] == [f"{NEW}: new since the seal; G001.C1 passes without it too"]


def test_product_with_tests_in_it_is_told_as_merged():
    """Only its tests were put back."""
    judged = files(View("t", merged=("src/lib.rs",)), changed=("src/lib.rs",))
    says = "G001.C1 passes with the original tests and settings in it too"
    assert [*judged.flags(GOAL, ())] == [f"src/lib.rs: changed since the seal; {says}"]
