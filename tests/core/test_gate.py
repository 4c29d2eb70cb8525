"""May this happen? Every reason against comes at once, with a code a person can look up."""

from __future__ import annotations

import ast
import inspect

import pytest

from forsooth.core import assignment, consent, decide, form, gate, status, unheard
from forsooth.core import command as do
from forsooth.core import next as steps
from forsooth.core.actor import JUDGE, LOOP, Actor
from forsooth.core.amendment import Add, Piece, Reorder, Reword, Split, Supersede
from forsooth.core.check import Check
from forsooth.core.event import ReceiptIssued, WaiverGranted
from forsooth.core.form import cycle, may_create
from forsooth.core.ground import Baseline, Ground
from forsooth.core.plan import Base, Plan, Waiver
from forsooth.core.policy import Policy
from forsooth.core.reason import Reason
from forsooth.core.why import EXPLAINED
from forsooth.project import approving, claiming, entries, trusting
from tests.core.build import (
    AGENT,
    BRIEF,
    BYTES,
    GROUNDS,
    OTHER,
    PERSON,
    SCRIPT,
    TREE,
    Run,
    criterion,
    findings,
    goal,
    opinion,
    plan,
)
from tests.requirements import requirement

CLOSED = ("superseded", "expired", "done")  # a status that is its own reason


def emitted(module: object) -> set[str]:
    """Every code written down in a `Reason(...)` of a module, or in a table of such."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):  # type: ignore[arg-type]
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Reason":
            first = node.args[0]
            if isinstance(first, ast.Constant):
                found.add(first.value)
        if isinstance(node, ast.Tuple) and len(node.elts) == 3:
            code = node.elts[1]
            if isinstance(code, ast.Constant) and isinstance(node.elts[2], ast.JoinedStr):
                found.add(code.value)
    return found


def test_every_reason_is_explained_and_every_explanation_has_its_reason():
    """Both ways, read out of the source: no code without its sentence, no sentence without it."""
    codes = emitted(gate) | emitted(consent) | emitted(decide) | emitted(form) | set(CLOSED)
    elsewhere = (
        emitted(claiming)
        | emitted(entries)
        | emitted(trusting)
        | emitted(approving)
        | emitted(unheard)
    )
    assert codes <= set(EXPLAINED) <= codes | elsewhere
    assert not any(emitted(module) for module in (steps, status, assignment))
    assert all(said.endswith(".") for said in EXPLAINED.values())


@pytest.mark.parametrize("code", EXPLAINED)
def test_every_explanation_names_something_to_type(code):
    """Whoever asks why is told what to do about it."""
    assert "`" in EXPLAINED[code], code


@pytest.mark.parametrize("module", [gate, consent, decide, form], ids=lambda one: one.__name__)
def test_every_reason_has_something_to_type(module):
    """Read out of the source: a third argument, and not an empty one."""
    calls = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Reason"
    ]
    assert calls
    short = [node.lineno for node in calls if len(node.args) < 3]
    assert short == []


def codes(reasons: tuple[Reason, ...]) -> list[str]:
    return [reason.code for reason in reasons]


def test_a_malformed_plan_is_refused_with_everything_wrong_at_once():
    """Ids, dependencies, checks and tags, one list."""
    bad = plan(
        goal(1, depends_on=("G002", "G007"), entry=(criterion("G001.E1", check=Check(kind="x")),)),
        goal(2, depends_on=("G001",), criteria=(criterion("G001.C1"),)),
        goal(3, criteria=(criterion("G003.C1", check=Check(kind="command", params={})),)),
        goal(3, criteria=0),
    )
    assert sorted(codes(may_create(bad, Policy(tags=("security",))))) == [
        *("bad-check", "bad-check"),
        *("dependency-cycle", "id-twice", "id-twice"),
        *("tag-missing",) * 4,
        "unknown-dependency",
    ]
    assert codes(may_create(Plan(id="20260101-000000", brief_digest=BRIEF), Policy())) == [
        "no-goals"
    ]
    tagged = goal(1, criteria=(criterion("G001.C1", tags=("security",)),))
    assert may_create(plan(tagged), Policy(tags=("security",))) == ()


def test_goals_that_wait_for_each_other_are_named_in_order():
    """The ring itself, without those who merely wait for it."""
    assert cycle({"a": ("b",), "b": ("c",), "c": ()}) == ()
    assert cycle({"x": ("a",), "a": ("b",), "b": ("a", "gone")}) == ("a", "b", "a")
    assert cycle({"a": ("a",)}) == ("a", "a")


def test_a_goal_set_aside_waits_for_its_pieces():
    """A piece that waits for the goal it was split from closes a ring."""
    pieces = (Piece(title="a", objective="a"), Piece(title="b", objective="b"))
    run = Run().steer(Split(goal="G001", pieces=pieces, **GROUNDS))
    whole, first, second = run.state.definition.goals
    ring = run.state.definition.but(goals=(whole, first.but(depends_on=("G001",)), second))
    (reason,) = gate.may_draft(run.state, ring, Policy())
    assert (reason.code, reason.goal) == ("dependency-cycle", "G001")


@requirement("R125")
def test_nothing_starts_before_a_person_confirmed_the_criteria():
    """Agents, scripts in an agent's shell and other drafts are refused, all at once."""
    run = Run(plan(1), sealed=False)
    assert run.ask(do.Open(goal="G001")) == ("not-sealed",)
    seal = do.Seal(digest=plan(1).digest)
    assert run.ask(seal, AGENT) == ("not-a-person",)
    assert run.ask(seal.but(agent_present=True), SCRIPT) == ("agent-present",)
    assert run.ask(seal.but(digest=BRIEF), AGENT) == ("draft-changed", "not-a-person")
    assert run.ask(seal.but(base=Base(tree=TREE)), PERSON) == ("draft-changed",)
    assert run.ask(seal, PERSON) == ()
    assert run.state.seal_channel == "terminal"
    run.open()


def test_a_script_may_seal_first_but_never_replace_a_sealed_plan():
    """It is recorded as unattended; policy may let an agent's shell do it."""
    seal = do.Seal(digest=plan(1).digest, agent_present=True, policy=Policy(agents_may_seal=True))
    run = Run(plan(1), sealed=False)
    assert gate.may_seal(run.state, SCRIPT, digest=plan(1).digest, policy=Policy()) == ()
    assert run.ask(seal, SCRIPT) == ()
    assert run.state.seal_channel == "unattended"
    run.create(plan(1))
    assert run.ask(seal, SCRIPT) == ("sealed-already",)
    nobody = Actor(kind="human")
    again = Run(plan(1), sealed=False)
    assert again.ask(do.Seal(digest=plan(1).digest), nobody) == ()
    assert again.state.seal_channel == "unattended"


def test_there_must_be_a_draft_to_seal():
    """Neither before the first plan nor twice."""
    assert Run(sealed=False).ask(do.Seal(digest=BRIEF), PERSON) == ("no-draft",)
    assert Run().ask(do.Seal(digest=BRIEF), PERSON) == ("no-draft",)


def ground(reds: dict[str, str | None]) -> Ground:
    seen = tuple(Baseline(criterion=id_, red=red) for id_, red in reds.items())
    return Ground(tree="a" * 40, baselines=seen)


@pytest.mark.parametrize(
    ("intent", "reds", "against"),
    [
        ("feature", {"G001.C1": None, "G001.C2": None}, ("vacuous",)),
        ("feature", {}, ("vacuous",)),
        ("fix", {"G001.C1": "environment"}, ("base-not-run",)),
        ("feature", {"G001.C1": "environment", "G001.C2": "assertion"}, ()),
        ("feature", {"G001.C2": "absent"}, ()),
        ("refactor", {}, ()),
        ("feature", None, ()),
    ],
)
def test_a_feature_that_is_green_before_any_work_proves_nothing(
    intent: str, reds: dict[str, str | None] | None, against: tuple[str, ...]
):
    """Some criterion must be red on the base, and not only because the environment is missing."""
    run = Run(plan(goal(1, criteria=2, intent=intent)), sealed=False)
    seen = None if reds is None else ground(reds)
    assert run.ask(do.Seal(digest=run.state.proposal.digest, ground=seen), PERSON) == against


def test_a_goal_that_expects_no_change_may_be_green_before():
    """Nothing is to be done, and a person said so."""
    run = Run(plan(goal(1, criteria=1, expects="no-change")), sealed=False)
    seen = ground({"G001.C1": None})
    assert run.ask(do.Seal(digest=run.state.proposal.digest, ground=seen), PERSON) == ()
    assert run.state.ground == seen
    assert (seen.reds, seen.took) == ({}, 0)


def test_everything_against_opening_comes_at_once():
    """Dependencies, obstacles, attempts, streaks and money, in one answer."""
    policy = Policy(attempts=1, stuck=1, budget=5)
    run = Run(plan(goal(1), goal(2, depends_on=("G001",))), policy=policy)
    run.prove("G001").judged("G002", "fail").done(do.Spend(cost=5))
    run.block("G001").block("G002").done(do.Pause(), PERSON)
    assert run.ask(do.Open(goal="G002")) == (
        *("paused", "blocked", "dependency-open", "attempts-spent", "stuck", "budget-spent"),
    )
    assert run.ask(do.Open(goal="G009")) == ("paused",)


@pytest.mark.parametrize(
    ("before", "code"),
    [
        (lambda run: run.open(), "attempt-open"),
        (lambda run: run.prove("G001"), "done"),
        (lambda run: run.block().supersede(), "superseded"),
        (lambda run: run.verdict(outcome="error", code="hypothesis-expired"), "expired"),
        (lambda run: run.block(), "blocked"),
        (lambda run: run.done(do.Drop(), PERSON), "dropped"),
    ],
)
def test_a_goal_that_is_not_free_is_not_opened(before, code: str):
    """The reason is the status itself."""
    run = Run(plan(2))
    before(run)
    assert run.ask(do.Open(goal="G001")) == (code,)


def test_an_unknown_goal_is_named_as_such():
    """Everywhere a goal is named."""
    run = Run()
    for command in (
        do.Open(goal="G009"),
        do.Raise(goal="G009", needs="human", why="x"),
        do.Clear(goal="G009", blocker="B1"),
        do.Waive(goal="G009", criterion="G009.C1", by="p", reason="r"),
        do.Attest(receipt=run.a_receipt(subject="G009")),
        do.Amend(amendment=Reword(goal="G009", title="x", **GROUNDS)),
        do.Amend(amendment=Supersede(goal="G009", **GROUNDS)),
        do.Amend(amendment=Add(title="t", objective="o", depends_on=("G009",), **GROUNDS)),
    ):
        assert run.ask(command, PERSON) == ("no-such-goal",), command


def test_only_the_holder_of_the_token_claims():
    """A worker that was not handed the attempt cannot; the loop's own has no token."""
    run = Run().open(token=BYTES)
    claim = do.Submit(attempt="G001.A1", tree=TREE)
    assert run.ask(claim, OTHER) == ("not-holder",)
    assert run.ask(claim.but(token="0" * 64), AGENT) == ("not-holder",)
    (reason,) = gate.may_submit(run.state, "G001.A1", now=run.now)
    assert "`forsooth next G001` shows it" in reason.says
    assert reason.hint == "forsooth next G001"
    assert run.ask(claim.but(token=BYTES), OTHER) == ()
    assert run.ask(claim.but(token=BYTES), AGENT) == ("submitted",)


def test_bookkeeping_never_refuses_a_claim_and_a_change_does():
    """`seen` is about this goal and the plan's seal, not about how many lines were written."""
    run = Run(plan(2)).open()
    seen = run.state.seq
    claim = do.Submit(attempt="G001.A1", tree=TREE, seen=seen)
    run.done(do.Note(text="n", goal="G001")).done(do.Spend(cost=1)).prove("G002")
    run.block("G002").clear("G002").add()
    assert gate.may_submit(run.state, "G001.A1", now=run.now, seen=seen) == ()
    changed = Run(plan(2)).open().block().clear()
    assert changed.ask(claim.but(seen=seen)) == ("changed-since",)
    again = Run(plan(2)).open().reseal(plan(3))
    assert again.ask(claim.but(seen=seen)) == ("changed-since",)
    assert again.ask(claim.but(seen=again.state.seq)) == ()


def test_a_claim_that_nobody_judges_any_more_may_be_made_again():
    """A second claim is refused while the first is judged, and taken when its judge is gone."""
    run = Run().open().submit()
    claim = do.Submit(attempt="G001.A1", tree=TREE)
    assert run.ask(claim) == ("submitted",)
    assert run.ask(claim.but(resumes=True)) == ()
    assert run.done(claim.but(resumes=True)).verdict().state.goals["G001"].verdict


def test_a_claim_needs_a_running_plan_and_an_open_attempt():
    """Both are said; a plan that is paused comes first."""
    run = Run()
    claim = do.Submit(attempt="G001.A1", tree=TREE)
    assert run.ask(claim) == ("no-attempt",)
    run.open(token=BYTES).done(do.Pause(), PERSON)
    assert run.ask(claim) == ("paused", "not-holder")
    run.done(do.Abort(attempt="G001.A1", reason="x"))
    assert run.ask(claim) == ("paused",)


def test_everything_against_a_receipt_comes_at_once():
    """Outcome, signature, staleness, plan, isolation, evidence, coverage and waivers."""
    policy = Policy(isolation="strict", weak="refuse")
    weak = goal(1, criteria=tuple(criterion(f"G001.C{n}", by="agent") for n in (1, 2, 3, 4)))
    run = Run(plan(weak), policy=policy).open().submit()
    bare = findings(("G001.C1",), "pass")[0].but(evidence=())
    rest = findings(("G001.C2",), "waived") + findings(("G001.C3",), "fail")
    run.verdict(findings=(bare, *rest), signed=False, stage="attempt", plan_digest=BRIEF)
    run.block()
    assert run.ask(do.Attest(receipt=run.a_receipt()), LOOP) == (
        *("not-proven", "unsigned", "not-delivered", "stale-verdict", "other-plan", "isolation"),
        *("no-evidence", "not-judged", "not-waived", "blocked", "weak-contract"),
    )


def test_without_a_verdict_there_is_nothing_to_attest():
    """Neither for a goal nor for the plan; a paused plan says that as well."""
    run = Run().done(do.Pause(), PERSON)
    assert run.ask(do.Attest(receipt=run.a_receipt())) == ("paused", "no-verdict")
    assert run.ask(do.Attest(receipt=run.a_receipt("plan"))) == ("paused", "no-verdict")
    assert run.ask(do.Attest(receipt=run.a_receipt(subject="G009"))) == ("paused",)


def test_an_old_passing_verdict_is_never_attested_after_a_change():
    """Neither after the goal was touched nor after the plan was amended elsewhere."""
    run = Run(plan(2)).judged().block().clear()
    assert run.ask(do.Attest(receipt=run.a_receipt())) == ("stale-verdict",)
    run.verdict().add()
    assert run.ask(do.Attest(receipt=run.a_receipt())) == ("other-plan",)
    run.verdict().attest()
    assert run.status() == "done"


def test_a_weak_contract_is_attested_only_where_policy_allows():
    """A goal that nothing proves has no receipt, unless a person's own settings let it."""
    bare = plan(goal(1, criteria=0))
    run = Run(bare).open().submit().verdict()
    assert run.ask(do.Attest(receipt=run.a_receipt())) == ("weak-contract",)
    assert run.status() == "active"
    steered = plan(goal(1, criteria=0, origin="steering"))
    assert Run(steered).prove("G001").status() == "done"
    assert Run(bare, policy=Policy(weak="allow")).prove("G001").status() == "done"


def test_only_pending_goals_are_reworded_split_or_moved():
    """Work in progress and proven work stay as they are."""
    run = Run(plan(3)).open().prove("G002")
    pieces = (Piece(title="a", objective="a"), Piece(title="b", objective="b"))
    for name in ("G001", "G002"):
        for change in (
            Reword(goal=name, title="x", **GROUNDS),
            Split(goal=name, pieces=pieces, **GROUNDS),
            Reorder(order=(name, "G003"), **GROUNDS),
        ):
            assert run.ask(do.Amend(amendment=change), PERSON) == ("not-pending",)


def test_a_malformed_change_says_all_that_is_wrong_with_it():
    """Twice the same, someone else's criterion, nothing new, an unknown check."""
    run = Run(plan(2))
    pieces = (
        Piece(title="a", objective="a", criteria=("G001.C1", "G002.C1")),
        Piece(title="b", objective="b", criteria=("G001.C1",)),
    )
    split = Split(goal="G001", pieces=pieces, **GROUNDS)
    assert run.ask(do.Amend(amendment=split)) == ("no-such-criterion", "id-twice")
    assert run.ask(do.Amend(amendment=split.but(goal="G009"))) == (
        *("no-such-goal", "no-such-criterion", "no-such-criterion"),
        *("no-such-criterion", "id-twice"),
    )
    order = Reorder(order=("G001", "G001"), **GROUNDS)
    assert run.ask(do.Amend(amendment=order)) == ("id-twice",)
    assert run.ask(do.Amend(amendment=Reword(goal="G001", **GROUNDS))) == ("nothing-to-do",)
    odd = criterion("G001.C1", check=Check(kind="magic"))
    add = Add(title="t", objective="o", criteria=(odd,), **GROUNDS)
    assert run.ask(do.Amend(amendment=add), AGENT) == ("bad-check", "not-a-person")
    assert run.ask(do.Amend(amendment=add), PERSON) == ("bad-check",)


def test_nothing_is_steered_before_the_seal_or_after_the_end():
    """A draft is edited in its brief; what was given up is not edited at all."""
    add = do.Amend(amendment=Add(title="t", objective="o", **GROUNDS))
    assert Run(plan(1), sealed=False).ask(add, PERSON) == ("not-sealed",)
    assert Run().done(do.Drop(), PERSON).ask(add, PERSON) == ("dropped",)
    assert Run().done(do.Pause(), PERSON).ask(add, PERSON) == ("paused",)


def test_to_set_a_goal_aside_it_must_be_blocked_or_expired():
    """Pending, active and done goals are not."""
    away = do.Amend(amendment=Supersede(goal="G001", **GROUNDS))
    for run in (Run(plan(2)), Run(plan(2)).open(), Run(plan(2)).prove("G001")):
        assert run.ask(away, PERSON) == ("not-blocked",)
    expired = Run(plan(2)).verdict(outcome="error", code="hypothesis-expired")
    assert expired.ask(away, AGENT) == ()
    assert Run(plan(2)).block().ask(away, AGENT) == ()


def test_what_needs_a_person_only_a_person_clears():
    """What needs anything else, anyone may; an unknown obstacle is named."""
    run = Run().block(needs="human").block(needs="agent")
    assert run.ask(do.Clear(goal="G001", blocker="B1"), AGENT) == ("not-a-person",)
    assert run.ask(do.Clear(goal="G001", blocker="B2"), AGENT) == ()
    assert run.ask(do.Clear(goal="G001", blocker="B2"), AGENT) == ("no-such-blocker",)
    assert run.ask(do.Clear(goal="G001", blocker="B1"), PERSON) == ()


def test_any_goal_still_wanted_can_be_blocked():
    """Also while the plan is paused; not before the seal, and not what was set aside."""
    raise_ = do.Raise(goal="G001", needs="agent", why="x")
    assert Run().done(do.Pause(), PERSON).ask(raise_) == ()
    assert Run(plan(1), sealed=False).ask(raise_) == ("not-sealed",)
    assert Run(plan(2)).block().supersede().ask(raise_) == ("superseded",)
    assert Run().done(do.Drop(), PERSON).ask(raise_) == ("dropped",)


def test_what_is_proven_is_blocked_by_a_person_alone():
    """The word of an agent or of the loop undoes no proof; the refusal says how to look again."""
    raise_ = do.Raise(goal="G001", needs="agent", why="x")
    run = Run(plan(2)).prove("G001")
    for actor in (AGENT, LOOP):
        assert run.ask(raise_, actor) == ("not-a-person",)
    (reason,) = gate.may_block(run.state, "G001", AGENT, now=run.now)
    assert (reason.says, reason.hint) == (
        "G001 is proven, and only a person may block it",
        "forsooth check G001",
    )
    assert run.ask(raise_.but(goal="G002")) == ()
    assert run.ask(raise_, PERSON) == ()


@requirement("R040", "R041", "D3")
def test_an_agent_pauses_only_for_what_needs_a_person():
    """The latest classification decides; bookkeeping after it takes nothing away."""
    run = Run(plan(2))
    assert run.ask(do.Pause()) == ("pause-unearned",)
    run.done(do.Note(text="can be fixed", needs="agent"))
    assert run.ask(do.Pause()) == ("pause-unearned",)
    run.done(do.Note(text="only the owner has the key", needs="human"))
    run.done(do.Note(text="a note")).done(do.Spend(cost=1)).open("G002")
    assert run.ask(do.Pause()) == ()
    assert run.plan_status == "paused"
    run.done(do.Resume()).block(needs="human")
    run.done(do.Note(text="oh, a mock will do", needs="agent"))
    assert run.ask(do.Pause()) == ("pause-unearned",)


@requirement("R040")
def test_a_blocker_that_was_cleared_no_longer_earns_a_pause():
    """The classification ends with the obstacle it came with, and with no other."""
    run = Run(plan(2)).block("G001", needs="human").block("G002", needs="human")
    run.clear("G001")
    assert run.state.classified.blocker == "B2"
    run.clear("G002")
    assert run.ask(do.Pause()) == ("pause-unearned",)


def test_what_a_person_paused_a_person_resumes():
    """An agent resumes its own pause only."""
    run = Run().block(needs="human").done(do.Pause())
    assert run.ask(do.Resume(), AGENT) == ()
    assert run.ask(do.Resume(), AGENT) == ("not-paused",)
    run.done(do.Pause(), PERSON)
    assert run.ask(do.Resume(), AGENT) == ("not-a-person",)
    assert run.ask(do.Resume(), PERSON) == ()


def test_only_a_person_gives_up_waives_and_approves():
    """Each says so, and what else is wrong with it."""
    run = Run()
    assert run.ask(do.Drop(), AGENT) == ("not-a-person",)
    waive = do.Waive(goal="G001", criterion="G001.C9", by="a", reason="r")
    assert run.ask(waive, AGENT) == ("not-a-person", "no-such-criterion")
    assert run.ask(waive, PERSON) == ("no-such-criterion",)
    approve = do.Attach(digest=BYTES, criterion="G001.C9", approves=True)
    assert run.ask(approve, AGENT) == ("not-a-person", "no-such-criterion")
    assert run.ask(approve.but(criterion=None), PERSON) == ("no-such-criterion",)
    assert run.ask(approve.but(criterion="G001.C1"), PERSON) == ("not-asked",)
    opinions = Run(plan(goal(1, criteria=(opinion("G001.C1"),))))
    assert opinions.ask(approve.but(criterion="G001.C1"), PERSON) == ()


def test_after_the_end_nothing_more_happens_to_the_plan():
    """Given up is given up, for persons as well; a new plan is a new plan."""
    run = Run(plan(2)).block("G002").done(do.Drop(), PERSON)
    for command in (
        do.Create(plan=plan(1)),
        do.Seal(digest=BRIEF),
        do.Open(goal="G001"),
        do.Clear(goal="G002", blocker="B1"),
        do.Pause(),
        do.Resume(),
        do.Drop(),
    ):
        assert run.ask(command, PERSON) == ("dropped",), command


def test_only_the_judge_gives_verdicts():
    """About a goal that is there, and a claim that was made."""
    run = Run().open()
    verdict = run.a_verdict()
    assert run.ask(do.Give(verdict=verdict), AGENT) == ("not-the-judge",)
    odd = verdict.but(subject="G009", attempt="G001.A1")
    assert run.ask(do.Give(verdict=odd), LOOP) == ("not-the-judge", "no-such-goal", "no-attempt")
    assert run.ask(do.Give(verdict=verdict.but(attempt="G001.A2")), JUDGE) == ("no-attempt",)
    run.submit()
    assert run.ask(do.Give(verdict=run.a_verdict()), Actor(kind="ci")) == ()


def test_a_script_that_speaks_for_a_person_may_not_waive():
    """It may stop, resume and unblock; what is set aside takes a person who was heard."""
    run = Run()
    waive = do.Waive(goal="G001", criterion="G001.C1", by="ann", reason="known")
    assert run.ask(waive, SCRIPT) == ("not-a-person",)
    granted = WaiverGranted(goal="G001", criterion="G001.C1", waiver=Waiver(by="a", reason="b"))
    assert not run.fact(granted, SCRIPT)
    assert run.ask(waive, PERSON) == ()
    assert (SCRIPT.is_person, SCRIPT.speaks_for_person) == (False, True)
    assert (PERSON.is_person, PERSON.speaks_for_person) == (True, True)
    assert (AGENT.is_person, AGENT.speaks_for_person) == (False, False)


@pytest.mark.parametrize(
    ("until", "code"),
    [
        ("tomorrow", "bad-time"),
        ("2026-01-02", "bad-time"),
        ("2026-01-02T10Z", "bad-time"),
        ("2026-01-02T10:00:00+00:00", "bad-time"),
        ("2026-13-02T10:00:00Z", "bad-time"),
        ("2025-12-31T23:59:59Z", "past-time"),
        ("2026-01-01T00:00:00Z", "past-time"),
    ],
)
def test_a_wait_ends_at_a_written_time_that_is_still_to_come(until, code):
    """The hint is a time that would do."""
    run = Run()
    wait = do.Raise(goal="G001", needs="time", why="x", until=until)
    (reason,) = gate.may_block(run.state, "G001", AGENT, now=run.now, until=until)
    assert (reason.code, "--until 2026-01-02T00:00:00.000Z" in reason.hint) == (code, True)
    assert run.ask(wait) == (code,)
    assert run.ask(wait.but(until="2026-01-01T00:00:00.5Z")) == ()


def test_clearing_without_a_name_clears_everything_that_stands_or_nothing():
    """One decision: what an agent may not clear keeps the rest where it is."""
    run = Run().block(needs="agent").block(needs="human").block("G001", "time")
    assert run.ask(do.Clear(goal="G001"), AGENT) == ("not-a-person",)
    assert len(run.goal().blockers) == 3
    assert run.ask(do.Clear(goal="G001"), SCRIPT) == ()
    assert run.goal().blockers == ()
    assert run.ask(do.Clear(goal="G001"), PERSON) == ("no-such-blocker",)


def test_what_was_given_up_is_opened_again_in_one_decision():
    """Only what failed; other obstacles stay, and a plan that was dropped stays so."""
    run = Run(plan(2)).block(needs="agent", kind="failed").block("G002", "agent", kind="failed")
    run.block("G002", "agent")
    assert run.ask(do.Retry(reason="again")) == ()
    assert [len(run.goal(name).blockers) for name in ("G001", "G002")] == [0, 1]
    run.block(needs="human", kind="failed")
    assert run.ask(do.Retry()) == ("not-a-person",)
    run.done(do.Drop(), PERSON)
    assert run.ask(do.Retry(), PERSON) == ("dropped",)


def test_a_draft_is_refused_when_what_it_was_made_from_has_moved():
    """Somebody steered while the brief was read."""
    run = Run(plan(1))
    basis = run.state.basis
    run.add()
    assert run.ask(do.Create(plan=plan(2), against=basis), PERSON) == ("plan-moved",)
    assert run.ask(do.Create(plan=plan(3), against=run.state.basis), PERSON) == ()
    stale = run.state.basis
    run.create(plan(4))
    assert run.ask(do.Create(plan=plan(3), against=stale), PERSON) == ("plan-moved",)


def test_a_receipt_counts_only_for_a_verdict_the_gate_would_attest():
    """Signed or not: what rests on no evidence, or on too little isolation, proves nothing."""
    run = Run(policy=Policy(isolation="strict")).judged()
    assert not run.fact(ReceiptIssued(receipt=run.a_receipt()), LOOP, signed=True)
    bare = findings(("G001.C1",), "pass")[0].but(evidence=())
    run = Run().judged(findings=(bare,))
    assert not run.fact(ReceiptIssued(receipt=run.a_receipt()), LOOP, signed=True)


def test_a_plan_sealed_again_keeps_the_base_it_began_with():
    """What was done before counts from the first commit on."""
    base = Base(commit="a" * 40, tree="b" * 40)
    draft = plan(1)
    run = Run(draft, sealed=False)
    run.done(do.Seal(digest=draft.but(base=base).digest, base=base), PERSON)
    again = plan(2, base=base)
    run.create(again)
    assert run.ask(do.Seal(digest=again.digest), PERSON) == ("draft-changed",)
    run.done(do.Seal(digest=again.digest, base=base), PERSON)
    assert run.state.plan is not None
    assert run.state.plan.base == base


def test_only_a_person_who_was_heard_starts_the_count_again_by_rewording():
    """A script's better words are welcome and change nothing else."""
    run = Run(policy=Policy(attempts=3)).judged(outcome="fail")
    reword = Reword(goal="G001", title="new", evidence="e", rationale="r")
    run.steer(reword, SCRIPT)
    assert (run.goal().spent, run.goal().goal.title) == (1, "new")
    run.steer(reword.but(title="newer"), PERSON)
    assert run.goal().spent == 0
