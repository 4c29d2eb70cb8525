"""What is done, blocked or ready is asked of the state; nobody can set it."""

from __future__ import annotations

import pytest

from forsooth.core import command as do
from forsooth.core.amendment import Reorder
from forsooth.core.instant import written
from forsooth.core.plan import Base
from forsooth.core.state import NOTHING
from forsooth.core.status import is_settled, unconfirmed, waits_for
from tests.core.build import AGENT, GROUNDS, LOOP, PERSON, Run, daily, findings, goal, plan
from tests.requirements import requirement


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("blocked", "blocked"),
        ("failed", "failed"),
        ("review", "review_blocked"),
        ("stuck", "stuck"),
        ("budget", "stuck"),
        ("waiting", "waiting"),
    ],
)
def test_a_blocked_goal_is_shown_by_its_kind(kind: str, shown: str):
    """One status for the rules, a telling word for people."""
    run = Run().block(kind=kind)
    assert (run.status(), run.shown()) == ("blocked", shown)


def test_every_state_of_a_goal_can_be_seen():
    """Pending, ready, active, done, blocked, set aside: the first line that holds."""
    run = Run(plan(goal(1), goal(2, depends_on=("G001",))), sealed=False)
    run.seal()
    assert (run.shown("G001"), run.shown("G002")) == ("ready", "pending")
    run.open()
    assert run.shown() == "active"
    run.submit().verdict().attest()
    assert (run.shown("G001"), run.shown("G002")) == ("done", "ready")
    run.open("G002").block("G002")
    assert run.shown("G002") == "blocked"
    run.supersede("G002")
    assert run.shown("G002") == "superseded"


def test_expired_comes_before_done_and_after_blocked():
    """A hypothesis whose time has passed is not done, whatever was proven before."""
    run = Run().prove("G001")
    run.verdict(findings=findings(("G001.C1",), "error", code="hypothesis-expired"))
    assert run.status() == "expired"
    run.block()
    assert run.status() == "blocked"
    run.clear()
    assert run.status() == "pending"


def test_a_wait_on_time_ends_by_itself():
    """No event is needed; the clock alone lifts it."""
    run = Run()
    run.block(needs="time", until=written(run.now.replace(hour=3)))
    assert run.status() == "blocked"
    run.later(hours=3)
    assert run.status() == "pending"


def test_dropped_is_asked_before_draft():
    """A draft that was given up is given up."""
    run = Run(plan(1), sealed=False)
    assert run.plan_status == "draft"
    run.done(do.Drop(), PERSON)
    assert run.plan_status == "dropped"


def test_a_plan_is_done_before_it_is_paused():
    """Pausing what is proven takes nothing away."""
    run = Run(plan(1))
    assert run.plan_status == "active"
    run.done(do.Pause(), PERSON)
    assert run.plan_status == "paused"
    run.done(do.Resume(), PERSON).complete()
    run.done(do.Pause(), PERSON)
    assert run.plan_status == "done"


@requirement("R083", "R084")
def test_a_goals_receipt_stays_fresh_through_what_others_do():
    """Starts, claims, verdicts, receipts and blockers of other goals; bookkeeping of any kind."""
    run = Run(plan(3)).prove("G001")
    run.open("G002").submit("G002").verdict("G002", "fail")
    run.prove("G002").block("G003").clear("G003").add().prove("G003")
    run.done(do.Note(text="n", goal="G001")).done(do.Spend(cost=1, goal="G001"))
    run.done(do.Record(finding=findings(("G001.C1",), "fail")[0], tree="1" * 40))
    run.ask(do.Open(goal="G001"))
    run.verdict("G001", "error").verdict("plan", "error")
    run.done(do.Pause(), PERSON).done(do.Resume(), PERSON)
    assert run.status() == "done"


@requirement("R083")
@pytest.mark.parametrize(
    "change",
    [
        lambda run: run.block().clear(),
        lambda run: run.verdict(outcome="fail"),
        lambda run: run.verdict("plan", "fail"),
        lambda run: run.reseal(plan(goal(1, objective="other"), goal(2))),
        lambda run: run.done(
            do.Waive(goal="G001", criterion="G001.C1", by="p", reason="r"), PERSON
        ),
    ],
    ids=["blocker", "failing verdict", "failing plan verdict", "edited", "waiver"],
)
def test_a_goals_receipt_is_stale_once_the_goal_was_touched(change):
    """Its own wording, obstacles, waivers or a real failure ask for proof again."""
    run = Run(plan(2)).prove("G001")
    change(run)
    assert run.status() == "pending"
    run.prove("G001")
    assert run.status() == "done"


def test_an_inconclusive_verdict_never_stales_a_receipt():
    """Could not be evaluated is no failure: not for the goal and not through the plan."""
    run = Run(plan(1)).complete()
    run.verdict("G001", "error").verdict("plan", "error")
    assert (run.status(), run.plan_status) == ("done", "done")


def test_a_failure_on_an_attempts_branch_says_nothing_about_what_is_delivered():
    """Unless it is at the very tree the receipt is about."""
    run = Run().prove("G001")
    run.verdict(outcome="fail", stage="attempt", tree="2" * 40)
    assert run.status() == "done"
    run.verdict("plan", "fail", stage="attempt", tree="2" * 40)
    assert run.status() == "done"
    run.verdict(outcome="fail", stage="attempt", tree="1" * 40)
    assert run.status() == "pending"


@requirement("R085")
@pytest.mark.parametrize(
    "change",
    [
        lambda run: run.add(),
        lambda run: run.block().clear(),
        lambda run: run.verdict(outcome="fail"),
        lambda run: run.block("G002").supersede("G002", PERSON),
        lambda run: run.reseal(plan(2)),
    ],
    ids=["added", "blocker", "failure", "set aside", "sealed again"],
)
def test_the_plans_receipt_is_stale_once_what_it_requires_changed(change):
    """A goal more, a goal less, a goal in trouble: the whole must be proven again."""
    run = Run(plan(2)).complete()
    assert run.plan_status == "done"
    change(run)
    assert run.plan_status == "active"
    run.complete()
    assert run.plan_status == "done"


def test_any_amendment_stales_the_plans_receipt():
    """Also one that touches no goal the plan counts."""
    run = Run(plan(goal(1), daily(2), daily(3))).prove("G001").verdict("plan").attest("plan")
    assert run.plan_status == "done"
    run.steer(Reorder(order=("G003", "G002"), **GROUNDS))
    assert list(run.state.goals) == ["G001", "G003", "G002"]
    assert (run.status("G001"), run.plan_status) == ("done", "active")


@requirement("R086")
def test_a_plan_is_done_with_its_own_fresh_receipt_and_not_before():
    """Every goal done is not the plan done; with a goal open its receipt is refused."""
    run = Run(plan(2)).prove("G001")
    run.verdict("plan")
    assert run.ask(do.Attest(receipt=run.a_receipt("plan")), LOOP) == ("goal-open",)
    run.prove("G002")
    assert run.plan_status == "active"
    for kind in ("blocked", "review"):
        run.block("G002", kind=kind)
        run.verdict("plan")
        assert run.ask(do.Attest(receipt=run.a_receipt("plan")), LOOP) == ("goal-open",)
        run.clear("G002").prove("G002")
    run.verdict("plan").attest("plan")
    assert run.plan_status == "done"


def test_a_dependency_is_settled_when_proven_or_set_aside():
    """One that is not in the plan never is."""
    run = Run(plan(goal(1), goal(2, depends_on=("G001",)), daily(3)))
    assert waits_for(run.state, run.goal("G002"), run.now) == ("G001",)
    assert not is_settled(run.state, "G009", run.now)
    run.block().supersede()
    assert waits_for(run.state, run.goal("G002"), run.now) == ()
    assert unconfirmed(run.state) == ("G001",)


@requirement("R173")
def test_a_proof_is_dated_counted_and_summed_up_before_dependants_start():
    """The receipt carries the summary, and only then may the next goal begin."""
    run = Run(plan(goal(1), goal(2, depends_on=("G001",))))
    run.judged()
    assert run.shown("G002") == "pending"
    assert run.ask(do.Open(goal="G002")) == ("dependency-open",)
    run.later(hours=1).attest(summary="parse() refuses a bad header")
    one = run.goal()
    assert (one.achieved.count, one.achieved.last) == (1, written(run.now))
    assert one.proof.receipt.summary == "parse() refuses a bad header"
    assert run.shown("G002") == "ready"


@requirement("R175")
def test_a_failure_sends_the_goal_back_to_pending_with_what_was_seen():
    """The attempt is over, the reason is kept in one line, and the next can begin."""
    run = Run().open().submit()
    bad = findings(("G001.C1",), "fail", code="exit")[0].but(reason="exit 1:\n  boom")
    run.verdict(findings=(bad,))
    assert (run.status(), run.shown()) == ("pending", "ready")
    assert run.goal().standing("G001.C1").reason == "exit 1:\n  boom"
    run.open(by=AGENT)
    assert run.goal().attempt.id == "G001.A2"


def test_an_attempt_begins_at_what_was_proven_last():
    """Else where the plan began; before there is a plan, nowhere."""
    run = Run(plan(goal(1), goal(2)))
    assert NOTHING.accepted == Base()
    assert run.state.accepted == run.state.plan.base
    receipt = run.prove("G002").prove("G001").goal("G001").proof.receipt
    assert run.state.accepted == Base(commit=receipt.commit, tree=receipt.tree)
