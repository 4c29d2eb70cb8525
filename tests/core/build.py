"""A small vocabulary for stories about a plan: who does what, in order, under one clock.

Every command goes through `decide` and every fact through `evolve`, as in the real thing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from forsooth.core import command as do
from forsooth.core import next as steps
from forsooth.core.actor import JUDGE, LOOP, Actor
from forsooth.core.amendment import Add, Amendment, Supersede
from forsooth.core.check import Check
from forsooth.core.decide import Refusal, decide
from forsooth.core.event import AnyFact, Event, Unknown, VerdictGiven
from forsooth.core.evolve import evolve
from forsooth.core.ids import SUITE
from forsooth.core.instant import moment, written
from forsooth.core.plan import Cadence, Criterion, Goal, Plan
from forsooth.core.policy import Policy
from forsooth.core.receipt import Receipt
from forsooth.core.state import NOTHING, GoalState, State
from forsooth.core.status import goal_status, plan_status, shown_status
from forsooth.core.verdict import Finding, Verdict

PERSON = Actor(kind="human", channel="terminal")
SCRIPT = Actor(kind="human", channel="unattended")
AGENT = Actor(kind="agent", name="ada")
OTHER = Actor(kind="agent", name="bob")

PASSES = Check(kind="command", params={"argv": ["true"]})
BRIEF = "b" * 64
ENVELOPE = "e" * 64
BYTES = "f" * 64
AGREE = do.Attach(digest=BYTES, criterion="G001.C1", approves=True, tree="1" * 40)
TREE, LATER = "1" * 40, "2" * 40
COMMIT = "c" * 40
GROUNDS = {"evidence": "seen in the log", "rationale": "so it follows"}


def criterion(id_: str, **fields: Any) -> Criterion:
    """One claim with a check."""
    return Criterion(**({"id": id_, "says": f"{id_} holds", "check": PASSES} | fields))


def goal(number: int, *, criteria: int | tuple[Criterion, ...] = 1, **fields: Any) -> Goal:
    """The n-th goal, with these criteria, or with so many called C1, C2 and so on."""
    id_ = f"G{number:03d}"
    made = criteria
    if isinstance(criteria, int):
        made = tuple(criterion(f"{id_}.C{n}") for n in range(1, criteria + 1))
    given = {"id": id_, "title": f"goal {number}", "objective": f"reach {number}"}
    return Goal(**({**given, "criteria": made} | fields))


def opinion(id_: str, **fields: Any) -> Criterion:
    """One claim that only a person can decide."""
    return criterion(id_, check=Check(kind="approval"), **fields)


def daily(number: int, *, hours: int = 24) -> Goal:
    """A goal that comes round again."""
    return goal(number, cadence=Cadence(hours=hours))


def plan(*goals: Goal | int, suite: bool = False, **fields: Any) -> Plan:
    """A plan of these goals, or of the first n."""
    made = [
        one
        for part in goals or (1,)
        for one in ([goal(n + 1) for n in range(part)] if isinstance(part, int) else [part])
    ]
    given = {"id": "20260101-000000", "brief_digest": BRIEF, "goals": tuple(made)}
    return Plan(**({**given, "suite": PASSES if suite else None} | fields))


def findings(ids: tuple[str, ...], outcome: str, *, code: str = "") -> tuple[Finding, ...]:
    """One finding a criterion, all alike; a pass with evidence."""
    return tuple(
        Finding(criterion=id_, outcome=outcome, code=code or outcome, evidence=(BYTES,))
        for id_ in ids
    )


class Run:
    """A plan on its way, sealed unless told otherwise."""

    def __init__(
        self, wanted: Plan | None = None, *, policy: Policy | None = None, sealed: bool = True
    ) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.state: State = NOTHING
        self.log: list[Event] = []
        self.policy = policy or Policy()
        if wanted is not None or sealed:
            self.create(wanted or plan())
        if sealed:
            self.seal()

    def fact(
        self,
        fact: AnyFact | Unknown,
        by: Actor = AGENT,
        *,
        signed: bool = False,
        key: str | None = None,
    ) -> bool:
        """Append a line whatever the rules say; true when it counted."""
        void = self.state.void
        event = Event(self.state.seq + 1, f"e{len(self.log)}", written(self.now), by, fact, key)
        self.state = evolve(self.state, event, signed=signed)
        self.log.append(event)
        return self.state.void == void

    def ask(
        self, command: do.AnyCommand, by: Actor = AGENT, *, signed: bool = False
    ) -> tuple[str, ...]:
        """Ask for something; the codes against it, none when it was done."""
        decision = decide(self.state, command, actor=by, now=self.now)
        if isinstance(decision, Refusal):
            self.fact(decision.fact, by)
            return decision.fact.codes
        for fact in decision:
            assert self.fact(fact, by, signed=signed), fact
        return ()

    def done(self, command: do.AnyCommand, by: Actor = AGENT, *, signed: bool = False) -> Run:
        """Ask for something that must be allowed."""
        assert self.ask(command, by, signed=signed) == ()
        return self

    def create(self, wanted: Plan, by: Actor = PERSON) -> Run:
        return self.done(do.Create(plan=wanted, policy=self.policy), by)

    def seal(self, by: Actor = PERSON, **fields: Any) -> Run:
        draft = self.state.proposal
        assert draft is not None
        return self.done(do.Seal(digest=draft.digest, policy=self.policy, **fields), by)

    def reseal(self, wanted: Plan, *, policy: Policy | None = None) -> Run:
        self.policy = policy or self.policy
        return self.create(wanted).seal()

    def open(self, name: str = "G001", by: Actor = AGENT, *, token: str | None = None) -> Run:
        return self.done(do.Open(goal=name, token=token), by)

    def submit(self, name: str = "G001", by: Actor = AGENT, **fields: Any) -> Run:
        attempt = self.goal(name).attempt
        assert attempt is not None
        given = {"attempt": attempt.id, "tree": TREE}
        return self.done(do.Submit(**(given | fields)), by)

    def integrate(self, name: str = "G001", *, tree: str = TREE) -> Run:
        attempt = self.goal(name).attempt
        assert attempt is not None
        return self.done(do.Integrate(attempt=attempt.id, tree=tree, commit=COMMIT), LOOP)

    def finding_ids(self, subject: str) -> tuple[str, ...]:
        if subject == "plan":
            return self.state.required or (SUITE,)
        return tuple(c.id for c in self.goal(subject).goal.criteria) or (SUITE,)

    def a_verdict(self, subject: str = "G001", outcome: str = "pass", **fields: Any) -> Verdict:
        """A verdict about everything a subject requires; `code` is why it could not be judged."""
        one = self.state.goals.get(subject)
        code = fields.pop("code", "no-interpreter" if outcome == "error" else "")
        given = {
            "subject": subject,
            "tree": TREE,
            "plan_digest": self.state.plan_digest or BRIEF,
            "findings": findings(self.finding_ids(subject), outcome, code=code),
            "attempt": one.attempt.id if one and one.attempt and one.attempt.submitted else None,
        }
        return Verdict(**(given | fields))

    def verdict(
        self, subject: str = "G001", outcome: str = "pass", *, signed: bool = True, **fields: Any
    ) -> Run:
        verdict = self.a_verdict(subject, outcome, **fields)
        if verdict.plan_digest != self.state.plan_digest:
            # Given before the plan changed and recorded after: the gate would not let it in now.
            self.fact(VerdictGiven(verdict=verdict), JUDGE, signed=signed)
            return self
        return self.done(do.Give(verdict=verdict), JUDGE, signed=signed)

    def a_receipt(self, subject: str = "G001", **fields: Any) -> Receipt:
        """A receipt for the last verdict about a subject."""
        one = self.state.goals.get(subject)
        seen = one.verdict if one else self.state.verdict
        given = {
            "subject": subject,
            "tree": seen.tree if seen else TREE,
            "plan_digest": self.state.plan_digest or BRIEF,
            "verdict": seen.seq if seen else 1,
            "envelope": ENVELOPE,
        }
        return Receipt(**(given | fields))

    def attest(self, subject: str = "G001", *, signed: bool = True, **fields: Any) -> Run:
        receipt = self.a_receipt(subject, **fields)
        return self.done(do.Attest(receipt=receipt), LOOP, signed=signed)

    def judged(self, name: str = "G001", outcome: str = "pass", **fields: Any) -> Run:
        """One whole attempt, up to its verdict."""
        return self.open(name).submit(name).verdict(name, outcome, **fields)

    def prove(self, *names: str, summary: str = "") -> Run:
        """Attempts that pass and are attested."""
        for name in names:
            self.judged(name)
            self.attest(name, summary=summary)
        return self

    def complete(self) -> Run:
        """Prove what is left, then the plan."""
        for one in self.state.live:
            if goal_status(one, self.now) != "done":
                self.prove(one.goal.id)
        return self.verdict("plan").attest("plan")

    def block(self, name: str = "G001", needs: str = "human", **fields: Any) -> Run:
        """An agent's word; about a proven goal, a person's."""
        by = fields.pop("by", PERSON if self.status(name) == "done" else AGENT)
        return self.done(do.Raise(**({"goal": name, "needs": needs, "why": "it is"} | fields)), by)

    def clear(self, name: str = "G001", by: Actor = PERSON) -> Run:
        for blocker in self.goal(name).blockers:
            self.done(do.Clear(goal=name, blocker=blocker.id), by)
        return self

    def steer(self, amendment: Amendment, by: Actor = AGENT) -> Run:
        return self.done(do.Amend(amendment=amendment), by)

    def add(self, by: Actor = AGENT, **fields: Any) -> Run:
        return self.steer(Add(**({"title": "more", "objective": "more"} | GROUNDS | fields)), by)

    def supersede(self, name: str = "G001", by: Actor = AGENT) -> Run:
        return self.steer(Supersede(goal=name, **GROUNDS), by)

    def later(self, **spans: float) -> Run:
        self.now += timedelta(**spans)
        return self

    def goal(self, name: str = "G001") -> GoalState:
        return self.state.goals[name]

    def status(self, name: str = "G001") -> str:
        return goal_status(self.goal(name), self.now)

    def shown(self, name: str = "G001") -> str:
        return shown_status(self.state, self.goal(name), self.now)

    @property
    def plan_status(self) -> str:
        return plan_status(self.state, self.now)

    def steps(self, *busy: str) -> tuple[steps.Step, ...]:
        return steps.next_steps(self.state, self.now, busy=frozenset(busy))

    @property
    def step(self) -> steps.Step:
        (only,) = self.steps()
        return only

    @property
    def ending(self) -> str | None:
        return steps.ending(self.steps())


def situations() -> dict[str, Run]:
    """A plan of two goals at every turn of its life."""
    return {
        "nothing": Run(sealed=False),
        "draft": Run(plan(2), sealed=False),
        "sealed": Run(plan(2)),
        "begun": Run(plan(2)).open(token=BYTES),
        "claimed": Run(plan(2)).open().submit(),
        "passed": Run(plan(2)).judged(),
        "failed": Run(plan(2)).judged(outcome="fail"),
        "unjudged": Run(plan(2)).judged(outcome="error"),
        "proven": Run(plan(2)).prove("G001"),
        "blocked": Run(plan(2)).block(),
        "aside": Run(plan(2)).block().supersede(),
        "paused": Run(plan(2)).done(do.Pause(), PERSON),
        "dropped": Run(plan(2)).done(do.Drop(), PERSON),
        "complete": Run(plan(2)).complete(),
    }


Worker = Callable[[Run, steps.Work], None]
Judging = Callable[[Run, str], tuple[str, str]]


def claims(run: Run, step: steps.Work) -> None:
    """An agent that says it is done."""
    run.submit(step.goal)


def idles(run: Run, step: steps.Work) -> None:
    """An agent that ends its turn and claims nothing."""


def approves(run: Run, subject: str) -> tuple[str, str]:
    """A judge who finds all well."""
    return ("pass", "")


def drive(run: Run, *, agent: Worker = claims, judge: Judging = approves, limit: int = 150) -> str:
    """Perform what comes next as a loop would, until the run ends; too long is a failure."""
    for _ in range(limit):
        found = run.steps()
        end = steps.ending(found)
        if end is not None:
            return end
        before = (run.state.seq, run.now)
        _take(run, found[0], agent, judge)
        assert before != (run.state.seq, run.now), found[0]
    raise AssertionError(f"no end after {limit} steps: {run.steps()}")


def _take(run: Run, step: steps.Step, agent: Worker, judge: Judging) -> None:
    match step:
        case steps.Open():
            run.open(step.goal, LOOP)
        case steps.Work():
            agent(run, step)
            attempt = run.goal(step.goal).attempt
            if attempt and not attempt.submitted:
                run.done(do.Abort(attempt=attempt.id, reason="ended without a claim"), LOOP)
        case steps.Judge():
            outcome, code = judge(run, step.subject)
            run.verdict(step.subject, outcome, code=code)
        case steps.Integrate():
            run.integrate(step.goal)
        case steps.Attest():
            run.attest(step.subject)
        case steps.Block():
            run.block(step.goal, step.needs, why=step.why, kind=step.kind, by=LOOP)
        case steps.Repair():
            run.add(LOOP, title="Mend the suite")
        case steps.Wait():
            assert step.until
            run.now = moment(step.until)
        case steps.Rest():
            raise AssertionError("a rest is an end")
