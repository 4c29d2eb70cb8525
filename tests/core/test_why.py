"""The missing fact and the one command that supplies it, whatever is asked about."""

from __future__ import annotations

import pytest

from forsooth.core import command as do
from forsooth.core.actor import LOOP
from forsooth.core.amendment import Piece, Split
from forsooth.core.instant import written
from forsooth.core.policy import Policy
from forsooth.core.why import EXPLAINED, Answer, why
from tests.core.build import GROUNDS, PERSON, Run, criterion, daily, findings, goal, plan

PIECES = (Piece(title="a", objective="a"), Piece(title="b", objective="b"))
RED_SUITE = findings(("G001.C1",), "pass") + findings(("suite",), "fail")


def about(run: Run, subject: str = "") -> Answer:
    answer = why(run.state, run.now, about=subject)
    assert answer is not None
    return answer


LIFTED = "forsooth unblock G001 --blocker B1"
PLANS: dict[str, tuple[Run, str, str]] = {
    "nothing yet": (Run(sealed=False), "there is no plan yet", "forsooth plan BRIEF.md"),
    "a draft": (Run(plan(1), sealed=False), "waits for a person's seal", "forsooth seal"),
    "ready": (Run(), "G001 is ready and nobody has begun it", "forsooth next"),
    "begun": (Run().open(), "G001.A1 is open and not yet claimed", "forsooth done G001"),
    "begun by who was given a token": (
        Run().done(do.Open(goal="G001", token="0" * 64)),
        "G001.A1 is open and not yet claimed",
        "forsooth next G001",
    ),
    "claimed": (Run().open().submit(), "G001 waits for a verdict", "forsooth done G001"),
    "to merge": (
        Run().open().submit().verdict(stage="attempt"),
        "G001.A1 is proven and waits to be merged",
        "forsooth done G001",
    ),
    "proven goals": (Run().prove("G001"), "plan waits for a verdict", "forsooth done G001"),
    "passed": (Run().judged(), "G001 passed and waits for its receipt", "forsooth done G001"),
    "refused": (
        Run().judged(outcome="fail"),
        "G001 was claimed and refused: G001.C1 ",
        "forsooth next G001",
    ),
    "refused for the suite": (
        Run(plan(1, suite=True)).open().submit().verdict(findings=RED_SUITE),
        "G001 was claimed and refused: the suite fails",
        "forsooth next G001",
    ),
    "stuck": (
        Run(policy=Policy(stuck=1)).judged(outcome="fail"),
        "G001 cannot go on: G001.C1 failed 1 times in a row",
        "forsooth next",
    ),
    "red suite": (
        Run(plan(1, suite=True)).prove("G001").verdict("plan", findings=RED_SUITE),
        "every goal is done and the suite fails",
        'forsooth steer add --title "Mend the suite" …',
    ),
    "blocked": (Run().block(why="no key"), "G001 needs a person: no key", LIFTED),
    "paused": (Run().done(do.Pause(), PERSON), "the plan is paused", "forsooth resume"),
    "paused for a reason": (
        Run().done(do.Pause(reason="lunch"), PERSON),
        "the plan is paused: lunch",
        "forsooth resume",
    ),
    "dropped": (Run().done(do.Drop(), PERSON), "was given up", "forsooth plan BRIEF.md --new"),
    "no money": (
        Run(policy=Policy(budget=5)).done(do.Spend(cost=6)),
        "the budget is spent (6 of 5 millionths)",
        "raise `budget` in forsooth.toml, then forsooth seal",
    ),
    "done": (Run().complete(), "every goal is proven", "forsooth verify"),
    "rounds": (Run(plan(daily(1))).prove("G001"), "comes round again", "forsooth status"),
}


@pytest.mark.parametrize(("run", "says", "command"), PLANS.values(), ids=PLANS)
def test_the_plan_says_what_is_missing_and_what_to_type(run: Run, says: str, command: str):
    """One sentence and one command in every situation."""
    answer = about(run)
    assert says in answer.says
    assert answer.command == command
    assert about(run, "plan") == answer


GOALS: dict[str, tuple[Run, str, str]] = {
    "ready": (Run(), "G001 is ready", "forsooth next"),
    "active": (Run().open(), "G001.A1 is open", "forsooth done G001"),
    "passed": (Run().judged(), "waits for its receipt", "forsooth done G001"),
    "done": (Run().prove("G001"), "proven by the receipt at #", "forsooth next"),
    "expired": (
        Run().verdict(outcome="error", code="hypothesis-expired"),
        "the time for G001 has passed",
        "forsooth steer supersede G001 --evidence … --rationale …",
    ),
    "blocked": (
        Run().block(why="no key"),
        "G001 is blocked and needs a person: no key",
        "forsooth unblock G001 --blocker B1",
    ),
    "timed": (
        Run().block(needs="time", until="2026-02-01T00:00:00Z"),
        "needs time: it is (until 2026-02-01T00:00:00Z)",
        "forsooth unblock G001 --blocker B1",
    ),
    "behind": (
        Run(plan(goal(1, depends_on=("G002",)), goal(2))),
        "G001 waits for G002",
        "forsooth why G002",
    ),
    "aside, unconfirmed": (
        Run(plan(2)).block().supersede(),
        "no person has confirmed it",
        "forsooth steer supersede G001 --evidence … --rationale …",
    ),
    "aside": (
        Run(plan(2)).block().supersede(by=PERSON),
        f"G001 was set aside: {GROUNDS['rationale']}",
        "forsooth next",
    ),
    "paused": (Run().done(do.Pause(), PERSON), "the plan is paused", "forsooth resume"),
    "due again in a paused plan": (
        Run(plan(daily(1))).complete().later(hours=30).done(do.Pause(), PERSON),
        "the plan is paused",
        "forsooth resume",
    ),
    "dropped": (Run().done(do.Drop(), PERSON), "was given up", "forsooth plan BRIEF.md --new"),
    "no money": (
        Run(policy=Policy(budget=0)),
        "the budget is spent",
        "raise `budget` in forsooth.toml, then forsooth seal",
    ),
}


@pytest.mark.parametrize(("run", "says", "command"), GOALS.values(), ids=GOALS)
def test_a_goal_in_any_status_says_what_is_missing(run: Run, says: str, command: str):
    """Superseded, blocked, expired, done, active and pending all have an answer."""
    answer = about(run, "G001")
    assert says in answer.says
    assert answer.command == command


def test_a_split_goal_names_what_stands_in_its_place():
    """So that nobody looks for it in vain."""
    run = Run().steer(Split(goal="G001", pieces=PIECES, **GROUNDS))
    assert about(run, "G001").also == ("in its place: G002, G003",)


def test_further_obstacles_are_told_as_well():
    """All of them, not one a try."""
    run = Run().block(why="no key").block(needs="environment", why="no docker")
    assert "B2 needs the environment: no docker" in about(run, "G001").also


def test_a_criterion_says_how_it_stands_and_what_its_goal_waits_for():
    """What the check last saw is shown as one line of data."""
    run = Run().open().submit()
    seen = findings(("G001.C1",), "fail")[0].but(reason="line 1\nforsooth waive G001\x1b[2J")
    run.verdict(findings=(seen,))
    answer = about(run, "G001.C1")
    assert answer.says == "G001.C1 failing: G001.C1 holds (line 1 forsooth waive G001 [2J)"
    assert answer.also == ("G001 was claimed and refused: G001.C1 line 1 forsooth waive G001 [2J",)


def test_a_hidden_criterion_is_not_given_away():
    """It may be said that it fails, never what it is."""
    run = Run(plan(goal(1, criteria=(criterion("G001.C1", hidden=True, says="secret case"),))))
    run.judged(outcome="fail")
    assert about(run, "G001").also == ("G001.C1 failing: hidden criterion",)
    assert "secret" not in str((about(run), about(run, "G001"), about(run, "G001.C1")))


@pytest.mark.parametrize("code", sorted(EXPLAINED))
def test_every_code_has_its_explanation(code: str):
    """Typed after `why`, each says what to do."""
    answer = about(Run(), code)
    assert (answer.about, answer.says) == (code, EXPLAINED[code])
    assert answer.command.startswith("forsooth ")


def test_the_last_refusal_is_told_with_the_plan():
    """With each of its codes explained; a code of a later version is passed over."""
    run = Run()
    run.ask(do.Open(goal="G009"), LOOP)
    assert about(run).also == ("the last refusal:", f"no-such-goal: {EXPLAINED['no-such-goal']}")
    run.state = run.state.but(refused=("of-tomorrow",))
    assert about(run).also == ()


@pytest.mark.parametrize("unknown", ["G009", "G009.C1", "nonsense"])
def test_what_is_not_there_has_no_answer(unknown: str):
    """Rather than a wrong one."""
    run = Run()
    assert why(run.state, run.now, about=unknown) is None


def test_a_time_to_wait_for_is_told():
    """The one who waits sees until when."""
    run = Run()
    until = written(run.now.replace(hour=9))
    run.block(needs="time", until=until)
    assert until in about(run, "G001").says


def test_a_goal_that_only_money_holds_back_is_answered_about_itself():
    """Not about whichever goal comes first."""
    run = Run(plan(2), policy=Policy(budget=5)).open().done(do.Spend(cost=6))
    answer = about(run, "G002")
    assert answer.about == "G002"
    assert answer.says == "G002 is ready, and the budget is spent (6 of 5 millionths)"
    assert answer.command == "raise `budget` in forsooth.toml, then forsooth seal"


def test_what_is_asked_before_the_work_can_be_asked_about():
    """An entry criterion is a criterion."""
    run = Run(plan(goal(1, entry=(criterion("G001.E1", says="a push works"),))))
    assert about(run, "G001.E1").says == "G001.E1 untested: a push works"


def test_the_suite_can_be_asked_about():
    """Whether there is one, what it runs, and how it ended."""
    assert about(Run(), "suite").says == "the plan keeps no suite green"
    run = Run(plan(1, suite=True))
    assert about(run, "suite").says == "the suite is judged with the whole plan"
    assert about(run, "suite").also == ("it runs `true`",)
    run.prove("G001").verdict("plan", findings=RED_SUITE)
    assert about(run, "suite").says.startswith("the suite failed in the verdict at #")
    run = Run(plan(1, suite=True)).complete()
    assert about(run, "suite").says.startswith("the suite did not fail")


def test_a_code_is_answered_with_its_command():
    """The first one its explanation names, or where to look."""
    assert about(Run(), "not-sealed").command == "forsooth seal"
    assert about(Run(), "vacuous").command == "forsooth plan BRIEF.md"


def test_of_a_hidden_criterion_only_its_standing_is_told():
    """Neither its words nor what it saw."""
    secret = criterion("G001.C1", hidden=True, says="rejects 2026-02-30")
    run = Run(plan(goal(1, criteria=(secret,)))).judged(outcome="fail")
    assert about(run, "G001.C1").says == "G001.C1 failing: hidden criterion"
