"""The deadlocks and endless loops other tools have published, told again with this model.

Each was somebody's lost night: a guard that could not be satisfied, or a loop that could not end.
"""

from __future__ import annotations

import itertools

import pytest

from forsooth.core import command as do
from forsooth.core import event as was
from forsooth.core.actor import JUDGE, LOOP
from forsooth.core.decide import Refusal, decide
from forsooth.core.next import Attest, Judge, Repair, Rest, Wait, Work, ending
from forsooth.core.policy import Policy
from tests.core.build import (
    AGENT,
    BYTES,
    LATER,
    PERSON,
    TREE,
    Judging,
    Run,
    Worker,
    claims,
    daily,
    drive,
    findings,
    goal,
    idles,
    plan,
    situations,
)

BOOKKEEPING = (
    was.NoteAdded(text="progress: 97%", goal="G001"),
    was.NoteAdded(text="resolvable", goal="G001", needs="agent"),
    was.EvidenceAdded(digest=BYTES, goal="G001"),
    was.FindingRecorded(finding=findings(("G001.C1",), "fail")[0], tree=LATER),
    was.UsageRecorded(cost=1, goal="G001"),
    was.CommandRefused(command="attest", codes=("goal-open",), goal="G001"),
    was.LedgerRepaired(removed=2, digest=BYTES),
    was.Unknown("heartbeat.sent", 1, {}),
)


def test_bookkeeping_never_makes_completion_impossible():
    """Receipts staled by the tool's own notes could never be fresh; here none ever goes stale."""
    run = Run(plan(2))
    for name in ("G001", "G002"):
        run.open(name).submit(name)
        for fact in BOOKKEEPING:
            run.fact(fact)
        run.verdict(name)
        for fact in BOOKKEEPING:
            run.fact(fact)
        run.attest(name)
        for fact in BOOKKEEPING:
            run.fact(fact)
    run.verdict("plan")
    for fact in BOOKKEEPING:
        run.fact(fact)
    run.attest("plan")
    for fact in BOOKKEEPING:
        run.fact(fact)
    assert (run.plan_status, run.step) == ("done", Rest("done"))


def test_a_time_out_at_the_last_check_leaves_a_way_out():
    """The run ends and says so, nothing proven is lost, and one good verdict completes it."""
    run = Run(plan(2)).prove("G001", "G002")
    assert drive(run, judge=lambda run, subject: ("error", "timed-out")) == "partial"
    assert (run.status("G001"), run.status("G002")) == ("done", "done")
    assert run.step.command == "forsooth check"
    run.verdict("plan")
    assert run.step == Attest("plan")
    assert drive(run) == "done"


@pytest.mark.parametrize("run", situations().values(), ids=situations())
def test_no_guard_ever_denies_a_person_the_way_out(run: Run):
    """Stop, give up and unblock are open to a person in every situation but after the end."""
    ways: list[do.AnyCommand] = [do.Pause(), do.Drop()]
    ways += [do.Clear(goal=b.goal, blocker=b.id) for g in run.state.live for b in g.blockers]
    for way in ways:
        refused = isinstance(decide(run.state, way, actor=PERSON, now=run.now), Refusal)
        assert refused == bool(run.state.dropped), way


@pytest.mark.parametrize("run", situations().values(), ids=situations())
def test_no_guard_ever_denies_an_agent_to_say_that_it_is_blocked(run: Run):
    """While there is a goal somebody still wants and nobody proved, its obstacle is recorded."""
    wanted = run.state.live if not run.state.dropped else ()
    for one in wanted:
        if run.status(one.goal.id) == "done":
            continue
        command = do.Raise(goal=one.goal.id, needs="human", why="no access")
        assert not isinstance(decide(run.state, command, actor=AGENT, now=run.now), Refusal)


OUTCOMES = ("pass", "fail", "error", "waived")
CODES = ("no-interpreter", "awaiting-approval", "hedged", "pending", "of-tomorrow")


@pytest.mark.parametrize(
    ("subject", "outcome", "stage", "signed", "merged"),
    list(
        itertools.product(
            ("G001", "plan"), OUTCOMES, ("attempt", "deliver"), (True, False), (True, False)
        )
    ),
)
def test_every_verdict_leads_on(subject: str, outcome: str, stage: str, signed: bool, merged: bool):
    """No outcome, stage or missing signature strands a goal or has it judged for ever."""
    run = Run(plan(1, suite=True))
    if subject == "plan":
        run.prove("G001")
    else:
        run.open().submit()
        if merged:
            run.integrate()
    run.verdict(subject, outcome, stage=stage, signed=signed)
    assert drive(run) in ("done", "partial", "waiting-human")


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("subject", ["G001", "plan"])
def test_every_error_leads_on(subject: str, code: str):
    """A code nobody foresaw is the environment's; all of them end in a wait for someone."""
    run = Run(plan(1))

    def judge(run: Run, asked: str) -> tuple[str, str]:
        return ("error", code) if asked == subject else ("pass", "")

    assert drive(run, judge=judge) in ("partial", "waiting-human", "environment")
    assert all(isinstance(step, Wait) for step in run.steps())
    assert run.plan_status == "active"


def test_what_was_given_up_stays_given_up():
    """No hook, loop or late worker brings it back: every line of its life again changes nothing."""
    run = Run(plan(2)).open().done(do.Drop(), PERSON)
    for event in list(run.log):
        if not isinstance(event.fact, was.PlanDropped):
            run.fact(event.fact, event.by, signed=True)
    assert run.ask(do.Submit(attempt="G001.A1", tree=TREE)) == ("dropped",)
    assert run.ask(do.Open(goal="G002"), LOOP) == ("dropped",)
    assert run.ask(do.Resume(), PERSON) == ("dropped",)
    assert (run.plan_status, run.steps("G001")) == ("dropped", (Rest("stopped"),))
    assert run.later(days=9).ending == "stopped"


def test_a_stop_is_obeyed_at_once_and_by_everyone():
    """After a person paused, no step is handed out and no agent resumes."""
    run = Run(plan(2)).open().done(do.Pause(), PERSON)
    assert run.steps() == (Rest("stopped"),)
    assert run.ask(do.Resume(), AGENT) == ("not-a-person",)
    assert run.ask(do.Resume(), LOOP) == ("not-a-person",)
    run.done(do.Resume(), PERSON)
    assert run.steps()[0] == Work("G001", "G001.A1")


def always(outcome: str, code: str = "") -> Judging:
    return lambda run, subject: (outcome, code)


def suite_is_red(run: Run, subject: str) -> tuple[str, str]:
    return ("fail" if subject == "plan" else "pass", "")


def blocks_for_ever(run: Run, step: Work) -> None:
    run.block(step.goal, "agent").clear(step.goal, by=AGENT)


def fails_for_ever(run: Run, step: Work) -> None:
    run.block(step.goal, "agent", kind="failed").clear(step.goal, by=AGENT)


def blocks_then_claims(run: Run, step: Work) -> None:
    run.block(step.goal, "agent").clear(step.goal, by=AGENT).submit(step.goal)


LOOPS: dict[str, tuple[Worker, Judging, str]] = {
    "always fails": (claims, always("fail"), "partial"),
    "never claims": (idles, always("pass"), "partial"),
    "never judged": (claims, always("error", "timed-out"), "environment"),
    "never approved": (claims, always("error", "awaiting-approval"), "waiting-human"),
    "always hedged": (claims, always("error", "hedged"), "waiting-human"),
    "passes alone, fails together": (claims, suite_is_red, "partial"),
    "blocks and unblocks": (blocks_for_ever, always("pass"), "partial"),
    "gives up and retries": (fails_for_ever, always("pass"), "partial"),
    "blocks, unblocks, claims, fails": (blocks_then_claims, always("fail"), "partial"),
    "waived by nobody": (claims, always("waived"), "waiting-human"),
}


@pytest.mark.parametrize(("agent", "judge", "end"), LOOPS.values(), ids=LOOPS)
def test_no_loop_is_without_end(agent: Worker, judge: Judging, end: str):
    """6,239 iterations in a night are somebody's money: here few, and an honest end."""
    run = Run(plan(goal(1), goal(2, depends_on=("G001",)), goal(3)))
    assert drive(run, agent=agent, judge=judge) == end
    assert run.plan_status == "active"
    assert all(isinstance(step, Wait) for step in run.steps())


def test_a_suite_that_is_always_red_is_mended_a_bounded_number_of_times():
    """Repairs are counted, each is proven, and then a person is waited for."""
    run = Run(plan(1, suite=True), policy=Policy(recoveries=2))
    for _ in range(20):
        if drive_to_plan(run) == "ended":
            break
        criteria = findings(run.state.required[:-1], "pass")
        run.verdict("plan", findings=criteria + findings(("suite",), "fail"))
    assert run.ending == "partial"
    assert len([e for e in run.log if isinstance(e.fact, was.PlanAmended)]) == 2
    assert len([e for e in run.log if getattr(e.fact, "verdict", None)]) < 10


def drive_to_plan(run: Run) -> str:
    """Mend and prove until the plan is to be judged, or nothing is left to do."""
    while run.ending is None and run.steps() != (Judge("plan"),):
        if isinstance(run.step, Repair):
            run.add(LOOP)
        run.prove(run.step.goal)
    return "ended" if run.ending else "judge"


def test_a_round_that_always_fails_ends_in_a_wait_and_the_plan_is_done():
    """What comes round does not hold up the rest, nor is it tried for ever."""
    run = Run(plan(goal(1), daily(2)))

    def judge(run: Run, subject: str) -> tuple[str, str]:
        return ("fail" if subject == "G002" else "pass", "")

    assert drive(run, judge=judge) == "done"
    assert run.shown("G002") == "stuck"


def test_without_a_budget_for_more_an_agent_that_adds_goals_is_stopped_by_money():
    """Every goal it adds costs, and the end is said to be that."""
    run = Run(policy=Policy(budget=8))

    def adds(run: Run, step: Work) -> None:
        run.done(do.Spend(cost=1)).add().submit(step.goal)

    assert drive(run, agent=adds) == "budget-spent"


def test_waiting_for_a_person_does_not_fire_again():
    """Asked a thousand times, it gives the same answer, costs nothing and records nothing."""
    run = Run().block()
    first, seq = run.steps(), run.state.seq
    for _ in range(1000):
        run.later(seconds=30)
        assert run.steps() == first
    assert (run.ending, run.state.seq) == ("waiting-human", seq)
    assert ending(first) == "waiting-human"


def test_a_worker_that_comes_too_late_changes_nothing():
    """Its attempt is over, and what it claims or judges is refused."""
    run = Run().open(token=BYTES)
    run.done(do.Abort(attempt="G001.A1", reason="lost contact"), LOOP).open(by=AGENT)
    late = do.Submit(attempt="G001.A1", tree=TREE, token=BYTES)
    assert run.ask(late) == ("no-attempt",)
    verdict = run.a_verdict().but(attempt="G001.A1")
    assert run.ask(do.Give(verdict=verdict), JUDGE) == ("no-attempt",)
    assert run.step == Work("G001", "G001.A2")


def test_a_goal_that_regresses_in_the_whole_is_not_judged_in_a_circle():
    """It passes alone and fails with the others: its attempts are counted across its receipts."""
    run = Run(plan(1), policy=Policy(attempts=3))
    assert drive(run, judge=suite_is_red) == "partial"
    assert run.goal().attempts == 3
    assert run.goal().achieved.count == 3
    run.clear()
    assert run.step != Judge("plan")
