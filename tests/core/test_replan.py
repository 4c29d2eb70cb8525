"""A brief edited after its plan was sealed: what is proposed, and what a person is shown."""

from __future__ import annotations

import pytest

from forsooth.core import command as do
from forsooth.core.amendment import Piece, Split
from forsooth.core.check import Check
from forsooth.core.form import may_create
from forsooth.core.plan import Cadence, Fence, Mutant, Plan
from forsooth.core.policy import Policy
from forsooth.core.replan import Change, changes, policy_changes, propose
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
FULL = criterion(
    "G001.C1",
    says="it holds",
    surface="cli",
    tags=("adversarial",),
    paths=("src/**",),
    oracle=("t.csv",),
    mutants=(Mutant(path="a.py", replace="x", by=""),),
    hidden=True,
)
ELSEWHERE = Check(kind="command", params={"argv": ["false"], "cwd": "a"}, where="workspace")
CASES: dict[str, tuple[Plan, Plan, tuple[Change, ...]]] = {
    "added": (plan(1), plan(2), (Change("+", "G002 goal 2"),)),
    "removed": (plan(2), plan(1), (Change("-", "G002 goal 2", True),)),
    "set aside": (plan(2), plan(2, superseded=("G002",)), (Change("-", "G002 goal 2", True),)),
    "moved": (plan(2), plan(goal(2), goal(1)), (Change("~", "order: G002, G001"),)),
    "preamble": (
        plan(1),
        plan(1, preamble="Be brief."),
        (Change("~", "binds every goal: none → Be brief."),),
    ),
    "long preamble": (
        plan(1, preamble="x" * 400),
        plan(1, preamble="x" * 399 + "y"),
        (Change("~", "binds every goal: said otherwise further down"),),
    ),
    "first suite": (
        plan(1),
        plan(1, suite=True),
        (Change("~", "stays green: none → command true"),),
    ),
    "no suite": (
        plan(1, suite=True),
        plan(1),
        (Change("~", "stays green: command true → none", True),),
    ),
    "delivery": (
        plan(1),
        plan(1, deliver="branch main"),
        (Change("~", "delivered: worktree → branch main"),),
    ),
    "upstream": (plan(1), plan(1, upstream="main"), (Change("~", "upstream: none → main", True),)),
    "no upstream": (plan(1, upstream="main"), plan(1), (Change("~", "upstream: main → none"),)),
    "title": (plan(1), plan(goal(1, title="new")), (Change("~", "G001 title: goal 1 → new"),)),
    "objective": (
        plan(1),
        plan(goal(1, objective="new")),
        (Change("~", "G001 objective: “reach 1” → “new”"),),
    ),
    "intent": (
        plan(1),
        plan(goal(1, intent="docs")),
        (Change("~", "G001 intent: feature → docs", True),),
    ),
    "stricter intent": (
        plan(goal(1, intent="docs")),
        plan(1),
        (Change("~", "G001 intent: docs → feature"),),
    ),
    "dependencies": (
        plan(2),
        plan(goal(1), goal(2, depends_on=("G001",))),
        (Change("~", "G002 after: nothing → G001"),),
    ),
    "fence": (
        plan(1),
        plan(goal(1, fence=Fence(touch=("a",), never=("b", "c")))),
        (Change("~", "G001 fence: anywhere → only a, never b, c"),),
    ),
    "narrower fence": (
        plan(goal(1, fence=Fence(touch=("a/**",)))),
        plan(goal(1, fence=Fence(touch=("a/b",)))),
        (Change("~", "G001 fence: only a/** → only a/b"),),
    ),
    "wider fence": (
        plan(goal(1, fence=Fence(touch=("a/b",)))),
        plan(goal(1, fence=Fence(touch=("a/b", "c")))),
        (Change("~", "G001 fence: only a/b → only a/b, c", True),),
    ),
    "no fence": (
        plan(goal(1, fence=Fence(touch=("a",)))),
        plan(1),
        (Change("~", "G001 fence: only a → anywhere", True),),
    ),
    "less never": (
        plan(goal(1, fence=Fence(never=("a",)))),
        plan(1),
        (Change("~", "G001 fence: anywhere, never a → anywhere", True),),
    ),
    "permissions": (
        plan(1),
        plan(goal(1, may_change=("t.py",), expects="no-change", cadence=Cadence())),
        (
            Change("~", "G001 may change: none → t.py", True),
            Change("~", "G001 expects: change → no-change", True),
            Change("~", "G001 comes round: none → every 24 hours", True),
        ),
    ),
    "fewer permissions": (
        plan(goal(1, may_move=("a", "b"))),
        plan(goal(1, may_move=("a",))),
        (Change("~", "G001 may move: a, b → a"),),
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
            Change("~", "G001.C2 claim: G001.C2 holds → less", True),
            Change("+", "G001.C3 G001.C3 holds"),
            Change("-", "G001.C1 G001.C1 holds", True),
        ),
    ),
    "the same claim anew": (
        plan(goal(1, criteria=(FULL,))),
        plan(goal(1, criteria=(criterion("G001.C7", says="it holds", check=ELSEWHERE),))),
        (
            Change("~", 'G001.C1 → G001.C7 check: command true → command false {"cwd": "a"}', True),
            Change("~", "G001.C1 → G001.C7 looked at in: the judge → the workspace", True),
            Change("~", "G001.C1 → G001.C7 surface: cli → none", True),
            Change("~", "G001.C1 → G001.C7 tags: adversarial → none", True),
            Change("~", "G001.C1 → G001.C7 paths: src/** → none", True),
            Change("~", "G001.C1 → G001.C7 oracle: t.csv → none", True),
            Change("~", "G001.C1 → G001.C7 must turn red: a.py: 'x' by '' → none", True),
            Change("~", "G001.C1 → G001.C7 hidden: yes → no", True),
        ),
    ),
    "more proof of the same claim": (
        plan(goal(1, criteria=(criterion("G001.C1", oracle=("a",)),))),
        plan(goal(1, criteria=(criterion("G001.C1", oracle=("a", "b"), tags=("t",)),))),
        (
            Change("~", "G001.C1 tags: none → t"),
            Change("~", "G001.C1 oracle: a → a, b"),
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


def test_what_an_agent_adds_never_takes_a_drafted_goal_s_name():
    """A draft may be sealed later: its names are taken from when it was made."""
    run = Run(plan(1))
    run.create(plan(2))
    run.add()
    assert set(run.state.goals) == {"G001", "G003"}


def test_a_waiver_stays_with_the_criterion_it_was_about():
    """Another claim under the same name is not waived by it."""
    run = Run(plan(goal(1)))
    run.done(do.Waive(goal="G001", criterion="G001.C1", by="ann", reason="known"), PERSON)
    run.reseal(plan(goal(1, title="said anew")))
    assert set(run.goal().waivers) == {"G001.C1"}
    changed = run.goal().goal.criteria[0].but(says="no secrets are left")
    run.reseal(plan(goal(1, criteria=(changed,))))
    assert run.goal().waivers == {}


def test_a_seal_is_refused_when_the_plan_moved_after_it_was_shown():
    """What a person confirms is the difference they saw."""
    run = Run(plan(1))
    run.create(plan(2))
    shown, against = run.state.proposal, run.state.plan_digest
    run.add()
    assert shown is not None
    again = do.Seal(digest=shown.digest, against=against)
    assert run.ask(again, PERSON) == ("draft-changed",)
    assert run.ask(do.Seal(digest=shown.digest, against=run.state.plan_digest), PERSON) == ()


def test_a_goal_the_brief_names_is_never_dropped_with_the_pieces_of_a_split():
    """Only what agents put in the place of a goal goes when the goal is wanted again."""
    run = Run(plan(goal(1)))
    pieces = (Piece(title="one", objective="one"), Piece(title="two", objective="two"))
    run.steer(Split(goal="G001", pieces=pieces, evidence="seen", rationale="so"))
    wanted = plan(goal(1, title="wanted again"), goal(2, title="one"))
    assert [one.id for one in propose(run.state, wanted).goals] == ["G001", "G002"]


def test_a_steered_goal_that_was_set_aside_stays_so_whatever_it_waited_for():
    """The brief does not name it, so no edit of the brief brings it back."""
    run = Run(plan(2)).add(PERSON, depends_on=("G002",)).block("G003").supersede("G003", PERSON)
    (third,) = (one.goal for id_, one in run.state.goals.items() if id_ == "G003")
    wanted = plan(goal(1), third.but(depends_on=()))
    proposal = propose(run.state, wanted)
    assert proposal.superseded == ("G003",)
    run.reseal(proposal)
    assert run.status("G003") == "superseded"


def test_what_steering_added_never_keeps_a_brief_from_being_planned_again():
    """Required tags and dependencies are asked of what the brief names."""
    run = Run(plan(goal(1, criteria=(criterion("G001.C1", tags=("adversarial",)),))))
    run.add()
    tagged = Policy(tags=("adversarial",))
    now = run.state.definition
    assert may_create(now, tagged) == ()
    lonely = goal(2, depends_on=("G009",))
    assert may_create(plan(goal(1), lonely, superseded=("G002",)), Policy()) == ()
    (reason,) = may_create(plan(goal(1), lonely), Policy())
    assert reason.code == "unknown-dependency"
    (reason,) = may_create(plan(1), tagged)
    assert (reason.code, bool(reason.hint)) == ("tag-missing", True)


@pytest.mark.parametrize(
    ("before", "after", "says", "loosens"),
    [
        ({"attempts": 5}, {"attempts": 9}, "attempts: 5 → 9", True),
        ({"attempts": 9}, {"attempts": 5}, "attempts: 9 → 5", False),
        ({}, {"budget": 7}, "budget: none → 7", False),
        ({"budget": 7}, {}, "budget: 7 → none", True),
        ({"budget": 7}, {"budget": 8}, "budget: 7 → 8", True),
        ({"tags": ("a",)}, {}, 'tags: ["a"] → []', True),
        ({"isolation": "strict"}, {}, 'isolation: "strict" → "none"', True),
        ({}, {"isolation": "strict"}, 'isolation: "none" → "strict"', False),
        ({"weak": "refuse"}, {}, 'weak: "refuse" → "steered"', True),
        ({}, {"agents_may_seal": True}, "agents_may_seal: false → true", True),
        ({"holds": 8}, {"holds": 2}, "holds: 8 → 2", True),
        ({}, {"holds_in_a_row": 2}, "holds_in_a_row: 6 → 2", True),
    ],
)
def test_a_changed_policy_is_shown_with_what_it_loosens(before, after, says, loosens):
    """Numbers and switches are part of what a person confirms."""
    shown = policy_changes(Policy(**before), Policy(**after))
    assert shown == (Change("~", f"policy {says}", loosens),)
