"""Where a plan stands in a few hundred characters."""

from __future__ import annotations

import pytest

from forsooth.core import command as do
from forsooth.core.recap import LONGEST, missing, recap, unproven
from forsooth.core.verdict import Finding
from tests.core.build import JUDGE, TREE, Run, criterion, findings, goal, plan
from tests.requirements import requirement


def told(run: Run) -> list[str]:
    return recap(run.state, run.now).splitlines()


def test_a_recap_names_the_goal_what_is_proven_what_is_missing_and_the_next_command():
    """In four lines, and nothing when there is no plan."""
    run = Run(plan(2)).prove("G001")
    assert told(run) == [
        f"Forsooth plan {run.state.plan.id}: active, 1 of 2 goals proven (G001).",
        "Goal G002: goal 2.",
        "Missing: G002.C1 untested: G002.C1 holds.",
        "G002 is ready and nobody has begun it. Next: forsooth next",
        "Last checks: G001.C1 pass.",
    ]
    assert told(Run(sealed=False)) == []


def test_a_draft_says_that_it_waits_for_a_person():
    """With how many goals it has."""
    first, *rest = told(Run(plan(2), sealed=False))
    assert first.endswith(": draft, 0 of 2 goals proven.")
    assert rest == ["the plan waits for a person's seal. Next: forsooth seal"]


def test_what_regressed_is_named_before_what_never_passed():
    """It is what most wants mending; what passes is not missing, and what is hidden is not told."""
    secret = criterion("G001.C4", says="no leap day", hidden=True)
    parts = (*(criterion(f"G001.C{n}") for n in (1, 2, 3)), secret)
    run = Run(plan(goals=(goal(1, criteria=parts),)))
    ids = tuple(f"G001.C{n}" for n in range(1, 5))
    run.open().submit().verdict(findings=findings(ids[2:3], "pass") + findings(ids[:1], "fail"))
    rows = findings(ids[1:2], "pass") + findings(ids[2:], "fail")
    run.open().submit().verdict(findings=rows)
    seen = missing(run.state.goals["G001"])
    assert [row.split(":")[0] for row in seen] == [
        "G001.C3 regressed",
        "G001.C1 failing",
        "G001.C4 failing",
    ]
    assert "leap" not in "".join(seen)
    assert unproven(run.state, run.now) == seen[0]


def test_a_proven_plan_has_nothing_missing():
    """Its recap says so."""
    run = Run().complete()
    assert unproven(run.state, run.now) == ""
    assert any("every goal is proven" in line for line in told(run))


def test_a_blocked_goal_is_what_the_recap_is_about():
    """Who must act is said, though there is no work."""
    run = Run(plan(1)).block(why="no key")
    assert told(run)[1] == "Goal G001: goal 1."
    assert told(run)[3].startswith("G001 needs a person: no key")


@requirement("R156")
@pytest.mark.parametrize("goals", [1, 40])
def test_a_recap_stays_short_whatever_the_plan_says(goals):
    """Also with long titles, many goals and many checks; the next command is always there."""
    many = tuple(
        goal(
            n,
            title="a very long title " * 30,
            criteria=tuple(criterion(f"G{n:03d}.C{c}", says="w" * 300) for c in range(1, 9)),
        )
        for n in range(1, goals + 1)
    )
    run = Run(plan(goals=many))
    for n in range(1, goals):
        run.prove(f"G{n:03d}")
    for _ in range(4):
        finding = Finding(criterion="G001.C1", outcome="waived", code="x")
        run.done(do.Record(finding=finding, tree=TREE), JUDGE)
    text = recap(run.state, run.now)
    assert len(text) <= LONGEST
    assert "Next: forsooth next" in text
    assert "Last checks: " in text
    assert len(run.state.crumbs) <= 10
