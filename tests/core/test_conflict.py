"""Goals that exclude each other are named before anyone works on them."""

from __future__ import annotations

from typing import Any

import pytest

from forsooth.core.check import Check
from forsooth.core.conflict import conflicts
from forsooth.core.plan import Fence
from tests.core.build import criterion, goal, plan


def check(kind: str, **params: Any) -> Check:
    return Check(kind=kind, params=params)


def command(*argv: str, **params: Any) -> Check:
    return check("command", argv=list(argv), **params)


def two(one: Check, other: Check, **more: Any) -> tuple[str, ...]:
    """What is said of two goals with a criterion each."""
    goals = [
        goal(number, criteria=(criterion(f"G00{number}.C1", check=asked, **more),))
        for number, asked in enumerate((one, other), 1)
    ]
    return conflicts(plan(*goals))


A, B = ["a"], ["b"]
OPPOSITES = {
    "a file": (
        check("files", expected_paths=A),
        check("files", forbidden_paths=A),
        "a must be there, and a must not be there",
    ),
    "a text": (
        check("files", must_contain=[{"path": "a", "text": "x"}]),
        check("files", forbidden_paths=A),
        "a must be there, and a must not be there",
    ),
    "an exit": (command("a"), command("a", exits=2), "`a` must exit 0, and `a` must exit 2"),
    "an output": (
        command("a", stdout={"is": "x"}),
        command("a", stdout={"is": "y"}),
        "stdout of `a` must be 'x', and stdout of `a` must be 'y'",
    ),
    "a word": (
        command("a", stderr={"has": ["x"]}),
        command("a", stderr={"lacks": ["x"]}),
        "stderr of `a` must have 'x', and stderr of `a` must not have 'x'",
    ),
    "commits": (
        check("commits", count=1),
        check("commits", count=2),
        "there must be 1 commits, and there must be 2 commits",
    ),
}


@pytest.mark.parametrize("what", OPPOSITES)
def test_criteria_that_ask_the_opposite_cannot_both_hold(what: str):
    """All of them hold in one tree, or the plan is never proven."""
    one, other, says = OPPOSITES[what]
    assert two(one, other) == (f"G001.C1 and G002.C1 cannot both hold: {says}",)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (check("files", expected_paths=A), check("files", forbidden_paths=B)),
        (command("a"), command("b", exits=2)),
        (command("a", cwd="x"), command("a", exits=2)),
        (command("a", stdout={"has": ["x"]}), command("a", stdout={"has": ["y"]})),
        (check("commits", count=1), check("commits", every=["x"])),
        (check("files"), check("files", forbidden_paths=A)),
        (check("scope"), check("scope")),
    ],
)
def test_criteria_about_different_things_exclude_nothing(one: Check, other: Check):
    """Neither do those of a kind that is not read here, or that are not well formed."""
    assert two(one, other) == ()


def test_what_is_hidden_is_not_told():
    """A conflict would say what a hidden criterion asks."""
    assert two(command("a"), command("a", exits=2), hidden=True) == ()


TESTED = check("command", argv=["python3", "-m", "unittest", "tests.test_a"])
NAMED = check("command", argv=["pytest", "./tests/test_a.py::test_x"])


def permitted(asked: Check, *, guard: bool = False, after: tuple[str, ...] = (), **may: Any) -> Any:
    own = (criterion("G002.C1", check=asked, guard=guard),)
    return conflicts(plan(goal(1, **may), goal(2, criteria=own, depends_on=after)))


@pytest.mark.parametrize("asked", [TESTED, NAMED])
@pytest.mark.parametrize("what", ["remove", "move"])
def test_a_permission_to_take_away_what_another_goal_runs_is_named(asked: Check, what: str):
    """Whether the command names the file or the module."""
    says = f"G001 may {what} tests/test_a.py, which G002.C1 runs: once it does, G002 cannot be"
    (told,) = permitted(asked, **{f"may_{what}": ("tests/test_a.py",)})
    assert told == f"{says} proven"
    assert permitted(asked, **{f"may_{what}": ("tests/test_b.py",)}) == ()


def test_a_permission_to_change_what_another_goal_runs_asks_for_an_order():
    """With an order, or where the other only keeps what is green, there is nothing to say."""
    may = {"may_change": ("tests/test_a.py",)}
    (told,) = permitted(TESTED, **may)
    assert told.endswith("until G001 is proven; say `After: G001` in G002")
    assert permitted(TESTED, after=("G001",), **may) == ()
    assert permitted(TESTED, guard=True, **may) == ()
    assert permitted(TESTED, may_change=("tests/test_b.py",)) == ()


@pytest.mark.parametrize(
    ("fence", "why"),
    [
        (Fence(touch=("src/**",)), "changes only src/**"),
        (Fence(never=("tests/**",)), "never touches tests/**"),
    ],
)
def test_a_permission_that_the_goal_s_own_fence_takes_back_is_named(fence: Fence, why: str):
    """It is without effect."""
    own = goal(1, fence=fence, may_change=("tests/test_a.py",))
    says = f"G001 may change tests/test_a.py, but {why}: the permission is without effect"
    assert conflicts(plan(own)) == (says,)


@pytest.mark.parametrize("name", ["tests/test_a.py", "tests/**", "test_a"])
def test_a_permission_inside_the_fence_is_not(name: str):
    """Nor is a pattern, or the name of a test alone."""
    own = goal(1, fence=Fence(touch=("tests/test_a.py",)), may_remove=(name,))
    assert conflicts(plan(own)) == ()


def test_a_goal_that_was_set_aside_excludes_nothing():
    """Only what is in force must hold."""
    one, other, _ = OPPOSITES["a file"]
    goals = [
        goal(number, criteria=(criterion(f"G00{number}.C1", check=asked),))
        for number, asked in enumerate((one, other), 1)
    ]
    assert conflicts(plan(*goals).but(superseded=("G001",))) == ()
