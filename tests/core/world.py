"""A plan among actors who do anything at any time, and what must hold of it whatever they do.

`World.act` takes one random command; `World.check` asks the safety questions of the log with its
own short loops, not with the code under test; `World.drive` lets everyone behave from here on and
must reach an end, so there is no state without a way out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from forsooth.core import command as do
from forsooth.core import next as steps
from forsooth.core.actor import Actor
from forsooth.core.amendment import Add, Piece, Reorder, Reword, Split, Supersede
from forsooth.core.check import Check
from forsooth.core.decide import Refusal, decide
from forsooth.core.event import (
    BlockerCleared,
    BlockerRaised,
    Event,
    PlanAmended,
    PlanSealed,
    ReceiptIssued,
    VerdictGiven,
    WaiverGranted,
)
from forsooth.core.evolve import evolve
from forsooth.core.ids import SUITE
from forsooth.core.instant import written
from forsooth.core.next import next_steps
from forsooth.core.plan import Cadence, Criterion, Goal, Plan
from forsooth.core.policy import Policy
from forsooth.core.receipt import Receipt
from forsooth.core.replan import propose
from forsooth.core.state import NOTHING, State
from forsooth.core.status import counted, goal_status, plan_status, unconfirmed
from forsooth.core.verdict import Finding, Verdict
from forsooth.core.why import why

T = TypeVar("T")
Choose = Callable[[Sequence[T]], T]

PERSON = Actor(kind="human", channel="terminal")
SCRIPT = Actor(kind="human", channel="unattended")
AGENTS = (Actor(kind="agent", name="a"), Actor(kind="agent", name="b"))
JUDGE = Actor(kind="judge")
LOOP = Actor(kind="loop")
ANYONE = (PERSON, SCRIPT, *AGENTS, JUDGE, LOOP, Actor(kind="ci"))
DIGEST = "d" * 64
TREES = ("1" * 40, "2" * 40)
RUN = Check(kind="command", params={"argv": ["true"]})
ERRORS = ("environment", "awaiting-approval", "hedged", "pending", "hypothesis-expired")


def a_plan(choose: Choose[Any], *, number: int = 0, before: Plan | None = None) -> Plan:
    """A small plan of any shape; later versions keep some goals and change others."""
    goals: list[Goal] = []
    for index in range(1, choose((1, 2, 2, 3)) + 1):
        id_ = f"G00{index}"
        earlier = tuple(goal.id for goal in goals)
        criteria = tuple(
            Criterion(id=f"{id_}.C{n}", says=f"claim {n}", check=RUN)
            for n in range(1, choose((0, 1, 1, 2)) + 1)
        )
        goals.append(
            Goal(
                id=id_,
                title=f"goal {index}",
                objective=choose(("as told", f"told {number}")),
                depends_on=(choose(earlier),) if earlier and choose((True, False)) else (),
                criteria=criteria,
                cadence=Cadence(hours=5) if choose((True, False, False, False)) else None,
            )
        )
    kept = tuple(g for g in before.goals if g.by == "agent") if before else ()
    names = {goal.id for goal in goals}
    return Plan(
        id="20260101-000000",
        brief_digest=DIGEST,
        goals=(*goals, *(g for g in kept if g.id not in names)),
        suite=RUN if choose((True, False)) else None,
    )


class World:
    """One plan, everyone who may touch it, and its log."""

    def __init__(self, choose: Choose[Any]) -> None:
        self.choose = choose
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.state: State = NOTHING
        self.log: list[tuple[Event, bool]] = []
        self.plans = 0

    def ask(self, command: do.AnyCommand, actor: Actor, *, signed: bool = True) -> bool:
        """One command; true when it was allowed. What is decided must apply."""
        decision = decide(self.state, command, actor=actor, now=self.now)
        facts = (decision.fact,) if isinstance(decision, Refusal) else decision
        if isinstance(decision, Refusal):
            assert decision.reasons
        for fact in facts:
            before = self.state
            event = Event(before.seq + 1, f"e{before.seq}", written(self.now), actor, fact)
            self.state = evolve(before, event, signed=signed)
            self.log.append((event, signed))
            if signed:
                assert self.state.void == before.void, (command, fact)
            if isinstance(fact, PlanAmended):
                self.conserved(before)
        return not isinstance(decision, Refusal)

    def conserved(self, before: State) -> None:
        """Each criterion is still on one live goal, unchanged, or on a goal set aside."""
        for one in before.live:
            for criterion in one.goal.criteria:
                homes = [
                    g for g in self.state.live if criterion.id in {c.id for c in g.goal.criteria}
                ]
                if not homes:
                    gone = self.state.goals[one.goal.id].superseded
                    assert gone is not None, criterion.id
                    assert gone.evidence, criterion.id
                else:
                    assert len(homes) == 1, criterion.id
                    assert criterion in homes[0].goal.criteria, criterion.id

    def act(self) -> None:
        """Somebody does something."""
        ACTIONS[self.choose(NAMES)](self)

    def _goal(self) -> str:
        return self.choose((*self.state.goals, "G001", "G009"))

    def _attempt(self) -> str:
        tried = [g.attempt.id for g in self.state.goals.values() if g.attempt]
        return self.choose((*tried, "G001.A1"))

    def act_clock(self) -> None:
        hours = self.choose((1, 6, 30, -2))
        self.now += timedelta(hours=hours)

    def act_honestly(self) -> None:
        """The next step is taken as it should be: what is said to come next is always allowed."""
        if plan_status(self.state, self.now) not in ("dropped", "done"):
            step = self.choose(next_steps(self.state, self.now))
            if not isinstance(step, steps.Wait | steps.Rest):
                self._take(step)

    def act_create(self) -> None:
        self.plans += 1
        wanted = a_plan(self.choose, number=self.plans, before=self.state.definition)
        self.ask(do.Create(plan=propose(self.state, wanted)), self.choose(ANYONE))

    def act_seal(self) -> None:
        draft = self.state.proposal
        digest = draft.digest if draft and self.choose((True, True, False)) else DIGEST
        # A goal without criteria comes to an end only where a person's policy allows it.
        limits = {"stuck": self.choose((2, 3)), "budget": self.choose((None, 5))}
        policy = Policy(attempts=2, weak="allow", **limits)
        self.ask(do.Seal(digest=digest, policy=policy), self.choose((PERSON, *ANYONE)))

    def act_open(self) -> None:
        token = self.choose((None, "7" * 64))
        self.ask(do.Open(goal=self._goal(), token=token), self.choose(ANYONE))

    def act_submit(self) -> None:
        command = do.Submit(
            attempt=self._attempt(),
            tree=self.choose(TREES),
            token=self.choose((None, "7" * 64)),
            seen=self.choose((None, self.state.seq, max(self.state.seq - 3, 0))),
        )
        self.ask(command, self.choose(ANYONE))

    def act_abort(self) -> None:
        self.ask(do.Abort(attempt=self._attempt(), reason="gave up"), self.choose(ANYONE))

    def act_integrate(self) -> None:
        tree, commit = self.choose(TREES), "c" * 40
        command = do.Integrate(attempt=self._attempt(), tree=tree, commit=commit)
        self.ask(command, LOOP)

    def act_verdict(self) -> None:
        subject = self.choose((*self.state.goals, "plan"))
        one = self.state.goals.get(subject)
        outcome = self.choose(("pass", "pass", "fail", "error", "waived", "mixed", "short"))
        attempt = one.attempt.id if one and one.attempt and self.choose((True, False)) else None
        verdict = self.verdict(subject, outcome, attempt=attempt)
        self.ask(do.Give(verdict=verdict), self.choose((JUDGE, *ANYONE)), signed=self._signed())

    def _signed(self) -> bool:
        return self.choose((True, True, True, False))

    def verdict(self, subject: str, outcome: str, *, attempt: str | None = None) -> Verdict:
        """A verdict of some outcome about everything it should be about, or a little less."""
        one = self.state.goals.get(subject)
        ids = [c.id for c in one.goal.criteria] if one else list(self.state.required)
        ids = (ids[1:] if outcome == "short" else ids) or [SUITE]
        stage = "deliver" if self.choose((True, True, False)) or attempt is None else "attempt"
        return Verdict(
            subject=subject,
            tree=self.choose(TREES),
            plan_digest=self.state.plan_digest or DIGEST,
            findings=tuple(self._finding(id_, outcome) for id_ in ids),
            attempt=attempt,
            stage=stage,
        )

    def _finding(self, id_: str, outcome: str) -> Finding:
        if outcome == "mixed":
            outcome = self.choose(("pass", "fail", "error"))
        if outcome == "short":
            outcome = "pass"
        code = self.choose(ERRORS) if outcome == "error" else outcome
        backed = () if outcome == "pass" and self.choose((False,) * 9 + (True,)) else (DIGEST,)
        return Finding(criterion=id_, outcome=outcome, code=code, evidence=backed)

    def act_attest(self) -> None:
        subject = self.choose((*self.state.goals, "plan"))
        self.ask(do.Attest(receipt=self.receipt(subject)), LOOP, signed=self._signed())

    def receipt(self, subject: str) -> Receipt:
        """A receipt for the last verdict about a subject."""
        one = self.state.goals.get(subject)
        seen = one.verdict if one else self.state.verdict
        return Receipt(
            subject=subject,
            tree=seen.tree if seen else TREES[0],
            plan_digest=self.state.plan_digest or DIGEST,
            verdict=seen.seq if seen else 1,
            envelope=DIGEST,
            summary="what was made",
        )

    def act_block(self) -> None:
        needs = self.choose(("agent", "environment", "human", "time"))
        kind = self.choose(("blocked", "failed", "review", "waiting"))
        until = written(self.now + timedelta(hours=3)) if needs == "time" else None
        command = do.Raise(goal=self._goal(), needs=needs, why="because", kind=kind, until=until)
        self.ask(command, self.choose(ANYONE))

    def act_unblock(self) -> None:
        raised = [b for g in self.state.goals.values() for b in g.blockers]
        if raised:
            blocker = self.choose(raised)
            command = do.Clear(goal=blocker.goal, blocker=blocker.id)
            self.ask(command, self.choose(ANYONE))

    def act_steer(self) -> None:
        grounds = {"evidence": "seen", "rationale": "so"}
        goal = self._goal()
        pieces = (Piece(title="one", objective="one"), Piece(title="two", objective="two"))
        amendment = self.choose(
            (
                Add(title="more", objective="more", **grounds),
                Split(goal=goal, pieces=pieces, **grounds),
                Reorder(order=tuple(sorted({goal, self._goal(), "G001"})) or ("G001",), **grounds)
                if len({goal, "G001"}) > 1
                else Reword(goal=goal, title="again", **grounds),
                Reword(goal=goal, objective=self.choose(("", "better")), **grounds),
                Supersede(goal=goal, **grounds),
            )
        )
        if len(self.state.goals) < 12:
            self.ask(do.Amend(amendment=amendment), self.choose(ANYONE))

    def act_pause(self) -> None:
        self.ask(do.Pause(), self.choose(ANYONE))

    def act_resume(self) -> None:
        self.ask(do.Resume(), self.choose(ANYONE))

    def act_drop(self) -> None:
        if self.choose((False,) * 11 + (True,)):
            self.ask(do.Drop(), self.choose(ANYONE))

    def act_waive(self) -> None:
        one = self.state.goals.get(self._goal())
        if one and one.goal.criteria:
            id_ = self.choose(one.goal.criteria).id
            command = do.Waive(goal=one.goal.id, criterion=id_, by="p", reason="known")
            self.ask(command, self.choose(ANYONE))

    def act_bookkeep(self) -> None:
        finding = Finding(criterion="G001.C1", outcome="fail", code="exit")
        command = self.choose(
            (
                do.Note(text="a note"),
                do.Note(text="stuck", needs=self.choose(("human", "agent"))),
                do.Record(finding=finding, tree=TREES[0]),
                do.Spend(cost=1, tokens=10),
                do.Attach(digest=DIGEST, label="log"),
                do.Attach(digest=DIGEST, criterion="G001.C1", approves=True),
            )
        )
        self.ask(command, self.choose(ANYONE))

    def check(self) -> None:
        """What must hold now."""
        self._nothing_done_without_a_fresh_receipt()
        self._someone_can_always_go_on()

    def _nothing_done_without_a_fresh_receipt(self) -> None:
        for id_, one in self.state.goals.items():
            if goal_status(one, self.now) == "done":
                assert self._freshly_proven(id_), id_
        if plan_status(self.state, self.now) == "done":
            assert self._freshly_proven("plan")

    def _freshly_proven(self, subject: str) -> bool:
        issued = stale = 0
        for event, signed in self.log:
            if signed and isinstance(event.fact, ReceiptIssued):
                issued = event.seq if event.fact.receipt.subject == subject else issued
            if self._stales(event, subject):
                stale = event.seq
        return issued > stale

    def _stales(self, event: Event, subject: str) -> bool:
        match event.fact:
            case BlockerRaised(blocker=blocker):
                return self._touches(blocker.goal, subject)
            case BlockerCleared(goal=goal) | WaiverGranted(goal=goal):
                return self._touches(goal, subject)
            case PlanAmended(amendment=amendment):
                return subject in ("plan", getattr(amendment, "goal", None))
            case PlanSealed():
                return subject == "plan"
            case VerdictGiven(verdict=verdict):
                failing = any(f.outcome == "fail" for f in verdict.findings)
                return failing and verdict.subject == subject and verdict.stage == "deliver"
        return False

    def _touches(self, goal: str, subject: str) -> bool:
        """What comes round again completes nothing, so it stales no one but itself."""
        recurs = goal in self.state.goals and self.state.goals[goal].goal.cadence is not None
        return subject == goal or (subject == "plan" and not recurs)

    def _someone_can_always_go_on(self) -> None:
        found = next_steps(self.state, self.now)
        assert found
        for about in ("", *self.state.goals):
            answer = why(self.state, self.now, about=about)
            assert answer is not None
            assert answer.says
            assert answer.command.startswith(("forsooth ", "raise "))
        if plan_status(self.state, self.now) != "dropped":
            stopped = decide(self.state, do.Drop(), actor=PERSON, now=self.now)
            assert not isinstance(stopped, Refusal)

    def drive(self) -> int:
        """Everyone behaves from here on; returns how many steps it took to an end."""
        for count in range(120):
            found = next_steps(self.state, self.now)
            step = found[0]
            if isinstance(step, steps.Rest) and step.ending == "done":
                return count
            if isinstance(step, steps.Wait) and step.needs == "time" and not counted(self.state):
                return count
            if plan_status(self.state, self.now) == "dropped":
                return count
            before = (self.state, self.now)
            self._take(step)
            assert before != (self.state, self.now), step
        raise AssertionError(f"no end in sight: {next_steps(self.state, self.now)}")

    def _take(self, step: steps.Step) -> None:
        grounds = {"evidence": "seen", "rationale": "so"}
        match step:
            case steps.Open(goal=goal):
                assert self.ask(do.Open(goal=goal), AGENTS[0])
            case steps.Work(attempt=attempt, goal=goal):
                held = self.state.goals[goal].attempt
                command = do.Submit(attempt=attempt, tree=TREES[0], token=held and held.token)
                assert self.ask(command, AGENTS[0])
            case steps.Judge(subject=subject, attempt=attempt):
                verdict = self.verdict(subject, "pass", attempt=attempt)
                backed = tuple(f.but(evidence=(DIGEST,)) for f in verdict.findings)
                verdict = verdict.but(findings=backed)
                assert self.ask(do.Give(verdict=verdict), JUDGE)
            case steps.Integrate(attempt=attempt):
                command = do.Integrate(attempt=attempt, tree=TREES[0], commit="c" * 40)
                assert self.ask(command, LOOP)
            case steps.Attest(subject=subject):
                assert self.ask(do.Attest(receipt=self.receipt(subject)), LOOP)
            case steps.Block(goal=goal, needs=needs, why=told, kind=kind):
                assert self.ask(do.Raise(goal=goal, needs=needs, why=told, kind=kind), LOOP)
            case steps.Repair(why=told):
                assert self.ask(
                    do.Amend(amendment=Add(title=told, objective=told, **grounds)), LOOP
                )
            case steps.Wait():
                self._resolve(step)
            case steps.Rest(ending="budget-spent"):
                self._reseal()
            case steps.Rest():
                assert self.ask(do.Resume(), PERSON)

    def _resolve(self, wait: steps.Wait) -> None:
        """A person, or time, does what is waited for."""
        grounds = {"evidence": "seen", "rationale": "so"}
        blockers = [b for g in self.state.live for b in g.blockers if b.holds_at(self.now)]
        expired = [g.goal.id for g in self.state.live if g.expired]
        aside = [id_ for id_ in unconfirmed(self.state) if id_ == wait.goal]
        if not self.state.sealed:
            self._seal_something()
        elif blockers:
            command = do.Clear(goal=blockers[0].goal, blocker=blockers[0].id)
            assert self.ask(command, PERSON)
        elif expired or aside:
            goal = (expired or aside)[0]
            assert self.ask(do.Amend(amendment=Supersede(goal=goal, **grounds)), PERSON)
        elif wait.until:
            self.now = max(self.now, datetime.fromisoformat(wait.until)) + timedelta(minutes=1)
        elif not self.state.live or not any(g.goal.cadence is None for g in self.state.live):
            assert self.ask(do.Drop(), PERSON)
        else:
            self._reseal()

    def _seal_something(self) -> None:
        if self.state.proposal is None:
            self.plans += 1
            assert self.ask(do.Create(plan=a_plan(self.choose, number=self.plans)), PERSON)
        draft = self.state.proposal
        assert draft is not None
        assert self.ask(do.Seal(digest=draft.digest, policy=Policy(weak="allow")), PERSON)

    def _reseal(self) -> None:
        """The person says the same again, with more money; counts start afresh."""
        definition = self.state.definition
        assert definition is not None
        again = propose(self.state, definition.but(superseded=()))
        goals = tuple(
            goal.but(objective=f"{goal.objective}!") if goal.id not in again.superseded else goal
            for goal in again.goals
        )
        assert self.ask(do.Create(plan=again.but(goals=goals)), PERSON)
        draft = self.state.proposal
        assert draft is not None
        assert self.ask(do.Seal(digest=draft.digest, policy=Policy(weak="allow")), PERSON)


ACTIONS: dict[str, Callable[[World], None]] = {
    name: getattr(World, name) for name in dir(World) if name.startswith("act_")
}
# Half of what happens is as it should be, so that histories get somewhere.
NAMES = (*sorted(ACTIONS), *("act_honestly",) * len(ACTIONS))
