"""Goals that come round again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from forsooth.core import command as do
from forsooth.core.cadence import Achievements, achieve, due_at, is_due
from forsooth.core.event import ReceiptIssued
from forsooth.core.instant import moment, written
from forsooth.core.next import Judge, Open, Rest, Wait
from forsooth.core.plan import Cadence
from forsooth.core.policy import Policy
from tests.core.build import LOOP, Run, daily, findings, goal, plan
from tests.requirements import requirement

START = moment("2026-01-01T00:00:00Z")
DAILY = Cadence(hours=24)


def after(*hours: float, cadence: Cadence | None = DAILY) -> Achievements:
    """Achievements at these hours from the start."""
    now = Achievements()
    for hour in hours:
        now = achieve(cadence, now, at=written(START + timedelta(hours=hour)))
    return now


@requirement("R177", "D6")
@pytest.mark.parametrize(
    ("hours", "streak", "longest"),
    [
        ((0,), 1, 1),
        ((0, 24), 2, 2),
        ((0, 48), 2, 2),
        ((0, 48.01), 1, 1),
        ((0, 24, 48, 100), 1, 3),
        ((0, 24, 100, 124), 2, 2),
        ((0, 100, 124, 148, 172), 4, 4),
    ],
)
def test_a_streak_ends_after_twice_the_interval(
    hours: tuple[float, ...], streak: int, longest: int
):
    """The elapsed time is read before it is overwritten, at both edges."""
    now = after(*hours)
    assert (now.count, now.streak, now.longest) == (len(hours), streak, longest)
    assert now.last == written(START + timedelta(hours=hours[-1]))


def test_without_a_cadence_time_does_not_end_a_streak():
    """Only what has an interval can miss it."""
    assert after(0, 1000, cadence=None).streak == 2


@requirement("R176")
def test_a_recurring_goal_is_never_completed_only_not_due():
    """Within its interval it rests; at the interval it is due, and ready again."""
    run = Run(plan(daily(1))).prove("G001")
    assert run.status() == "done"
    assert run.ask(do.Open(goal="G001")) == ("done",)
    run.later(hours=23, minutes=59)
    assert run.status() == "done"
    run.later(minutes=1)
    assert (run.status(), run.shown()) == ("pending", "ready")
    assert isinstance(run.step, Open)
    assert is_due(DAILY, run.goal().achieved, now=run.now)
    assert due_at(DAILY, run.goal().achieved) == run.now
    assert Cadence() == DAILY


@requirement("R176")
def test_what_comes_round_keeps_coming_round():
    """Its attempts are counted for one round, so it is not used up after five."""
    run = Run(plan(daily(1)), policy=Policy(attempts=2))
    for _ in range(7):
        run.judged(outcome="fail").prove("G001").later(hours=24)
    assert (run.goal().achieved.count, run.goal().achieved.streak) == (7, 7)
    assert isinstance(run.step, Open)


def test_a_recurring_goal_does_not_count_for_the_plan():
    """The plan is done without it, stays done when it fails, and is not judged about it."""
    run = Run(plan(goal(1), daily(2)))
    assert run.state.required == ("G001.C1",)
    run.prove("G001").judged("G002", "fail").judged("G002", "fail").judged("G002", "fail")
    run.block("G002", kind="stuck")
    assert run.step == Judge("plan")
    run.verdict("plan").attest("plan")
    assert (run.plan_status, run.step) == ("done", Rest("done"))
    run.clear("G002").judged("G002", "fail")
    assert run.plan_status == "done"


def test_a_failing_round_never_has_the_plan_judged_in_a_circle():
    """A finding about a recurring goal in the plan's verdict is not the plan's."""
    run = Run(plan(goal(1), daily(2))).prove("G001", "G002")
    both = findings(("G001.C1",), "pass") + findings(("G002.C1",), "fail")
    run.verdict("plan", findings=both)
    assert run.state.verdict.outcome == "pass"
    assert run.goal("G002").standing("G002.C1").status == "passing"
    run.attest("plan")
    assert run.step == Rest("done")


def test_a_plan_of_rounds_alone_waits_for_the_next_one():
    """There is nothing to complete; the wait ends when the first is due."""
    run = Run(plan(daily(1), daily(2, hours=5))).prove("G001", "G002")
    assert run.step == Wait(
        "time",
        "every goal comes round again by itself",
        "forsooth status",
        until=written(run.now + timedelta(hours=5)),
    )
    assert run.ending is None


def test_a_blocked_round_that_was_never_achieved_is_waited_for():
    """It has no next time yet, and says who must act instead."""
    run = Run(plan(daily(1))).block()
    assert (run.step.needs, run.step.goal) == ("human", "G001")


def test_rounds_and_money():
    """Without money a round that is due is not begun."""
    run = Run(plan(daily(1)), policy=Policy(budget=0))
    assert run.step == Rest("budget-spent")


def test_an_old_receipt_appended_again_achieves_nothing():
    """Its signature is good, but its verdict has had its receipt."""
    run = Run(plan(daily(1))).prove("G001").later(hours=30)
    again = ReceiptIssued(receipt=run.goal().proof.receipt)
    assert not run.fact(again, LOOP, signed=True)
    assert (run.goal().achieved.count, run.status()) == (1, "pending")
    assert run.ask(do.Attest(receipt=run.a_receipt()), LOOP) == ("attested",)


def test_a_clock_that_was_far_ahead_does_not_keep_a_goal_done():
    """What was achieved in a future that never came is due again."""
    ahead = Achievements(count=1, last="2036-01-01T00:00:00Z")
    assert is_due(Cadence(hours=24), ahead, now=datetime(2030, 1, 1, tzinfo=UTC))
    just = Achievements(count=1, last="2030-01-01T00:00:01Z")
    assert not is_due(Cadence(hours=24), just, now=datetime(2030, 1, 1, tzinfo=UTC))


def test_what_was_never_achieved_is_due():
    """A first time has no interval to wait out."""
    assert is_due(Cadence(hours=24), Achievements(), now=datetime(2030, 1, 1, tzinfo=UTC))
