"""What is being done: handing out attempts, obstacles, stopping and going on."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import NamedTuple

from forsooth.core import command as do
from forsooth.core import next as steps
from forsooth.core.assignment import Assignment, assign
from forsooth.core.blocker import BlockerKind, Needs
from forsooth.core.canonical import digest
from forsooth.core.event import BlockerCleared
from forsooth.core.state import State, Try
from forsooth.core.why import Answer, why
from forsooth.errors import Refused
from forsooth.hooks.board import Unreadable
from forsooth.hooks.sessions import Sessions
from forsooth.ledger.ledger import Outcome
from forsooth.project import underway
from forsooth.project.advising import advice
from forsooth.project.entries import Entries
from forsooth.project.tokens import keep_token, may_see, token_of


class Handed(NamedTuple):
    """An attempt to work on, or why there is none; `holder` has it when the caller has not."""

    assignment: Assignment | None
    token: str
    seq: int
    answer: Answer | None
    ending: steps.Ending | None
    holder: str = ""


class Working(Entries):
    """Attempts, and what stands in their way."""

    def hand_out(self, plan: str, *, goal: str = "", retry_failed: bool = False) -> Handed:
        """Open the next attempt, or show again the one that is open."""
        if retry_failed:
            self.ask(plan, do.Retry(reason="retried"))
        now, state = self.now(), self.record_obstacles(plan)
        found = steps.next_steps(state, now)
        step, claimed = _chosen(found, goal), _claimed(state, found, goal)
        if isinstance(step, steps.Work):
            return self._shown(plan, state, step.goal)
        if isinstance(step, steps.Open) or (goal and step is None and not claimed):
            return self._opened(plan, goal or getattr(step, "goal", ""))
        answer = underway.told(self.folder(plan), state) or why(state, now, about=goal)
        if answer and claimed and claimed.token:
            answer = self._claiming(plan, claimed, answer)
        return Handed(None, "", state.seq, answer, steps.ending(found))

    def _claiming(self, plan: str, attempt: Try, answer: Answer) -> Answer:
        """A claim to be made again, with its token for whoever may make it."""
        if not may_see(self.actor, attempt):
            who = attempt.by.name or attempt.by.kind
            says = f"{answer.says}; {who} opened {attempt.id}, and no other agent may claim it"
            return answer._replace(says=says, command="forsooth status")
        token = token_of(self.folder(plan), attempt)
        goal = attempt.id.partition(".")[0]
        return answer._replace(command=f"forsooth done {goal} --token {token}")

    def _opened(self, plan: str, goal: str) -> Handed:
        """Open an attempt once its entry criteria hold; its token is kept first."""
        self.enter(plan, goal)
        token = secrets.token_hex(8)
        name = digest(token.encode())
        kept = keep_token(self.folder(plan), name, token)
        try:
            opened = self.ask(plan, do.Open(goal=goal, base=self.state(plan).accepted, token=name))
        except Refused:
            kept.unlink(missing_ok=True)
            raise
        if not self.bound():
            self.bind(plan)  # whoever takes work here means this plan from now on
        return self._handed(plan, opened.state, goal, token)

    def _shown(self, plan: str, state: State, goal: str) -> Handed:
        """The open attempt again; whoever did not open it is told who did, and not the token."""
        attempt = state.goals[goal].attempt
        assert attempt is not None  # noqa: S101
        if not may_see(self.actor, attempt):
            holder = attempt.by.name or attempt.by.kind
            return self._handed(plan, state, goal, "")._replace(holder=holder)
        return self._handed(plan, state, goal, token_of(self.folder(plan), attempt))

    def _handed(self, plan: str, state: State, goal: str, token: str) -> Handed:
        known = advice(self.repo, self.ledger(plan).events(), state, state.goals[goal])
        return Handed(assign(state, goal, token=token, advice=known), token, state.seq, None, None)

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
        """Clear one obstacle, or all of a goal's, at once."""
        done = self.ask(plan, do.Clear(goal=goal, blocker=blocker, reason=reason))
        return [e.fact.blocker for e in done.events if isinstance(e.fact, BlockerCleared)]

    def note(self, plan: str, text: str, *, evidence: str = "", rationale: str = "") -> Outcome:
        """Keep something worth keeping."""
        return self.ask(plan, do.Note(text=text, evidence=evidence, rationale=rationale))

    def stop(self, plan: str, *, reason: str = "", for_good: bool = False) -> Outcome:
        """Stop holding and driving; for good, give the plan up."""
        done = self.ask(plan, do.Drop(reason=reason) if for_good else do.Pause(reason=reason))
        with suppress(OSError, Unreadable):  # a plan that is not active holds nobody anyway
            Sessions(str(self.root)).release(plan)
        return done

    def resume(self, plan: str, *, reason: str = "") -> Outcome:
        """Go on."""
        return self.ask(plan, do.Resume(reason=reason))


def _claimed(state: State, found: tuple[steps.Step, ...], goal: str) -> Try | None:
    """The attempt, at a goal or the first, that was claimed and has not come to its end."""
    done = (steps.Judge, steps.Attest, steps.Integrate)
    about = [step[0] for step in found if isinstance(step, done) and goal in ("", step[0])]
    one = state.goals.get(about[0]) if about else None
    return one.attempt if one else None


def _chosen(found: tuple[steps.Step, ...], goal: str) -> steps.Step | None:
    """The step about a goal, or the first thing an agent can work on."""
    wanted = [step for step in found if isinstance(step, steps.Work | steps.Open)]
    if goal:
        return next((step for step in wanted if step.goal == goal), None)
    return next(iter(sorted(wanted, key=lambda step: isinstance(step, steps.Open))), None)
