"""Committing for an agent whose sandbox keeps it from `.git`: its own work, and on the record."""

from __future__ import annotations

import os

from forsooth.core import command as do
from forsooth.core.canonical import digest
from forsooth.core.gate import may_open, may_submit, missing
from forsooth.core.reason import Reason, Reasons
from forsooth.core.state import GoalState, State
from forsooth.errors import Refused, UsageError
from forsooth.git import config
from forsooth.git.committing import commit_work
from forsooth.git.references import branch
from forsooth.project.judging import Judging
from forsooth.project.neighbours import is_inside

_FILES = (".gitconfig", ".config/git/config")


class Committing(Judging):
    """Commits made on an agent's word."""

    def commit_for(self, plan: str, goal: str, message: str, *, token: str = "") -> str:
        """Commit what the goal may change, for who may claim it; says what was committed."""
        state = self.state(plan)
        one = state.goals.get(goal)
        if one is None:
            raise Refused(missing(state, goal))
        against = self._against(state, one, token)
        if against:
            raise Refused(against)
        self._on_branch(state)
        made = commit_work(
            self.repo,
            message,
            who=self._who(),
            seconds=int(self.now().timestamp()),
            fence=lambda path: is_inside((one.goal,), path),
        )
        if made is None:
            return "nothing to commit"
        says = f"committed {made[:12]} for {self.actor.name or 'an agent'}"
        self.ask(plan, do.Note(text=says, goal=goal, evidence=made))
        return says

    def _against(self, state: State, one: GoalState, token: str) -> Reasons:
        """Why the gate would not take the claim, or whose attempt it is not."""
        if one.attempt:
            name = digest(token.encode()) if token else None
            return may_submit(state, one.attempt.id, now=self.now(), token=name, resumes=True)
        goal = one.goal.id
        says = f"only who has an attempt at {goal} open may have work committed for it"
        missing = Reason("no-attempt", says, f"forsooth next {goal}", goal)
        return may_open(state, goal, now=self.now()) or (missing,)

    def _on_branch(self, state: State) -> None:
        deliver = state.plan.deliver if state.plan else "worktree"
        name = deliver.removeprefix("branch ").strip()
        if deliver == "worktree" or branch(self.repo) in (name, f"refs/heads/{name}"):
            return
        says = f"the plan delivers {name}, and HEAD is not on it"
        raise Refused((Reason("other-branch", says, f"git switch {name}"),))

    def _who(self) -> str:
        """The committer git would name: the environment's, the repository's or the user's own."""
        told = [self._identity(part) for part in ("name", "email")]
        if not all(told):
            hint = "git config --global user.name NAME, and user.email ADDRESS"
            raise UsageError("git has no name to commit under", hint=hint, code="no-identity")
        name, email = (
            "".join(c for c in text if c.isprintable() and c not in "<>") for text in told
        )
        return f"{name} <{email}>"

    def _identity(self, part: str) -> str:
        files = [self.repo.common / "config", *(self.home / file for file in _FILES)]
        values = (config.value(file, f"user.{part}") for file in files)
        return os.environ.get(f"GIT_AUTHOR_{part.upper()}") or next(filter(None, values), "")
