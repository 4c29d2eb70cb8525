"""What is being done: handing out attempts, obstacles, stopping and going on."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.core import command as do
from forsooth.core import next as steps
from forsooth.core.assignment import Assignment, assign
from forsooth.core.blocker import BlockerKind, Needs
from forsooth.core.canonical import digest
from forsooth.core.state import State
from forsooth.core.status import obstacles
from forsooth.core.why import Answer, why
from forsooth.git import objects
from forsooth.ledger.ledger import Outcome
from forsooth.project.shelf import Shelf


class Handed(NamedTuple):
    """An attempt to work on, or why there is none."""

    assignment: Assignment | None
    token: str
    seq: int
    answer: Answer | None
    ending: steps.Ending | None


class Working(Shelf):
    """Attempts, and what stands in their way."""

    def hand_out(self, plan: str, *, goal: str = "", retry_failed: bool = False) -> Handed:
        """Open the next attempt, or show again the one that is open."""
        if retry_failed:
            self._retry(plan)
        now, state = self.now(), self.state(plan)
        step = _chosen(steps.next_steps(state, now), goal)
        if isinstance(step, steps.Work):
            return _handed(state, step.goal, self._token(plan, step.attempt))
        if isinstance(step, steps.Open) or (goal and step is None):
            token = secrets.token_hex(8)
            wanted = goal or getattr(step, "goal", "")
            base = objects.base(self.repo)
            opened = self.ask(plan, do.Open(goal=wanted, base=base, token=digest(token.encode())))
            self._keep_token(plan, opened.state.goals[wanted].attempt, token)
            return _handed(opened.state, wanted, token)
        ending = steps.ending(steps.next_steps(state, now))
        return Handed(None, "", state.seq, why(state, now, about=goal), ending)

    def _retry(self, plan: str) -> None:
        for one in self.state(plan).live:
            for blocker in one.blockers:
                if blocker.kind == "failed":
                    self.ask(plan, do.Clear(goal=one.goal.id, blocker=blocker.id, reason="retried"))

    def _tokens(self, plan: str) -> Path:
        return self.root / "plans" / plan / "tokens"

    def _keep_token(self, plan: str, attempt: Any, token: str) -> None:
        folder = self._tokens(plan)
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / attempt.id
        path.touch(mode=0o600)
        path.write_text(token, encoding="utf-8")

    def _token(self, plan: str, attempt: str) -> str:
        with suppress(OSError):
            return (self._tokens(plan) / attempt).read_text(encoding="utf-8")
        return ""

    def block(
        self,
        plan: str,
        goal: str,
        *,
        needs: Needs,
        why: str,
        kind: BlockerKind = "blocked",
        evidence: str = "",
        until: str | None = None,
    ) -> Outcome:
        """Record what stands in a goal's way."""
        command = do.Raise(
            goal=goal, needs=needs, why=why, kind=kind, evidence=evidence, until=until
        )
        return self.ask(plan, command)

    def unblock(self, plan: str, goal: str, *, blocker: str = "", reason: str = "") -> list[str]:
        """Clear one obstacle, or all of a goal's."""
        one = self.state(plan).goals.get(goal)
        standing = [b.id for b in obstacles(one, self.now())] if one else []
        wanted = [blocker] if blocker else (standing or [""])
        for id_ in wanted:
            self.ask(plan, do.Clear(goal=goal, blocker=id_, reason=reason))
        return wanted

    def note(self, plan: str, text: str, *, evidence: str = "", rationale: str = "") -> Outcome:
        """Keep something worth keeping."""
        return self.ask(plan, do.Note(text=text, evidence=evidence, rationale=rationale))

    def stop(self, plan: str, *, reason: str = "", for_good: bool = False) -> Outcome:
        """Stop holding and driving; for good, give the plan up."""
        return self.ask(plan, do.Drop(reason=reason) if for_good else do.Pause(reason=reason))

    def resume(self, plan: str, *, reason: str = "") -> Outcome:
        """Go on."""
        return self.ask(plan, do.Resume(reason=reason))


def _handed(state: State, goal: str, token: str) -> Handed:
    return Handed(assign(state, goal, token=token), token, state.seq, None, None)


def _chosen(found: tuple[steps.Step, ...], goal: str) -> steps.Step | None:
    """The step about a goal, or the first thing an agent can work on."""
    wanted = [step for step in found if isinstance(step, steps.Work | steps.Open)]
    if goal:
        return next((step for step in wanted if step.goal == goal), None)
    return next(iter(sorted(wanted, key=lambda step: isinstance(step, steps.Open))), None)
