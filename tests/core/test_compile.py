"""A brief becomes a plan, and an edited brief the same plan with the same ids."""

from __future__ import annotations

import pytest

from forsooth.core.brief.brief import parse
from forsooth.core.brief.compile import compile as compile_
from forsooth.core.brief.compile import defects
from forsooth.core.canonical import digest
from forsooth.core.plan import Base, Fence, Goal, Plan
from tests.requirements import requirement


def plan(text: str, before: Plan | None = None, used: tuple[str, ...] = ()) -> Plan:
    brief = parse(text)
    assert defects(brief, before=before, used=used) == ()
    return compile_(
        brief,
        plan_id="20260101-000000",
        digest=digest(text.encode()),
        source="brief.md",
        before=before,
        used=used,
    )


def named(found: Plan) -> list[tuple[str, str]]:
    return [(goal.id, goal.title) for goal in found.goals]


def criteria(found: Plan, goal: str) -> list[tuple[str, str]]:
    (one,) = (one for one in found.goals if one.id == goal)
    return [(criterion.id, criterion.says) for criterion in (*one.entry, *one.criteria)]


def codes(text: str, before: Plan | None = None) -> list[tuple[int, str]]:
    return [(defect.line, defect.code) for defect in defects(parse(text), before=before)]


@requirement("R010", "R011")
def test_goals_are_numbered_in_order_of_appearance():
    """G001, G002, and so on; a brief without delimiters is G001."""
    assert named(plan("@goal: One\n@goal: Two\n@goal: Three")) == [
        *(("G001", "One"), ("G002", "Two"), ("G003", "Three"))
    ]
    assert named(plan("Just do it.")) == [("G001", "Just do it.")]


def test_a_plan_carries_all_the_brief_says():
    """Attributes, fence, criteria and entry criteria have their places."""
    found = plan(
        "Be brief.\n- [ ] stays green: `pytest`\n- [ ] never touch ci/**\n"
        "@goal: One\n@goal: Two\nText.\n- [ ] a exists\n- [ ] only src/** change\n"
        "After: G001\nIntent: fix\nEvery: 24 hours\n"
        "```criteria\n- {says: can push, check: approval, entry: true}\n```\n"
        "```goal\nmay_change: [t.py]\nexpects: no-change\nnever: [x/**]\n```\n"
    )
    assert found.preamble == "Be brief."
    assert found.suite is not None
    assert found.suite.kind == "tests"
    assert (found.source, found.deliver) == ("brief.md", "worktree")
    goal = found.goals[1]
    assert (goal.objective, goal.intent, goal.depends_on) == ("Text.", "fix", ("G001",))
    assert (goal.may_change, goal.expects) == (("t.py",), "no-change")
    assert goal.cadence is not None
    assert goal.cadence.hours == 24
    assert (goal.fence.touch, goal.fence.never) == (("src/**",), ("ci/**", "x/**"))
    assert criteria(found, "G002") == [
        ("G002.E1", "can push"),
        ("G002.C1", "a exists"),
        ("G002.C2", "only src/** change"),
        ("G002.C3", "never touch ci/**"),
        ("G002.C4", "never touch x/**"),
    ]
    assert criteria(found, "G001") == [("G001.C1", "never touch ci/**")]
    assert Plan.of(found.plain()) == found


def test_a_goal_without_a_fence_of_its_own_has_the_preambles():
    """And one that repeats the preamble's sentence has it once."""
    found = plan("- [ ] only src/** change\n@goal: One\n@goal: Two\n- [ ] only src/** change")
    assert [goal.fence.touch for goal in found.goals] == [("src/**",), ("src/**",)]
    assert [len(goal.criteria) for goal in found.goals] == [1, 1]
    (scope,) = plan("@goal: One\n```goal\ntouch: [a, b]\n```").goals[0].criteria
    assert scope.says == "only a, b change"


BEFORE = (
    "@goal: One\nText one.\n- [ ] a exists\n- [ ] b exists\n@goal: Two\nText two.\n@goal: Three"
)


def test_planning_an_unchanged_brief_again_changes_nothing():
    """Every id stays where it is."""
    assert plan(BEFORE, plan(BEFORE)) == plan(BEFORE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@goal: Three\n@goal: One", [("G003", "Three"), ("G001", "One")]),
        ("@goal: Uno\nText one.\n@goal: Two", [("G001", "Uno"), ("G002", "Two")]),
        (
            "@goal: One\n@goal: Zwei\nNew.\n@goal: Three",
            [("G001", "One"), ("G004", "Zwei"), ("G003", "Three")],
        ),
        (
            "@goal: Uno\nNew.\n- [ ] a exists\n- [ ] b exists\n@goal: Two\n@goal: B\nThis text two",
            [("G001", "Uno"), ("G002", "Two"), ("G004", "B")],
        ),
        ("@goal: Zwei\nThe text two.\n@goal: One", [("G002", "Zwei"), ("G001", "One")]),
        (
            BEFORE + "\n@goal: Four",
            [("G001", "One"), ("G002", "Two"), ("G003", "Three"), ("G004", "Four")],
        ),
        ("@goal: One\n@goal: One", [("G001", "One"), ("G004", "One")]),
    ],
)
def test_a_goal_keeps_its_id_by_what_it_says_and_never_by_where_it_stands(text, expected):
    """An edited goal is still that goal; unrelated work does not inherit its failures."""
    assert named(plan(text, plan(BEFORE))) == expected


def test_an_id_is_never_given_twice():
    """A new goal or criterion takes a number that nothing ever had."""
    before = plan(BEFORE)
    text = BEFORE.replace("Three", "Three\n@goal: Four").replace("b exists", "c exists")
    after = plan(text, before, ("G007", "G001.C5"))
    assert named(after)[-1] == ("G008", "Four")
    assert criteria(after, "G001") == [("G001.C1", "a exists"), ("G001.C6", "c exists")]


def test_a_criterion_keeps_its_id_while_its_content_is_the_same():
    """Order does not matter; a changed claim is a new one."""
    before = plan(BEFORE)
    text = BEFORE.replace("- [ ] a exists\n- [ ] b exists", "- [ ] b exists\n- [ ] b exists")
    found = plan(text, before).goals[0].criteria
    assert [criterion.id for criterion in found] == ["G001.C2", "G001.C3"]


def test_what_agents_added_is_carried_over():
    """A person edits the brief; goals and criteria added by steering are not in it and stay."""
    before = plan(BEFORE)
    one = before.goals[0]
    extra = one.criteria[0].but(id="G001.C9", says="more proof", by="agent")
    added = Goal(id="G004", title="Repair", objective="Repair it.", by="agent")
    before = before.but(
        goals=(one.but(criteria=(*one.criteria, extra)), added, *before.goals[1:]),
        deliver="work",
        upstream="origin/main",
        base=Base(commit="a" * 40),
    )
    after = plan("@goal: One\nText one.\n@goal: New\nAfter: G004", before)
    assert named(after) == [("G001", "One"), ("G005", "New"), ("G004", "Repair")]
    assert criteria(after, "G001") == [("G001.C9", "more proof")]
    assert (after.deliver, after.upstream, after.base) == ("work", "origin/main", before.base)
    adopted = plan("@goal: Repair\n@goal: One", before)
    assert named(adopted) == [("G004", "Repair"), ("G001", "One")]
    assert adopted.goals[0].by == "person"


def test_what_a_person_added_by_steering_is_carried_over_too():
    """It is not in the brief either; whoever added it, it stays until it is set aside."""
    before = plan(BEFORE)
    added = Goal(id="G004", title="Extra", objective="More.", origin="steering")
    before = before.but(goals=(*before.goals, added))
    assert named(plan(BEFORE, before))[-1] == ("G004", "Extra")
    (adopted,) = plan("@goal: Extra", before).goals
    assert (adopted.id, adopted.origin) == ("G004", "brief")


def test_a_carried_goal_does_not_wait_for_a_goal_that_is_gone():
    """Else the brief could never be planned again."""
    before = plan(BEFORE)
    waits = {"depends_on": ("G002", "G003"), "origin": "steering"}
    before = before.but(goals=(*before.goals, Goal(id="G004", title="x", objective="x", **waits)))
    after = plan("@goal: One\n@goal: Three", before)
    assert after.goals[-1].depends_on == ("G003",)


def test_the_most_alike_goals_are_matched_first():
    """One old goal goes on as one story, and the other story is new."""
    before = plan("@goal: Reject rows that are bad")
    after = plan(
        "@goal: Reject files and rows that are bad\n@goal: Reject all rows that are bad",
        before,
    )
    assert [goal.id for goal in after.goals] == ["G002", "G001"]


def test_very_many_changed_goals_are_new_goals():
    """Comparing each with each would take too long, and a new id is always safe."""
    before = plan("".join(f"@goal: a b c d {n}\n" for n in range(101)))
    after = plan("".join(f"@goal: a b c d x{n}\n" for n in range(101)), before)
    assert after.goals[0].id == "G102"


def test_criteria_that_several_goals_share_name_none_of_them():
    """`pytest` proves many things."""
    before = plan("@goal: One\n- [ ] `pytest`\n@goal: Two\n- [ ] `pytest`")
    assert named(plan("@goal: Six\n- [ ] `pytest`", before)) == [("G003", "Six")]


@requirement("R009")
def test_the_preamble_s_fence_is_the_plan_s():
    """It binds goals that do not exist yet."""
    found = plan("Only: src/**, tests/**\n- [ ] never touch src/x\n@goal: One\nOnly: src/a")
    assert found.fence == Fence(touch=("src/**", "tests/**"), never=("src/x",))
    assert found.goals[0].fence == Fence(touch=("src/a",), never=("src/x",))


def test_a_carried_goal_is_bound_by_the_new_preamble():
    """Its scope criterion is a new claim, so it has a new id."""
    before = plan("Only: src/**\n@goal: One")
    scope = before.goals[0].criteria[0].but(id="G002.C1")
    added = Goal(
        id="G002",
        title="x",
        objective="x",
        origin="steering",
        fence=before.fence,
        criteria=(scope,),
    )
    before = before.but(goals=(*before.goals, added))
    assert plan("Only: src/**\n@goal: One", before).goals[1] == added
    wide = plan("Only: src/**, docs/**\n@goal: One", before)
    assert wide.goals[1].fence == wide.fence == Fence(touch=("src/**", "docs/**"))
    assert criteria(wide, "G002") == [("G002.C2", "only src/**, docs/** change")]
    assert criteria(plan("@goal: One", before), "G002") == []
    own = added.but(fence=Fence(touch=("src/a",)))
    before = before.but(goals=(before.goals[0], own))
    assert plan("@goal: One", before).goals[1] == own


def test_what_is_said_of_the_whole_plan_stays_until_it_is_said_otherwise():
    """Where work is delivered does not change because a line is missing."""
    first = plan("Deliver: branch a\nUpstream: main\nSuite: `make`\n@goal: One")
    assert (first.deliver, first.upstream) == ("branch a", "main")
    again = plan("@goal: One", first)
    assert (again.deliver, again.upstream, again.suite) == ("branch a", "main", None)
    assert plan("Deliver: worktree\n@goal: One", first).deliver == "worktree"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@goal: One\nAfter: G001", [(2, "self-dependency")]),
        ("@goal: One\nAfter: G009", [(2, "unknown-goal")]),
        ("@goal: One\n@goal: Two\n\nDepends on: G001, G003", [(4, "unknown-goal")]),
        ("@goal: One\nAfter: G002\n@goal: Two\nAfter: G001", [(2, "cycle")]),
        (
            "".join(f"@goal: {n}\nAfter: G{m}\n" for n, m in enumerate((2, 1, 4, 3, 1))) + "@goal",
            [(2, "cycle"), (6, "cycle"), (11, "empty-goal")],
        ),
        ("@goal: One\n```goal\ndepends_on: [G002]\n```", [(2, "unknown-goal")]),
    ],
)
def test_dependencies_that_can_never_be_met_are_defects(text, expected):
    """Unknown, one's own and circular: each is shown on the line that says it."""
    assert codes(text) == expected


def test_very_many_loops_are_shown_in_part():
    """Twenty are enough to know what is wrong."""
    pairs = range(1, 61, 2)
    text = "".join(f"@goal: a\nAfter: G{n + 1}\n@goal: b\nAfter: G{n}\n" for n in pairs)
    assert len(codes(text)) == 20


def test_dependencies_are_about_the_ids_a_person_sees():
    """After an edit, the ids are those of the plan, not positions in the brief."""
    before = plan(BEFORE)
    assert codes("@goal: Two\n@goal: Three\nAfter: G002", before) == []
    assert codes("@goal: Two\n@goal: Three\nAfter: G001", before) == [(3, "unknown-goal")]
    looped = before.but(
        goals=(
            *before.goals,
            Goal(id="G004", title="x", objective="x", by="agent", depends_on=("G001",)),
        )
    )
    assert codes("@goal: One\nAfter: G004", looped) == [(2, "cycle")]
