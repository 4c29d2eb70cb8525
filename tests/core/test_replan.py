"""A brief edited after its plan was sealed: what is proposed, and what a person is shown."""

from __future__ import annotations

import pytest

from forsooth.core.amendment import Piece, Split
from forsooth.core.plan import Cadence, Fence, Plan
from forsooth.core.replan import Change, changes, propose
from forsooth.core.state import NOTHING
from tests.core.build import GROUNDS, PASSES, PERSON, Run, criterion, goal, plan

PIECES = (Piece(title="a", objective="a"), Piece(title="b", objective="b"))


def names(wanted: Plan) -> list[str]:
    return [one.id for one in wanted.goals]


def test_without_history_a_brief_is_proposed_as_it_stands():
    """Nothing was set aside, so nothing stays so."""
    assert propose(NOTHING, plan(2)) == plan(2)
    assert propose(Run(plan(2)).state, plan(2)) == plan(2)


def test_what_a_person_set_aside_stays_so_while_the_brief_says_the_same():
    """Edited, it is wanted again."""
    run = Run(plan(2)).block().supersede(by=PERSON)
    assert propose(run.state, plan(2)).superseded == ("G001",)
    edited = plan(goal(1, objective="smaller"), goal(2))
    assert propose(run.state, edited).superseded == ()


def test_an_agents_setting_aside_ends_when_a_person_seals_the_goal_again():
    """Nobody confirmed it, and the brief still names the goal."""
    run = Run(plan(2)).block().supersede()
    assert propose(run.state, plan(2)).superseded == ()
    run.reseal(propose(run.state, plan(2)))
    assert run.goal().superseded is None


def test_a_split_stays_while_its_goal_is_unchanged():
    """Its pieces are in the brief's plan as well, and keep their proof."""
    run = Run(plan(1)).steer(Split(goal="G001", pieces=PIECES, **GROUNDS)).prove("G002")
    wanted = run.state.definition.but(superseded=())
    proposal = propose(run.state, wanted)
    assert (names(proposal), proposal.superseded) == (["G001", "G002", "G003"], ("G001",))
    run.reseal(proposal)
    assert run.status("G002") == "done"


def test_an_edited_goal_takes_its_place_back_from_all_its_pieces():
    """Also from the pieces of a piece."""
    run = Run(plan(1)).steer(Split(goal="G001", pieces=PIECES, **GROUNDS))
    run.steer(Split(goal="G003", pieces=PIECES, **GROUNDS))
    now = run.state.definition
    edited = now.but(goals=(goal(1, objective="simpler"), *now.goals[1:]), superseded=())
    proposal = propose(run.state, edited)
    assert (names(proposal), proposal.superseded) == (["G001"], ())


def test_a_first_plan_is_all_new():
    """Every goal is one line."""
    assert changes(None, plan(2)) == (Change("+", "G001 goal 1"), Change("+", "G002 goal 2"))


def test_the_same_plan_again_changes_nothing():
    """And neither does what the digest does not see."""
    assert changes(plan(2), plan(2)) == ()


BASE = goal(1, criteria=2)
CASES: dict[str, tuple[Plan, Plan, tuple[Change, ...]]] = {
    "added": (plan(1), plan(2), (Change("+", "G002 goal 2"),)),
    "removed": (plan(2), plan(1), (Change("-", "G002 goal 2", True),)),
    "set aside": (plan(2), plan(2, superseded=("G002",)), (Change("-", "G002 goal 2", True),)),
    "moved": (plan(2), plan(goal(2), goal(1)), (Change("~", "order: G002, G001"),)),
    "preamble": (
        plan(1),
        plan(1, preamble="Be brief."),
        (Change("~", "the constraints that bind every goal"),),
    ),
    "first suite": (plan(1), plan(1, suite=True), (Change("~", "the suite that stays green"),)),
    "no suite": (
        plan(1, suite=True),
        plan(1),
        (Change("~", "the suite that stays green", True),),
    ),
    "delivery": (plan(1), plan(1, deliver="main"), (Change("~", "delivered: main"),)),
    "upstream": (plan(1), plan(1, upstream="main"), (Change("~", "delivered: worktree"),)),
    "title": (plan(1), plan(goal(1, title="new")), (Change("~", "G001 title: new"),)),
    "objective": (plan(1), plan(goal(1, objective="new")), (Change("~", "G001 objective"),)),
    "intent": (
        plan(1),
        plan(goal(1, intent="docs")),
        (Change("~", "G001 intent: docs", True),),
    ),
    "dependencies": (
        plan(2),
        plan(goal(1), goal(2, depends_on=("G001",))),
        (Change("~", "G002 after: G001"),),
    ),
    "no dependencies": (
        plan(goal(1), goal(2, depends_on=("G001",))),
        plan(2),
        (Change("~", "G002 after: nothing"),),
    ),
    "fence": (
        plan(1),
        plan(goal(1, fence=Fence(touch=("a",), never=("b", "c")))),
        (Change("~", "G001 fence: only a, never b, c", True),),
    ),
    "no fence": (
        plan(goal(1, fence=Fence(touch=("a",)))),
        plan(1),
        (Change("~", "G001 fence: anywhere", True),),
    ),
    "permissions": (
        plan(1),
        plan(goal(1, may_change=("t.py",), cadence=Cadence())),
        (Change("~", "G001 may change", True), Change("~", "G001 cadence", True)),
    ),
    "criteria": (
        plan(BASE),
        plan(
            goal(
                1,
                criteria=(criterion("G001.C2", says="less"), criterion("G001.C3")),
                entry=(criterion("G001.E1"),),
            )
        ),
        (
            Change("+", "G001.E1 G001.E1 holds"),
            Change("~", "G001.C2 less", True),
            Change("+", "G001.C3 G001.C3 holds"),
            Change("-", "G001.C1 G001.C1 holds", True),
        ),
    ),
    "order of criteria": (
        plan(BASE),
        plan(BASE.but(criteria=BASE.criteria[::-1])),
        (Change("~", "G001 order of its criteria"),),
    ),
}


@pytest.mark.parametrize(("before", "after", "shown"), CASES.values(), ids=CASES)
def test_a_person_is_shown_what_changed_and_what_it_loosens(
    before: Plan, after: Plan, shown: tuple[Change, ...]
):
    """Each difference is one line, and what asks for less proof is marked."""
    assert changes(before, after) == shown
    assert PASSES.kind == "command"
