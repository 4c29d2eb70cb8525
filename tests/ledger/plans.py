"""A typed ledger in a folder, and short ways to write to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from forsooth.core import command as do
from forsooth.core.actor import Actor
from forsooth.core.check import Check
from forsooth.core.decide import decide
from forsooth.core.plan import Criterion, Goal, Plan
from forsooth.core.receipt import Receipt
from forsooth.core.verdict import Finding, Verdict
from forsooth.ledger.disk import REAL, Disk
from forsooth.ledger.ledger import Ledger, Outcome, Signed, Stamp, never

PERSON = Actor(kind="human", name="ann", channel="terminal")
AGENT = Actor(kind="agent", name="bot")
JUDGE = Actor(kind="judge")
LOOP = Actor(kind="loop")
TREE, COMMIT, DIGEST = "a" * 40, "b" * 40, "d" * 64
START = datetime(2026, 1, 1, tzinfo=UTC)


def a_plan(goals: int = 2) -> Plan:
    """Goals with one criterion each."""
    check = Check(kind="command", params={"argv": ["pytest", "-q"]})
    return Plan(
        id="20260101-000000",
        brief_digest=DIGEST,
        goals=tuple(
            Goal(
                id=f"G00{n}",
                title=f"goal {n}",
                objective="as told",
                criteria=(Criterion(id=f"G00{n}.C1", says="it holds", check=check),),
            )
            for n in range(1, goals + 1)
        ),
    )


class Book:
    """A ledger, a clock that ticks once a command, and ids in order."""

    def __init__(self, folder: Path, *, signed: Signed = never, disk: Disk = REAL) -> None:
        self._ids = count(1)
        self.now = START
        self.ledger = Ledger(
            folder / "plan",
            anchor=folder / "anchor",
            stamp=lambda: Stamp(f"stamp-{next(self._ids)}", self.now),
            signed=signed,
            disk=disk,
        )

    def ask(
        self,
        command: do.AnyCommand,
        by: Actor = AGENT,
        *,
        key: str | None = None,
        id_: str = "",
        seen: int | None = None,
        whole: bool = False,
    ) -> Outcome:
        """One command, decided and recorded."""
        self.now += timedelta(seconds=1)
        now = self.now
        return self.ledger.transact(
            lambda state: decide(state, command, actor=by, now=now),
            by=by,
            now=now,
            id_=id_ or f"id-{next(self._ids)}",
            key=key,
            seen=seen,
            whole=whole,
        )

    def sealed(self, goals: int = 2) -> Plan:
        """A sealed plan."""
        plan = a_plan(goals)
        self.ask(do.Create(plan=plan))
        self.ask(do.Seal(digest=plan.digest), PERSON)
        return plan

    def judged(self, goal: str = "G001", outcome: str = "pass") -> Outcome:
        """An attempt opened, claimed and judged."""
        opened = self.ask(do.Open(goal=goal)).state.goals[goal].attempt
        assert opened is not None
        state = self.ask(do.Submit(attempt=opened.id, tree=TREE, commit=COMMIT)).state
        finding = Finding(criterion=f"{goal}.C1", outcome=outcome, code=outcome, evidence=(DIGEST,))
        verdict = Verdict(
            subject=goal,
            tree=TREE,
            plan_digest=state.plan_digest,
            findings=(finding,),
            attempt=opened.id,
        )
        return self.ask(do.Give(verdict=verdict), JUDGE)

    def receipt(self, goal: str = "G001") -> Receipt:
        """A receipt for the last verdict."""
        state = self.ledger.state()
        seen = state.goals[goal].verdict
        assert seen is not None
        return Receipt(
            subject=goal,
            tree=seen.tree,
            plan_digest=state.plan_digest,
            verdict=seen.seq,
            envelope=DIGEST,
            summary="made it so",
        )
