"""One event more: what counts, and what no line appended by hand can do."""

from __future__ import annotations

import pytest

from forsooth.core import command as do
from forsooth.core import event as was
from forsooth.core.actor import JUDGE, LOOP, Actor
from forsooth.core.amendment import Add, Piece, Reorder, Reword, Split, Supersede
from forsooth.core.blocker import Blocker
from forsooth.core.event import AnyFact
from forsooth.core.evolve import fold
from forsooth.core.plan import Base, Waiver
from forsooth.core.state import NOTHING, Agreement
from tests.core.build import (
    AGENT,
    AGREE,
    BRIEF,
    BYTES,
    COMMIT,
    ENVELOPE,
    GROUNDS,
    LATER,
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

ENTITLED = {"human", "judge", "loop", "ci"}


def untouched(run: Run, fact: AnyFact, by: Actor = AGENT, *, signed: bool = False) -> bool:
    """Whether a line was void: counted as such, and nothing else changed."""
    before = run.state
    counted = run.fact(fact, by, signed=signed)
    return not counted and run.state == before.but(
        seq=run.state.seq, at=run.state.at, void=before.void + 1
    )


def judged() -> Run:
    """A goal with a signed, passing verdict and no receipt yet."""
    return Run(plan(2)).judged()


@requirement("R082")
def test_only_a_signed_receipt_makes_a_goal_done():
    """A passing verdict does not, and neither does the same receipt without its signature."""
    run = judged()
    assert run.status() == "active"
    receipt = was.ReceiptIssued(receipt=run.a_receipt())
    assert untouched(run, receipt, LOOP)
    assert run.status() == "active"
    assert run.fact(receipt, LOOP, signed=True)
    assert run.status() == "done"


def test_an_unsigned_verdict_is_never_attested():
    """Not by the gate, and not by a receipt that names it."""
    run = Run().open().submit().verdict(signed=False)
    assert run.ask(do.Attest(receipt=run.a_receipt()), LOOP) == ("unsigned",)
    assert untouched(run, was.ReceiptIssued(receipt=run.a_receipt()), LOOP, signed=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": 1},
        {"verdict": 99},
        {"tree": LATER},
        {"plan_digest": BRIEF},
        {"subject": "G002"},
        {"subject": "G009"},
        {"subject": "plan"},
    ],
    ids=str,
)
def test_a_receipt_about_anything_else_is_void(wrong: dict[str, object]):
    """Another verdict, tree, plan or subject than the one that passed."""
    run = judged()
    assert untouched(run, was.ReceiptIssued(receipt=run.a_receipt(**wrong)), LOOP, signed=True)


def test_a_receipt_for_an_older_verdict_is_void():
    """A later verdict replaced it, whatever it said."""
    run = judged()
    old = was.ReceiptIssued(receipt=run.a_receipt())
    run.verdict()
    assert untouched(run, old, LOOP, signed=True)
    run.verdict(outcome="error")
    assert untouched(run, was.ReceiptIssued(receipt=run.a_receipt()), LOOP, signed=True)


def test_a_receipt_for_a_verdict_from_before_the_goal_was_touched_is_void():
    """A blocker came and went since, so it must be judged again; the same holds for the plan."""
    run = judged().block().clear()
    assert untouched(run, was.ReceiptIssued(receipt=run.a_receipt()), LOOP, signed=True)
    run.verdict().attest().prove("G002").verdict("plan").block().clear().prove("G001")
    assert untouched(run, was.ReceiptIssued(receipt=run.a_receipt("plan")), LOOP, signed=True)


def test_a_receipt_for_a_verdict_under_another_plan_is_void():
    """The verdict must have been about the plan now in force, not the receipt alone."""
    run = judged().add()
    assert untouched(run, was.ReceiptIssued(receipt=run.a_receipt()), LOOP, signed=True)


def test_a_receipt_for_work_not_yet_merged_is_void():
    """The quick look at an attempt's own branch is no proof of what is delivered."""
    run = Run().open().submit().verdict(stage="attempt")
    assert untouched(run, was.ReceiptIssued(receipt=run.a_receipt()), LOOP, signed=True)


TRY = {"goal": "G001"}
SPLIT = Split(
    goal="G001",
    pieces=(Piece(title="a", objective="a"), Piece(title="b", objective="b")),
    **GROUNDS,
)
ILL_FITTING: dict[str, tuple[AnyFact, Actor]] = {
    "an attempt out of order": (was.AttemptOpened(attempt="G001.A3", **TRY), AGENT),
    "an attempt at no goal": (was.AttemptOpened(attempt="G009.A1", goal="G009"), AGENT),
    "a claim for no open attempt": (
        was.AttemptSubmitted(attempt="G001.A1", **TRY, tree=TREE),
        AGENT,
    ),
    "a claim for no goal": (
        was.AttemptSubmitted(attempt="G009.A1", goal="G009", tree=TREE),
        AGENT,
    ),
    "a verdict on no goal": (
        was.VerdictGiven(verdict=Run().a_verdict().but(subject="G009")),
        JUDGE,
    ),
    "a seal of no draft": (was.PlanSealed(plan_digest=BRIEF, channel="terminal"), PERSON),
    "a blocker on no goal": (
        was.BlockerRaised(blocker=Blocker(id="B1", goal="G009", needs="human", why="x")),
        AGENT,
    ),
    "a clear of no blocker": (was.BlockerCleared(blocker="B9", goal="G001"), PERSON),
    "a clear on no goal": (was.BlockerCleared(blocker="B1", goal="G009"), PERSON),
    "a waiver by an agent": (
        was.WaiverGranted(goal="G001", criterion="G001.C1", waiver=Waiver(by="me", reason="x")),
        AGENT,
    ),
    "a waiver on no goal": (
        was.WaiverGranted(goal="G009", criterion="G009.C1", waiver=Waiver(by="me", reason="x")),
        PERSON,
    ),
    "an approval by an agent": (
        was.EvidenceAdded(digest=BYTES, criterion="G001.C1", approves=True),
        AGENT,
    ),
    "an approval by a script": (
        was.EvidenceAdded(digest=BYTES, criterion="G001.C1", approves=True),
        SCRIPT,
    ),
    "an approval of nothing": (was.EvidenceAdded(digest=BYTES, approves=True), PERSON),
    "giving up by an agent": (was.PlanDropped(), AGENT),
    "a pause nobody earned": (was.PlanPaused(), AGENT),
    "an added goal of another making": (
        was.PlanAmended(amendment=Add(title="t", objective="o", **GROUNDS), goals=(goal(9),)),
        AGENT,
    ),
    "an added goal under a name in use": (
        was.PlanAmended(
            amendment=Add(title="goal 2", objective="reach 2", **GROUNDS),
            goals=(goal(2, criteria=0, by="agent"),),
        ),
        AGENT,
    ),
    "an addition of nothing": (
        was.PlanAmended(amendment=Add(title="t", objective="o", **GROUNDS)),
        AGENT,
    ),
    "a split that makes nothing": (was.PlanAmended(amendment=SPLIT), AGENT),
    "a split that loses a criterion": (
        was.PlanAmended(
            amendment=SPLIT, goals=(goal(8, criteria=0), goal(9, criteria=0, by="agent"))
        ),
        AGENT,
    ),
    "a split of no goal": (was.PlanAmended(amendment=SPLIT.but(goal="G009")), AGENT),
    "a setting aside with a replacement of its own": (
        was.PlanAmended(amendment=Supersede(goal="G001", **GROUNDS), goals=(goal(9, criteria=0),)),
        AGENT,
    ),
    "a setting aside of no goal": (
        was.PlanAmended(amendment=Supersede(goal="G009", **GROUNDS)),
        PERSON,
    ),
    "a wording for no goal": (
        was.PlanAmended(amendment=Reword(goal="G009", title="x", **GROUNDS)),
        PERSON,
    ),
    "an order with a goal twice": (
        was.PlanAmended(amendment=Reorder(order=("G001", "G001"), **GROUNDS)),
        PERSON,
    ),
    "an order with no goal": (
        was.PlanAmended(amendment=Reorder(order=("G001", "G009"), **GROUNDS)),
        PERSON,
    ),
}


@pytest.mark.parametrize(("fact", "by"), ILL_FITTING.values(), ids=ILL_FITTING)
def test_a_line_that_does_not_fit_is_void(fact: AnyFact, by: Actor):
    """It is counted and changes nothing, signed or not."""
    assert untouched(Run(plan(2)), fact, by)
    assert untouched(Run(plan(2)), fact, by, signed=True)


def test_before_the_seal_nothing_can_be_amended():
    """There is no plan in force that could change."""
    run = Run(plan(1), sealed=False)
    assert untouched(run, was.PlanAmended(amendment=Reword(goal="G001", title="x", **GROUNDS)))


@pytest.mark.parametrize("by", [AGENT, LOOP, JUDGE])
def test_only_a_person_seals(by: Actor):
    """A seal by anyone else, or of another draft, is void."""
    draft = plan(1)
    seal = was.PlanSealed(plan_digest=draft.digest, channel="terminal")
    run = Run(draft, sealed=False)
    assert untouched(run, seal, by)
    assert untouched(run, seal.but(plan_digest=BRIEF), PERSON)
    assert untouched(run, seal.but(base=Base(tree=TREE)), PERSON)
    assert run.fact(seal, PERSON)


def test_one_attempt_a_goal_at_a_time():
    """A second opening is void, and so is a claim for another attempt."""
    run = Run().open()
    assert untouched(run, was.AttemptOpened(attempt="G001.A2", **TRY))
    assert untouched(run, was.AttemptSubmitted(attempt="G001.A2", **TRY, tree=TREE))
    assert untouched(run, was.AttemptIntegrated(attempt="G001.A2", **TRY, tree=TREE, commit=COMMIT))
    assert untouched(run, was.AttemptAborted(attempt="G001.A2", **TRY, reason="x"))


def test_an_agent_cannot_clear_what_needs_a_person_nor_resume_what_one_paused():
    """Not through the gate and not by a line of its own."""
    run = Run().block(needs="human")
    assert untouched(run, was.BlockerCleared(blocker="B1", goal="G001"))
    run.done(do.Pause(), PERSON)
    assert untouched(run, was.PlanResumed())
    assert run.fact(was.PlanResumed(), PERSON)
    assert run.fact(was.BlockerCleared(blocker="B1", goal="G001"), PERSON)


def test_a_goal_set_aside_changes_no_more():
    """Only a person's confirmation of the same still counts."""
    run = Run(plan(2)).block().supersede()
    assert untouched(run, was.PlanAmended(amendment=Reword(goal="G001", title="x", **GROUNDS)))
    again = was.PlanAmended(amendment=Supersede(goal="G001", **GROUNDS))
    assert untouched(run, again)
    assert untouched(run, again, SCRIPT)
    assert run.fact(again, PERSON)
    assert run.goal().superseded.confirmed


def test_bookkeeping_changes_its_own_counter_only():
    """Notes, findings, evidence, refusals, costs and repairs leave every goal as it was."""
    run = Run(plan(2)).prove("G001")
    goals = run.state.goals
    finding = findings(("G001.C1",), "fail")[0]
    for fact in (
        was.NoteAdded(text="n"),
        was.FindingRecorded(finding=finding, tree=TREE),
        was.EvidenceAdded(digest=BYTES, goal="G001"),
        was.CommandRefused(command="open", codes=("paused",)),
        was.UsageRecorded(cost=3, tokens=4),
        was.LedgerRepaired(removed=1, digest=BYTES),
    ):
        assert run.fact(fact)
    assert run.state.goals == goals
    assert (run.state.cost, run.state.tokens, run.state.repairs) == (3, 4, 1)
    assert run.state.refused == ("paused",)


def test_keys_are_remembered_while_their_attempt_is_open():
    """The plan's until its next verdict; a line that does not count leaves no key."""
    run = Run(plan(2))
    run.fact(was.AttemptOpened(attempt="G001.A1", **TRY), key="G001/A1/open/1")
    run.fact(was.AttemptOpened(attempt="G001.A1", **TRY), key="G001/A1/open/2")
    run.fact(was.NoteAdded(text="n"), key="plan/judge/1")
    run.fact(was.NoteAdded(text="n"), key="G002/A1/open/1")
    assert set(run.state.keys) == {"G001/A1/open/1", "plan/judge/1", "G002/A1/open/1"}
    run.verdict("plan", "error")
    run.fact(was.AttemptAborted(attempt="G001.A1", **TRY, reason="x"), key="G001/A1/abort/1")
    assert set(run.state.keys) == {"G001/A1/abort/1"}


def test_a_fold_of_lines_is_the_fold_of_their_parts():
    """State is a sum, so a reader may stop anywhere and go on."""
    run = Run(plan(2)).block("G002").open()
    whole = fold(run.log)
    assert fold(run.log[3:], fold(run.log[:3])) == whole == run.state
    assert fold(()) == NOTHING
    assert NOTHING.definition is None


def test_what_a_person_no_longer_wants_is_set_aside_with_its_attempt():
    """A goal gone from the brief stays on record, confirmed, and nobody works on it."""
    run = Run(plan(2)).open("G002")
    run.reseal(plan(1))
    gone = run.goal("G002")
    assert (gone.superseded.confirmed, gone.superseded.rationale) == (
        True,
        "no longer in the brief",
    )
    assert gone.attempt is None
    assert run.status("G002") == "superseded"


def test_resealing_proves_again_only_what_changed():
    """A goal that says what it said keeps its receipt, its attempts and its standing."""
    run = Run(plan(2)).prove("G001", "G002")
    run.reseal(plan(goal(1), goal(2, objective="reach 2 better", criteria=2)))
    assert (run.status("G001"), run.status("G002")) == ("done", "pending")
    assert run.goal("G002").standing("G002.C1").status == "passing"
    assert run.goal("G002").spent == 0


def test_a_goal_edited_in_the_brief_comes_back_from_being_set_aside():
    """What a person wants again is wanted again."""
    run = Run(plan(2)).block().supersede()
    run.reseal(plan(goal(1, objective="smaller"), goal(2)))
    assert run.goal().superseded is None
    assert run.status() == "blocked"


def test_a_reseal_of_what_is_set_aside_keeps_it_so():
    """A plan that names it as set aside changes nothing about it."""
    run = Run(plan(2)).block().supersede(by=PERSON)
    gone = run.goal().superseded
    run.reseal(plan(2, superseded=("G001",)))
    assert run.goal().superseded == gone


def test_waived_only_where_a_person_granted_it():
    """A verdict may call a criterion waived; without the grant it is not attested."""
    run = Run(plan(goal(1, criteria=2)))
    waived = findings(("G001.C1",), "pass") + findings(("G001.C2",), "waived")
    run.open().submit().verdict(findings=waived)
    assert run.goal().verdict.unwaived == ("G001.C2",)
    run.done(do.Waive(goal="G001", criterion="G001.C2", by="p", reason="known"), PERSON)
    run.verdict(findings=waived)
    assert run.goal().verdict.unwaived == ()
    run.attest()
    run.verdict("plan", findings=waived)
    assert run.state.verdict.unwaived == ()


def test_an_approval_is_kept_with_its_place_in_the_ledger():
    """The judge can tell whether it came before or after a change."""
    run = Run(plan(goal(1, criteria=(opinion("G001.C1"),))))
    run.done(AGREE.but(paths=("docs/**",)), PERSON)
    agreed = Agreement(seq=run.state.seq, by=PERSON, tree=TREE, paths=("docs/**",))
    assert run.goal().approvals == {"G001.C1": agreed}


def test_the_state_does_not_grow_with_the_ledger():
    """A thousand notes leave no trace but the sequence number."""
    run = Run()
    before = run.state
    for _ in range(1000):
        run.fact(was.NoteAdded(text="n"))
    assert run.state == before.but(seq=run.state.seq)
    assert ENVELOPE not in str(run.state)


def test_a_look_at_unclaimed_work_does_not_end_it():
    """A failing verdict closes a claim, never an attempt somebody is still working on."""
    run = Run().open()
    run.verdict("G001", "fail")
    assert run.goal().attempt is not None
    run.submit().verdict("G001", "fail")
    assert run.goal().attempt is None


def test_a_criterion_s_number_is_never_given_again():
    """The highest number ever given to a goal's criteria is remembered."""
    run = Run(plan(goal(1, criteria=2)))
    assert run.goal().named == 2
    run.reseal(plan(goal(1, criteria=1)))
    assert run.goal().named == 2


def test_what_is_seen_of_an_entry_criterion_is_its_standing():
    """A look at any other decides nothing, and no failure before the work counts as stuck."""
    asked = goal(1, entry=(criterion("G001.E1"), opinion("G001.E2")))
    run = Run(plan(asked))
    assert run.goal().awaiting == ("G001.E2",)
    for id_ in ("G001.E1", "G001.E1", "G001.E1", "G001.C1"):
        finding = findings((id_,), "fail")[0]
        run.done(do.Record(finding=finding, tree=TREE), JUDGE)
    assert run.goal().standing("G001.E1").status == "failing"
    assert run.goal().standing("G001.C1").status == "untested"
    assert run.done(AGREE.but(criterion="G001.E2"), PERSON).goal().awaiting == ()
    assert run.ask(do.Open(goal="G001")) == ()
