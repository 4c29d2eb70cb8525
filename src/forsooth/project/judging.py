"""What is seen: checking without claiming, what the judge found to run on, and its disk.

The judge is loaded when it is asked for: every other verb starts without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core import command as do
from forsooth.core.actor import JUDGE
from forsooth.core.plan import Base, Criterion, Fence
from forsooth.core.policy import Tier
from forsooth.core.state import GoalState, State
from forsooth.core.verdict import Finding
from forsooth.errors import UsageError
from forsooth.git.objects import base
from forsooth.git.snapshot import Snapshot, snapshot
from forsooth.project.shelf import Shelf

if TYPE_CHECKING:
    from forsooth.judge.environment.layers import Layers
    from forsooth.judge.environment.recipe import Recipe
    from forsooth.judge.judge import Asked, Judge, Seen
    from forsooth.judge.sandbox.job import Lack

GIB = 1 << 30


class Checked(NamedTuple):
    """A look that claims nothing: what was seen, where, and what to do about each failure."""

    seen: Seen
    at: Snapshot
    actions: dict[str, str]


class Survey(NamedTuple):
    """What there is to judge with, and what is missing."""

    tier: str
    notes: tuple[str, ...]
    lacks: tuple[Lack, ...]
    recipe: Recipe
    cache: Path


class Judging(Shelf):
    """The judge, called by hand."""

    def check(
        self,
        plan: str,
        *,
        goal: str = "",
        fresh: bool = False,
        progress: Callable[[Finding], None] = lambda _: None,
    ) -> Checked:
        """Judge one goal, or every goal, at what is delivered now; findings are recorded."""
        from forsooth.judge.checks.actions import action
        from forsooth.judge.judge import Asked, Case

        state = self.state(plan)
        wanted = _wanted(state, goal)
        at = self._delivered(state, wanted)
        case = Case(
            subject=goal or "plan",
            tree=at.tree,
            asked=tuple(Asked(c, one.goal) for one in wanted for c in one.goal.criteria)
            + _suite(state, goal),
            plan_digest=state.plan_digest,
            base=state.plan.base if state.plan else Base(),
            commit=at.commit,
            settings=self.settings().environment,
            fresh=fresh,
        )
        if not case.asked:
            says = f"{goal or 'the plan'} has no criterion to check"
            raise UsageError(says, hint="add criteria to the brief", code="no-criteria")
        with self._judge(plan, floor=state.policy.isolation) as judge:
            seen = judge.judge(case, progress)
        self._record(plan, seen)
        asked = {one.criterion.id: one.criterion for one in case.asked}
        told = {f.criterion: action(f.code, asked[f.criterion]) for f in _red(seen)}
        return Checked(seen, at, told)

    def _delivered(self, state: State, wanted: tuple[GoalState, ...]) -> Snapshot:
        fences = [one.goal.fence for one in wanted]
        deliver = state.plan.deliver if state.plan else "worktree"
        return snapshot(self.repo, deliver=deliver, fence=lambda path: _is_inside(fences, path))

    @contextmanager
    def _judge(self, plan: str, *, floor: Tier) -> Generator[Judge]:
        from forsooth.judge.judge import Judge
        from forsooth.judge.sandbox.tiers import available

        sandbox = available(floor=floor)
        with self._layers() as layers:
            yield Judge(
                self.repo,
                cache=self._cache(),
                sandbox=sandbox,
                layers=layers,
                keep=self.ledger(plan).blobs.put,
                workers=max(1, os.cpu_count() or 1),
            )

    def _layers(self) -> Layers:
        from forsooth.judge.environment.layers import Layers
        from forsooth.judge.environment.prepare.step import registry_settings
        from forsooth.judge.environment.toolchain import Search
        from forsooth.judge.sandbox.runner import answer

        search = Search(os.environ.get("PATH", ""), self.home, answer)
        cache = self.home / ".cache/forsooth"
        return Layers(cache, search=search, settings=registry_settings(os.environ))

    def _cache(self) -> Path:
        return self.home / ".cache/forsooth/repos" / self.place

    def _record(self, plan: str, seen: Seen) -> None:
        """Keep what was seen anew; a look claims nothing, so nothing follows from it."""
        for finding in seen.verdict.findings:
            if not finding.cached:
                command = do.Record(finding=finding, tree=seen.verdict.tree)
                self.ask(plan, command, by=JUDGE)

    def survey(self) -> Survey:
        """What this machine and repository give the judge, without running anything of theirs."""
        from forsooth.judge.environment.recipe import Recipe
        from forsooth.judge.judge import Case, Judge
        from forsooth.judge.sandbox.tiers import available

        sandbox = available()
        at = base(self.repo)
        with self._layers() as layers:
            judge = Judge(
                self.repo,
                cache=self._cache(),
                sandbox=sandbox,
                layers=layers,
                keep=lambda _: "",
            )
            case = Case("plan", at.tree or "", (), "", settings=self.settings().environment)
            recipe = judge.recipe(case, judge.look(case)) if at.tree else Recipe(kind="none")
        return Survey(sandbox.tier, sandbox.notes, sandbox.lacks, recipe, self._cache())

    def gc(self, *, most: int = 10 * GIB) -> int:
        """Bring the judge's disk down to a bound; what is in use stays."""
        with self._layers() as layers:
            removed = layers.gc(most)
        return len(removed)


def _wanted(state: State, goal: str) -> tuple[GoalState, ...]:
    if not state.sealed:
        raise UsageError("the plan is a draft", hint="forsooth seal", code="not-sealed")
    if not goal:
        return state.live
    one = state.goals.get(goal)
    if one is None:
        says = f"the plan has no goal {goal}"
        raise UsageError(says, hint="forsooth status", code="no-such-goal")
    return (one,)


def _suite(state: State, goal: str) -> tuple[Asked, ...]:
    from forsooth.judge.judge import Asked

    suite = state.plan.suite if state.plan else None
    if suite is None or goal:
        return ()
    return (Asked(Criterion(id="suite", says="the suite stays green", check=suite, guard=True)),)


def _is_inside(fences: list[Fence], path: str) -> bool:
    """Whether any goal may touch a path."""
    from forsooth.judge.checks.globs import any_matches

    return any(
        (not fence.touch or any_matches(fence.touch, path)) and not any_matches(fence.never, path)
        for fence in fences
    )


def _red(seen: Seen) -> tuple[Finding, ...]:
    return tuple(f for f in seen.verdict.findings if f.outcome in ("fail", "error"))
