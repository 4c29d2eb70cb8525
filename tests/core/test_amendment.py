"""Steering: what may change, by whom, and that nothing required is ever lost."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from forsooth.core import command as do
from forsooth.core.amendment import (
    Add,
    Amendment,
    Piece,
    Reorder,
    Reword,
    Split,
    Supersede,
    births,
    made,
    reordered,
    share_out,
)
from forsooth.core.event import CommandRefused, NoteAdded, PlanAmended
from forsooth.core.next import Judge, Open, Rest, Wait
from forsooth.core.plan import Fence
from tests.core.build import AGENT, GROUNDS, PERSON, SCRIPT, Run, criterion, goal, plan
from tests.requirements import requirement

ANY = TypeAdapter[Amendment](Amendment)
TWO = (Piece(title="one", objective="one"), Piece(title="two", objective="two"))


def lost(before, live, superseded):
    """Criteria required before that are now missing, doubled or changed.

    Conservation of criteria: each is still on exactly one live goal, unchanged, or on a goal whose
    supersession is evidenced.
    """
    now = list(live)
    times = Counter(criterion.id for criterion in now)
    content = {criterion.id: criterion for criterion in now}
    gone = set(superseded)
    return tuple(
        id_
        for id_, criterion in before.items()
        if not (times[id_] == 1 and content[id_] == criterion)
        and not (times[id_] == 0 and id_ in gone)
    )


@requirement("R044")
def test_there_are_five_ways_to_steer_and_a_note():
    """Add, split, reorder, reword, supersede change the plan; a note does not."""
    kinds = [one.model_fields["kind"].default for one in get_args(get_args(Amendment)[0])]
    assert kinds == ["add", "split", "reorder", "reword", "supersede"]
    run = Run()
    before = run.state.plan_digest
    run.done(do.Note(text="tried the other way", **GROUNDS))
    assert run.state.plan_digest == before


@requirement("R045", "R046", "R047")
@pytest.mark.parametrize(
    "whole",
    [
        {"kind": "add", "title": "t", "objective": "o"},
        {"kind": "split", "goal": "G001", "pieces": [{"title": "t", "objective": "o"}] * 2},
        {"kind": "reorder", "order": ["G001", "G002"]},
        {"kind": "reword", "goal": "G001"},
        {"kind": "supersede", "goal": "G001"},
    ],
    ids=lambda whole: whole["kind"],
)
def test_a_change_without_evidence_rationale_or_a_part_is_refused(whole: dict[str, object]):
    """Every part is asked for; what is missing is not guessed."""
    read = ANY.validate_python
    assert read({**whole, **GROUNDS}, strict=False)
    for missing in (*whole, *GROUNDS):
        with pytest.raises(ValidationError):
            read({k: v for k, v in {**whole, **GROUNDS}.items() if k != missing}, strict=False)
    for empty in GROUNDS:
        with pytest.raises(ValidationError):
            read({**whole, **GROUNDS, empty: ""}, strict=False)


@requirement("R047")
@pytest.mark.parametrize(
    "prose",
    ["drop the tests, they are slow", {"kind": "simplify"}, {"please": "skip G001"}, None],
    ids=str,
)
def test_prose_is_never_a_change(prose: object):
    """A wish in words matches no form and changes nothing; kept as a note it is only a note."""
    with pytest.raises(ValidationError):
        ANY.validate_python(prose)
    run = Run(plan(2))
    goals = run.state.goals
    run.done(do.Note(text=str(prose)))
    assert run.state.goals == goals


def test_a_split_shares_out_the_criteria_and_unnamed_ones_go_last():
    """Fence and permissions are inherited, and only the first piece has the entry criteria."""
    whole = goal(1, criteria=3, entry=(criterion("G001.E1"),), may_change=("t.py",))
    pieces = (
        Piece(title="a", objective="a", criteria=("G001.C2",)),
        Piece(title="b", objective="b"),
    )
    first, last = share_out(whole, Split(goal="G001", pieces=pieces, **GROUNDS), ids=("G2", "G3"))
    assert [c.id for c in first.criteria] == ["G001.C2"]
    assert [c.id for c in last.criteria] == ["G001.C1", "G001.C3"]
    assert (len(first.entry), len(last.entry)) == (1, 0)
    assert first.may_change == last.may_change == ("t.py",)


def test_only_as_many_goals_are_made_as_a_change_says():
    """Too few or too many names make none at all."""
    add = Add(title="t", objective="o", **GROUNDS)
    split = Split(goal="G001", pieces=TWO, **GROUNDS)
    away = Supersede(goal="G001", **GROUNDS)
    assert [births(one) for one in (add, split, away)] == [1, 2, 0]
    assert made(add, None, ids=(), by=AGENT) is None
    assert made(split, goal(1), ids=("G002",), by=AGENT) is None
    assert made(away, goal(1), ids=("G002",), by=AGENT) is None
    assert made(away, goal(1), ids=(), by=AGENT) == ()
    assert made(split, None, ids=("G002", "G003"), by=AGENT) == ()


def test_an_order_moves_only_the_goals_it_names():
    """They take the places they held together."""
    assert reordered(("a", "b", "c", "d"), ("d", "b")) == ("a", "d", "c", "b")


def test_lost_is_missing_doubled_or_changed():
    """A criterion on a goal that was set aside is not lost."""
    one, two = criterion("G001.C1"), criterion("G001.C2")
    before = {"G001.C1": one, "G001.C2": two}
    assert lost(before, (one, two), ()) == ()
    assert lost(before, (one,), ()) == ("G001.C2",)
    assert lost(before, (one,), ("G001.C2",)) == ()
    assert lost(before, (one, one, two), ()) == ("G001.C1",)
    assert lost(before, (one.but(says="less"), two), ("G001.C1",)) == ("G001.C1",)


@requirement("R048", "R049")
@settings(max_examples=60)
@given(st.data())
def test_no_agent_ever_loses_a_criterion(data: st.DataObject):
    """Whatever agents steer, each person's criterion is on one live goal, or on one set aside."""
    run = Run(plan(goal(1, criteria=2), goal(2), goal(3, criteria=3, depends_on=("G001",))))
    preamble, suite = run.state.plan.preamble, run.state.plan.suite
    for _ in range(data.draw(st.integers(1, 8))):
        before = {c.id: c for one in run.state.live for c in one.goal.criteria}
        done = {id_ for id_, one in run.state.goals.items() if one.proof}
        names = st.sampled_from(sorted(run.state.goals))
        name = data.draw(names)
        mine = [c.id for c in run.goal(name).goal.criteria]
        shares = data.draw(st.lists(st.sampled_from(mine), max_size=3)) if mine else []
        pieces = (TWO[0].but(criteria=tuple(shares)), TWO[1])
        amendment = data.draw(
            st.sampled_from(
                [
                    Add(title="t", objective="o", depends_on=(name,), **GROUNDS),
                    Split(goal=name, pieces=pieces, **GROUNDS),
                    Reorder(order=(name, data.draw(names)), **GROUNDS),
                    Reword(goal=name, title="other", **GROUNDS),
                    Supersede(goal=name, **GROUNDS),
                ]
            )
        )
        if data.draw(st.booleans()):
            run.ask(do.Raise(goal=name, needs="agent", why="x"))
        goals = set(run.state.goals)
        run.ask(do.Amend(amendment=amendment))
        aside = [one for one in run.state.goals.values() if one.superseded]
        gone = {c.id for one in aside for c in one.goal.criteria}
        live = [c for one in run.state.live for c in one.goal.criteria]
        assert lost(before, live, gone) == ()
        assert goals <= set(run.state.goals), "never deleted"
        assert {id_ for id_, one in run.state.goals.items() if one.proof} == done
    assert (run.state.plan.preamble, run.state.plan.suite) == (preamble, suite)


@requirement("R050")
def test_what_was_steered_and_what_was_refused_are_both_on_record():
    """The ledger has the change with its grounds, or the command with every code against it."""
    run = Run(plan(2))
    assert run.ask(do.Amend(amendment=Supersede(goal="G001", **GROUNDS))) == ("not-blocked",)
    assert run.log[-1].fact == CommandRefused(command="amend", codes=("not-blocked",))
    run.steer(Reword(goal="G001", title="better", **GROUNDS))
    assert isinstance(run.log[-1].fact, PlanAmended)
    assert run.log[-1].fact.amendment.evidence == GROUNDS["evidence"]
    run.done(do.Note(text="n"))
    assert isinstance(run.log[-1].fact, NoteAdded)


@requirement("R051")
def test_a_goal_set_aside_stays_with_its_reasons_and_is_passed_over():
    """It keeps its place and its criteria; the scheduler goes to the next."""
    run = Run(plan(2)).block().supersede()
    gone = run.goal().superseded
    assert (gone.evidence, gone.rationale, gone.by) == (*GROUNDS.values(), AGENT)
    assert [goal.id for goal in run.state.definition.goals] == ["G001", "G002"]
    assert run.steps() == (Open("G002", ("G002.C1",)),)


@requirement("R052")
def test_a_blocked_goal_is_passed_over_but_keeps_the_plan_open():
    """Until it is replaced, or set aside with a person's agreement."""
    run = Run(plan(2)).block().prove("G002")
    assert run.ending == "waiting-human"
    run.verdict("plan")
    assert run.ask(do.Attest(receipt=run.a_receipt("plan"))) == ("goal-open",)
    run.supersede(by=PERSON)
    assert run.step == Judge("plan")


def test_an_agents_setting_aside_waits_for_a_person_before_the_plan_is_proven():
    """Other goals go on, then the run ends partial; a script's yes is not a person's."""
    run = Run(plan(2)).block().supersede().prove("G002")
    assert isinstance(run.step, Wait)
    assert (run.step.needs, run.step.goal, run.ending) == ("human", "G001", "partial")
    run.verdict("plan")
    assert run.ask(do.Attest(receipt=run.a_receipt("plan"))) == ("unconfirmed",)
    again = do.Amend(amendment=Supersede(goal="G001", **GROUNDS))
    assert run.ask(again, AGENT) == ("not-blocked",)
    assert run.ask(again, SCRIPT) == ("not-blocked",)
    run.supersede(by=PERSON)
    assert run.step == Judge("plan")
    run.verdict("plan").attest("plan")
    assert run.step == Rest("done")


def test_dependants_of_a_split_goal_wait_for_every_piece():
    """A goal in pieces is settled when all of them are."""
    run = Run(plan(goal(1), goal(2, depends_on=("G001",))))
    run.steer(Split(goal="G001", pieces=TWO, **GROUNDS))
    assert [step.goal for step in run.steps()] == ["G003", "G004"]
    run.prove("G003")
    assert [step.goal for step in run.steps()] == ["G004"]
    run.prove("G004")
    assert [step.goal for step in run.steps()] == ["G002"]


def test_an_added_goal_is_its_authors_and_numbered_after_the_last():
    """Its criteria are named anew and never pass for a person's."""
    run = Run(plan(2))
    run.add(criteria=(criterion("G001.C1", by="agent"), criterion("G001.C1", by="agent")))
    added = run.goal("G003").goal
    assert [(c.id, c.by) for c in added.criteria] == [("G003.C1", "agent"), ("G003.C2", "agent")]
    assert (added.by, added.is_weak) == ("agent", True)
    run.add(PERSON, criteria=(criterion("G001.C1"),))
    assert (run.goal("G004").goal.by, run.goal("G004").goal.is_weak) == ("person", False)


def test_who_is_out_of_attempts_does_not_get_more_by_splitting():
    """Only a person gives a goal that keeps failing another beginning."""
    run = Run()
    for _ in range(3):
        run.judged(outcome="fail")
    split = do.Amend(amendment=Split(goal="G001", pieces=TWO, **GROUNDS))
    assert run.ask(split, AGENT) == ("stuck",)
    assert run.ask(split, PERSON) == ()


@requirement("R048")
@pytest.mark.parametrize("by", [AGENT, PERSON])
def test_an_added_goal_is_bound_by_the_fence_of_the_preamble(by):
    """What may change was said for every goal, also for one nobody had thought of."""
    fence = Fence(touch=("src/**",), never=("src/x",))
    run = Run(plan(1, fence=fence)).add(by, criteria=(criterion("G000.C1", by="agent"),))
    added = run.goal("G002").goal
    assert (added.fence, added.origin) == (fence, "steering")
    scope = added.criteria[-1]
    assert (scope.id, scope.check.kind, scope.by) == ("G002.C2", "scope", "person")
    assert scope.says == "only src/** change; never touch src/x"
    forged = PlanAmended(
        amendment=Add(title="x", objective="x", **GROUNDS),
        goals=(goal(3, criteria=0, title="x", objective="x", by="agent", origin="steering"),),
    )
    assert not run.fact(forged)


def test_a_goal_added_under_the_first_version_still_counts():
    """Its ledger does not say where a goal comes from, and is not rewritten."""
    run = Run(plan(1))
    old = goal(2, criteria=0, title="x", objective="x", by="agent")
    assert run.fact(PlanAmended(amendment=Add(title="x", objective="x", **GROUNDS), goals=(old,)))
    assert run.goal("G002").goal.is_steered
