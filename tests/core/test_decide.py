"""From a command to facts, or to every reason against it."""

from __future__ import annotations

import pytest

from forsooth.core import command as do
from forsooth.core import consent, gate
from forsooth.core import event as was
from forsooth.core.actor import JUDGE, LOOP, Actor
from forsooth.core.amendment import Add, Reword, Supersede
from forsooth.core.decide import Refusal, decide
from forsooth.core.verdict import AWAITING
from tests.core.build import (
    AGENT,
    AGREE,
    BRIEF,
    BYTES,
    COMMIT,
    GROUNDS,
    PERSON,
    TREE,
    Run,
    criterion,
    findings,
    goal,
    opinion,
    plan,
    situations,
)

SITUATIONS = situations()


@pytest.mark.parametrize("actor", [PERSON, AGENT, LOOP], ids=lambda actor: actor.kind)
@pytest.mark.parametrize("run", SITUATIONS.values(), ids=SITUATIONS)
def test_a_command_is_refused_exactly_when_the_gate_has_reasons(run: Run, actor: Actor):
    """In every situation and for everyone: reasons, or facts that count."""
    state, now = run.state, run.now
    reword, away = Reword(goal="G001", title="x", **GROUNDS), Supersede(goal="G001", **GROUNDS)
    add = Add(title="t", objective="o", **GROUNDS)
    asked = (
        (do.Create(plan=plan(1)), gate.may_draft(state, plan(1), gate.Policy())),
        (
            do.Seal(digest=plan(2).digest),
            gate.may_seal(state, actor, digest=plan(2).digest, policy=gate.Policy()),
        ),
        (do.Open(goal="G001"), gate.may_open(state, "G001", now=now)),
        (
            do.Submit(attempt="G001.A1", tree=TREE),
            gate.may_submit(state, "G001.A1", now=now),
        ),
        (AGREE, consent.may_agree(state, "G001.C1", actor)),
        (do.Attest(receipt=run.a_receipt()), gate.may_attest(state, "G001", now=now)),
        (do.Attest(receipt=run.a_receipt("plan")), gate.may_attest(state, "plan", now=now)),
        (
            do.Raise(goal="G001", needs="agent", why="x"),
            gate.may_block(state, "G001", actor, now=now),
        ),
        (do.Clear(goal="G001", blocker="B1"), gate.may_clear(state, "G001", "B1", actor, now=now)),
        (do.Pause(), gate.may_pause(state, actor)),
        (do.Resume(), gate.may_resume(state, actor)),
        (do.Drop(), gate.may_drop(state, actor)),
        (
            do.Waive(goal="G001", criterion="G001.C1", by="p", reason="r"),
            consent.may_waive(state, "G001", "G001.C1", actor),
        ),
        *(
            (do.Amend(amendment=change), gate.may_amend(state, change, actor, now=now))
            for change in (reword, away, add)
        ),
    )
    for command, against in asked:
        decision = decide(state, command, actor=actor, now=now)
        if against:
            assert isinstance(decision, Refusal), command
            assert decision.reasons == against
            assert decision.fact.codes == tuple(reason.code for reason in against)
        else:
            assert against == (), command
            assert not isinstance(decision, Refusal), command
            assert decision


def test_a_refusal_is_an_event_that_names_its_goal():
    """Only a goal the plan knows; the rest of the ledger need not guess."""
    run = Run()
    run.ask(do.Clear(goal="G001", blocker="B1"))
    assert run.log[-1].fact == was.CommandRefused(
        command="clear", codes=("no-such-blocker",), goal="G001"
    )
    run.ask(do.Clear(goal="G009", blocker="B1"))
    assert run.log[-1].fact.goal is None
    assert run.state.refused == ("no-such-goal",)


def test_attempts_are_numbered_for_ever():
    """An aborted attempt keeps its number, and so does one before a person stepped in."""
    run = Run().open().done(do.Abort(attempt="G001.A1", reason="x"))
    run.judged(outcome="fail").block().clear().open()
    assert run.goal().attempt.id == "G001.A3"
    assert run.goal().spent == 1


def test_an_attempt_can_be_aborted_or_integrated_only_while_open():
    """Afterwards there is nothing to end."""
    run = Run()
    assert run.ask(do.Abort(attempt="G001.A1", reason="x")) == ("no-attempt",)
    merge = do.Integrate(attempt="G001.A1", tree=TREE, commit=COMMIT)
    assert run.ask(merge, LOOP) == ("no-attempt",)
    run.open().submit().integrate()
    assert run.goal().attempt.integrated == run.state.seq


def test_saying_that_a_goal_failed_ends_its_attempt():
    """Any other obstacle leaves the work where it is."""
    run = Run().open().block(kind="blocked")
    assert run.goal().attempt
    run.clear().block(kind="failed", why="no such API")
    assert run.goal().attempt is None
    assert [type(event.fact) for event in run.log[-2:]] == [was.AttemptAborted, was.BlockerRaised]
    run.clear().block(kind="failed")
    assert isinstance(run.log[-1].fact, was.BlockerRaised)


def test_evidence_says_who_saw_it():
    """A person, the judge, or, for everyone else, an agent."""
    run = Run()
    for actor, seen_by in ((PERSON, "human"), (JUDGE, "judge"), (AGENT, "agent"), (LOOP, "agent")):
        run.done(do.Attach(digest=BYTES, label="log"), actor)
        assert run.log[-1].fact.observed_by == seen_by


def test_an_approval_ends_the_wait_for_it():
    """A person's yes clears what waited for it, and only that."""
    run = Run(plan(goal(1, criteria=(opinion("G001.C1"), opinion("G001.C2")))))
    run.judged(outcome="error", code=AWAITING)
    run.block(kind="waiting", evidence=AWAITING).block(why="which colour?")
    run.done(AGREE, PERSON)
    assert [blocker.id for blocker in run.goal().blockers] == ["B1", "B2"]
    run.done(AGREE.but(criterion="G001.C2"), PERSON)
    assert [blocker.id for blocker in run.goal().blockers] == ["B2"]


def test_what_is_only_kept_is_always_kept():
    """Notes, findings and costs are never refused, not even after the end."""
    for run in SITUATIONS.values():
        for command in (
            do.Note(text="n", goal="G001"),
            do.Record(finding=findings(("G001.C1",), "fail")[0], tree=TREE),
            do.Spend(cost=1, tokens=2),
            do.Attach(digest=BYTES),
        ):
            assert not isinstance(decide(run.state, command, actor=AGENT, now=run.now), Refusal), (
                command
            )


def test_a_split_and_an_addition_name_new_goals_after_every_old_one():
    """Numbers are never used again, not even those of goals set aside."""
    run = Run(plan(goal(1), goal(7))).block("G007").supersede("G007", PERSON)
    run.add(criteria=(criterion("G001.C1", by="agent"),))
    assert list(run.state.goals) == ["G001", "G007", "G008"]
    assert run.state.plan.brief_digest == BRIEF


def test_a_verdict_under_another_version_of_the_plan_is_refused():
    """A judge that looked at yesterday's plan says nothing about today's."""
    run = Run().open().submit()
    stale = run.a_verdict(plan_digest="9" * 64)
    assert run.ask(do.Give(verdict=stale), JUDGE) == ("other-plan",)
