"""A plan as lines to read: whatever is sealed has one."""

from __future__ import annotations

from forsooth.core.outline import difference, draft_text, outline, plain
from forsooth.core.plan import Fence
from forsooth.core.replan import Change
from tests.core.build import PASSES, criterion, goal, plan


def test_a_plan_is_told_goal_by_goal_with_every_command():
    """The suite, the constraints, fences, intents and who said a criterion are all there."""
    fenced = Fence(touch=("src/**",), never=("src/gen/**",))
    first = goal(1, criteria=(criterion("G001.C1", by="agent", guard=True),), fence=fenced)
    second = goal(2, criteria=0, intent="refactor", expects="no-change", depends_on=("G001",))
    told = plain(outline(plan(first, second).but(suite=PASSES, preamble="Be kind.\n\n")))
    assert told.split("\n") == [
        "  binds every goal: Be kind.",
        "  stays green throughout: true",
        "  G001 goal 1",
        "      changes only src/**",
        "      never touches src/gen/**",
        "      G001.C1 G001.C1 holds  (guard, by an agent)  → true",
        "      weak contract: no criterion says how it is proven",
        "  G002 goal 2",
        "      after G001",
        "      intent refactor, expects no change",
        "      weak contract: no criterion says how it is proven",
    ]


def test_a_change_says_where_less_would_have_to_be_proven():
    """And where there is none, that nothing changed."""
    assert plain(difference(())) == "  nothing changed"
    found = (Change("-", "G001.C1 it adds", True), Change("+", "G002 more", False))
    assert plain(difference(found)) == "  - G001.C1 it adds  ← loosens\n  + G002 more"


def test_a_draft_as_text_says_what_it_changes_where_a_plan_is_sealed():
    """A first draft is all that is to be seen; a later one is shown beside what stands."""
    first, second = plan(goal(1)), plan(goal(1), goal(2))
    assert draft_text(first, None) == plain(outline(first))
    told = draft_text(second, first)
    assert told.startswith(plain(outline(second)))
    assert "changes against what is sealed:\n  + G002" in told
