"""What comes next, in every situation, and how a run ends."""

from __future__ import annotations

from datetime import timedelta

import pytest

from forsooth.core import command as do
from forsooth.core.actor import LOOP
from forsooth.core.amendment import Reword
from forsooth.core.instant import written
from forsooth.core.next import (
    Attest,
    Block,
    Integrate,
    Judge,
    Open,
    Repair,
    Rest,
    Wait,
    Work,
    ending,
)
from forsooth.core.policy import Policy
from forsooth.core.verdict import AWAITING
from tests.core.build import (
    AGENT,
    AGREE,
    GROUNDS,
    LATER,
    PERSON,
    TREE,
    Run,
    criterion,
    daily,
    findings,
    goal,
    plan,
)
from tests.requirements import requirement


def test_before_there_is_a_plan_a_person_is_waited_for():
    """First for a brief, then for a seal."""
    run = Run(sealed=False)
    assert run.step == Wait("human", "there is no plan yet", "forsooth plan BRIEF.md")
    run.create(plan(1))
    assert run.step == Wait("human", "the plan waits for a person's seal", "forsooth seal")
    assert run.ending == "waiting-human"


def test_a_goal_goes_from_open_to_attested():
    """Each step follows from what was recorded, so a crash resumes where it was."""
    run = Run(plan(goal(1, criteria=2, entry=(criterion("G001.E1"),)), suite=True))
    assert run.step == Open("G001", ("G001.C1", "G001.C2"), ("G001.E1",))
    assert run.open().step == Work("G001", "G001.A1")
    assert run.submit().step == Judge("G001", "G001.A1")
    assert run.verdict(stage="attempt").step == Integrate("G001", "G001.A1")
    assert run.integrate(tree=LATER).step == Judge("G001", "G001.A1")
    assert run.verdict(tree=LATER).step == Attest("G001")
    assert run.attest().step == Judge("plan")
    assert run.verdict("plan").step == Attest("plan")
    assert run.attest("plan").step == Rest("done")
    assert run.ending == "done"


def test_an_attempt_is_narrowed_to_what_does_not_hold_yet():
    """What passed is left out of the work and stays in the judge's."""
    run = Run(plan(goal(1, criteria=3))).open().submit()
    ids = ("G001.C1", "G001.C2", "G001.C3")
    run.verdict(findings=findings(ids[:1], "pass") + findings(ids[1:], "fail"))
    assert run.step == Open("G001", ("G001.C2", "G001.C3"))
    assert run.finding_ids("G001") == ids


@requirement("R043")
def test_a_blocked_goal_does_not_stop_the_others():
    """What can be done comes first, in order; the wait is said only when nothing else is left."""
    run = Run(plan(3)).block("G001")
    assert [step.goal for step in run.steps()] == ["G002", "G003"]
    run.prove("G002", "G003")
    assert run.step == Wait(
        "human", "G001 needs a person: it is", "forsooth unblock G001 --blocker B1", "G001", None
    )


@requirement("R024")
def test_a_failed_goal_is_reopened_only_on_request():
    """It waits, whoever it needs, until someone clears it; then it is simply ready."""
    run = Run().open().block(kind="failed", needs="agent")
    assert isinstance(run.step, Wait)
    assert run.ending == "partial"
    assert run.later(days=100).ending == "partial"
    run.clear(by=AGENT)
    assert run.step == Open("G001", ("G001.C1",))


def test_a_person_stopped_it():
    """Paused or given up, nothing is done and nothing is asked."""
    assert Run().done(do.Pause(), PERSON).step == Rest("stopped")
    assert Run().done(do.Drop(), PERSON).step == Rest("stopped")


def test_a_proven_plan_that_is_paused_rests_as_done():
    """Not even a round that is due is begun, and the end is still the good one."""
    run = Run(plan(goal(1), daily(2))).prove("G002").complete().later(days=3)
    assert run.steps() == (Open("G002"),)
    run.done(do.Pause(), PERSON)
    assert run.step == Rest("done")


def test_when_the_attempts_are_used_a_person_is_asked():
    """The run ends partial, and says of each criterion how it stands."""
    run = Run(plan(goal(1, criteria=2)), policy=Policy(attempts=2))
    mixed = findings(("G001.C1",), "pass") + findings(("G001.C2",), "fail")
    run.judged(findings=mixed).judged(findings=mixed)
    assert run.step == Block("G001", "budget", "human", "all 2 attempts are used")
    run.block(kind="budget", why="all 2 attempts are used", by=LOOP)
    assert run.ending == "partial"
    standings = {id_: s.status for id_, s in run.goal().standings.items()}
    assert standings == {"G001.C1": "passing", "G001.C2": "failing"}


def test_a_run_with_something_stuck_ends_partial_and_never_done():
    """Everything else is proven, and still it is not full completion."""
    run = Run(plan(2)).prove("G002")
    for _ in range(3):
        run.judged(outcome="fail")
    run.block(kind=run.step.kind, why=run.step.why)
    assert (run.ending, run.plan_status, run.shown()) == ("partial", "active", "stuck")
    assert run.steps()[0].goal == "G001"
    assert Run(plan(2)).complete().ending == "done"


@pytest.mark.parametrize(
    ("kind", "policy"), [("stuck", Policy()), ("budget", Policy(attempts=3, stuck=9))]
)
def test_a_cleared_blocker_does_not_come_back_at_once(kind: str, policy: Policy):
    """A person's word starts attempts and streaks afresh."""
    run = Run(policy=policy)
    for _ in range(3):
        run.judged(outcome="fail")
    assert run.step.kind == kind
    run.block(kind=kind).clear()
    assert isinstance(run.step, Open)
    assert run.goal().spent == 0
    run.judged(outcome="fail").judged(outcome="fail")
    assert isinstance(run.step, Open)


def test_a_person_who_clears_while_work_is_open_leaves_it_one_attempt():
    """The open one is counted."""
    run = Run().judged(outcome="fail").open().block().clear()
    assert (run.goal().spent, run.step) == (1, Work("G001", "G001.A2"))


def test_a_person_who_words_the_goal_anew_starts_its_counts_afresh():
    """An agent who does so does not."""
    for by, spent in ((PERSON, 0), (AGENT, 2)):
        run = Run().judged(outcome="fail").judged(outcome="fail")
        run.steer(Reword(goal="G001", objective="said better", **GROUNDS), by)
        assert run.goal().spent == spent


@pytest.mark.parametrize(
    ("code", "needs", "kind", "tries"),
    [
        ("no-interpreter", "environment", "blocked", 2),
        ("awaiting-approval", "human", "waiting", 1),
        ("hedged", "agent", "blocked", 1),
        ("pending", "time", "waiting", 1),
    ],
)
def test_what_cannot_be_judged_is_tried_once_more_then_needs_whom_its_code_names(
    code: str, needs: str, kind: str, tries: int
):
    """What only someone else can settle is not even tried again."""
    run = Run().open().submit()
    for _ in range(tries):
        assert run.step == Judge("G001", "G001.A1")
        run.verdict(outcome="error", code=code)
    why = {AWAITING: "a person has yet to agree: G001.C1"}.get(code, f"could not be judged: {code}")
    assert run.step == Block("G001", kind, needs, why, code if code == AWAITING else "")
    assert run.goal().standing("G001.C1").status == "untested"


def test_of_several_errors_the_one_only_a_person_settles_comes_first():
    """Then an agent, then time, then the environment."""
    for given, needs in (
        (("pending", "awaiting-approval", "x"), "human"),
        (("x", "pending", "hedged"), "agent"),
        (("x", "pending"), "time"),
    ):
        run = Run(plan(goal(1, criteria=3))).open().submit()
        ids = run.finding_ids("G001")
        found = [findings((i,), "error", code=c)[0] for i, c in zip(ids, given, strict=False)]
        run.verdict(findings=tuple(found))
        assert run.step.needs == needs


@pytest.mark.parametrize(
    ("code", "needs"),
    [
        ("awaiting-approval", "human"),
        ("hedged", "agent"),
        ("pending", "time"),
        ("no-interpreter", "environment"),
    ],
)
def test_once_the_obstacle_is_gone_it_is_judged_again(code: str, needs: str):
    """Not blocked again for the verdict of before."""
    run = Run(policy=Policy(errors=1)).open().submit().verdict(outcome="error", code=code)
    run.block(needs=needs, kind=run.step.kind).clear(by=PERSON if needs == "human" else AGENT)
    assert run.step == Judge("G001", "G001.A1")
    run.verdict().attest()
    assert run.status() == "done"


def test_a_wait_on_time_is_judged_again_when_it_is_over():
    """The clock alone brings it back."""
    run = Run().open().submit().verdict(outcome="error", code="pending")
    run.block(needs="time", kind="waiting", until=written(run.now + timedelta(hours=2)))
    assert run.step.until == written(run.now + timedelta(hours=2))
    assert run.ending is None
    assert run.later(hours=2).step == Judge("G001", "G001.A1")


def test_a_persons_approval_leads_on_to_the_judge():
    """It ends the wait, and the criterion is looked at again."""
    for is_blocked in (True, False):
        run = Run().judged(outcome="error", code=AWAITING)
        assert run.goal().awaiting == ("G001.C1",)
        if is_blocked:
            run.block(kind="waiting", evidence=AWAITING)
            assert run.step.command == "forsooth agree G001.C1"
            assert run.ask(do.Submit(attempt="G001.A1", tree=TREE)) == ("blocked",)
        run.done(AGREE, PERSON)
        assert run.step == Judge("G001", "G001.A1")
        assert run.goal().awaiting == ()


def test_a_claim_that_hedged_can_be_made_again():
    """The verdict came, so the attempt is the agent's to claim once more."""
    run = Run().open().submit().verdict(outcome="error", code="hedged")
    run.block(needs="agent").clear(by=AGENT).submit(tree=LATER)
    assert run.step == Judge("G001", "G001.A1")
    assert run.verdict(tree=LATER).step == Attest("G001")


def test_a_passing_verdict_from_before_a_change_is_judged_again():
    """After a touch of the goal, and after an amendment elsewhere."""
    run = Run(plan(2)).judged().block().clear()
    assert run.steps()[0] == Judge("G001", "G001.A1")
    run.verdict().add()
    assert run.steps()[0] == Judge("G001", "G001.A1")
    assert run.verdict().steps()[0] == Attest("G001")


def test_a_pass_that_policy_does_not_accept_goes_to_a_person():
    """Judging again would say the same, so it is not done in a circle."""
    run = Run(policy=Policy(isolation="strict")).judged()
    assert (run.step.needs, run.step.kind) == ("human", "blocked")
    assert "policy asks for strict" in run.step.why


def test_a_plan_that_fails_touches_the_goal_that_fails():
    """It is done no longer, and is worked on again; the others stay proven."""
    run = Run(plan(2, suite=True)).prove("G001", "G002")
    good = findings(("G001.C1", "suite"), "pass")
    run.verdict("plan", findings=good + findings(("G002.C1",), "fail"))
    assert (run.status("G001"), run.status("G002")) == ("done", "pending")
    assert run.step == Open("G002", ("G002.C1",))


def test_a_suite_that_fails_alone_is_mended_and_never_judged_in_a_circle():
    """At most `recoveries` goals are added for it, then a person is waited for."""
    run = Run(plan(1, suite=True), policy=Policy(recoveries=2)).prove("G001")
    for count in range(2):
        assert run.step == Judge("plan")
        run.verdict("plan", findings=findings(("G001.C1",), "pass") + findings(("suite",), "fail"))
        assert run.step == Repair("every goal is done and the suite fails")
        assert run.state.recoveries == count
        run.add(LOOP).prove(f"G00{count + 2}")
    run.verdict("plan", findings=findings(("G001.C1",), "pass") + findings(("suite",), "fail"))
    assert run.step == Wait(
        "human", "the suite still fails after 2 repairs", "forsooth check", stuck=True
    )
    assert run.ending == "partial"
    assert run.verdict("plan").step == Attest("plan")


def test_a_plan_that_cannot_be_judged_is_tried_again_then_waited_for():
    """Once more for the environment, not at all for a person; a later verdict leads on."""
    run = Run(plan(1)).prove("G001").verdict("plan", "error")
    assert run.step == Judge("plan")
    run.verdict("plan", "error")
    assert (run.step.needs, run.ending) == ("environment", "partial")
    assert run.verdict("plan").step == Attest("plan")
    asked = Run(plan(1)).prove("G001").verdict("plan", "error", code=AWAITING)
    assert (asked.step.needs, asked.ending) == ("human", "waiting-human")
    assert asked.step.command == "forsooth agree G001.C1"
    assert asked.done(AGREE, PERSON).step == Judge("plan")


def test_a_plan_judged_before_the_last_change_is_judged_again():
    """Whether a goal was touched or the plan sealed anew."""
    run = Run(plan(1)).prove("G001").verdict("plan").block().clear().prove("G001")
    assert run.step == Judge("plan")
    run.verdict("plan").reseal(plan(1))
    assert run.step == Judge("plan")


def test_a_verdict_on_an_older_version_of_the_plan_is_not_the_plans():
    """It came after the change and was about what was there before."""
    run = Run(plan(1)).prove("G001")
    old = run.state.plan_digest
    run.add().prove("G002").verdict("plan", plan_digest=old)
    assert run.step == Judge("plan")
    assert run.verdict("plan").step == Attest("plan")


def test_a_plan_that_passed_and_may_not_be_attested_waits_for_a_person():
    """Isolation below policy is nothing the loop can mend."""
    run = Run(plan(1), policy=Policy(isolation="landlock"))
    run.judged(isolation="landlock").attest()
    run.verdict("plan")
    assert (run.step.needs, run.step.stuck) == ("human", True)


def test_an_expired_goal_waits_for_a_decision():
    """It is stuck, not done, and someone may set it aside."""
    run = Run(plan(2)).prove("G002").verdict(outcome="error", code="hypothesis-expired")
    assert (run.step.needs, run.ending) == ("human", "partial")
    run.supersede(by=PERSON)
    assert run.step == Judge("plan")


def test_a_goal_behind_another_says_whom_it_waits_for():
    """Only when nothing can be done."""
    run = Run(plan(goal(1), goal(2, depends_on=("G001",)))).block()
    assert run.steps()[1] == Wait("agent", "G002 waits for G001", "forsooth why G001", "G002")


def test_what_somebody_is_at_is_not_handed_out_again():
    """With everything in hand there is only waiting."""
    run = Run(plan(2))
    assert run.steps("G001") == (Open("G002", ("G002.C1",)),)
    assert run.steps("G001", "G002") == (
        Wait("agent", "somebody is already at what is left", "forsooth status"),
    )
    run.prove("G001", "G002")
    assert isinstance(run.steps("plan")[0], Wait)


def test_without_money_what_is_begun_is_finished_and_nothing_else_begins():
    """The end says so."""
    run = Run(plan(2), policy=Policy(budget=10)).open().done(do.Spend(cost=10))
    assert run.steps() == (Work("G001", "G001.A1"),)
    run.submit().verdict().attest()
    assert run.step == Rest("budget-spent")
    assert run.ending == "budget-spent"


def test_every_goal_set_aside_is_nothing_to_complete():
    """A person decides what that means."""
    run = Run(plan(1)).block().supersede(by=PERSON)
    assert run.step == Wait(
        "human", "every goal was set aside", "forsooth stop --for-good", stuck=True
    )


def test_a_wait_with_an_end_is_waited_out_only_if_nothing_else_stands():
    """Two timed obstacles end with the later; one without an end has none."""
    run = Run()
    for hours in (5, 3):
        run.block(needs="time", until=written(run.now + timedelta(hours=hours)))
    assert run.step.until == written(run.now + timedelta(hours=5))
    run.block(needs="environment")
    assert run.step.until is None


def test_endings():
    """None while there is something to do or to wait out."""
    assert ending((Open("G001"),)) is None
    assert ending((Wait("time", "w", until="2026-01-01T00:00:00Z"), Wait("human", "w"))) is None
    assert ending((Wait("human", "w"),)) == "waiting-human"
    assert ending((Wait("human", "w"), Wait("human", "w", stuck=True))) == "partial"
    assert ending((Wait("environment", "w"), Wait("agent", "w"))) == "environment"
    assert ending((Wait("environment", "w"), Wait("human", "w"))) == "waiting-human"
    assert ending((Wait("environment", "w", stuck=True),)) == "partial"
    assert ending((Rest("stopped"),)) == "stopped"
