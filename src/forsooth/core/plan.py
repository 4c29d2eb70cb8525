"""What must be true: a plan of goals, each with the criteria that prove it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from forsooth.core.canonical import digest_of
from forsooth.core.check import Check, Text
from forsooth.core.ids import SUITE, CriterionId, Digest, GitId, GoalId, PlanId
from forsooth.core.value import Value

Surface = Literal[
    "gui", "web", "cli", "api", "package", "algorithm", "math", "native", "desktop", "tui"
]
Intent = Literal["feature", "fix", "refactor", "docs", "removal"]
Author = Literal["person", "agent"]


class Waiver(Value):
    """A criterion set aside: who said so and why. Shown large wherever it counts."""

    by: Text
    reason: Text


class Mutant(Value):
    """A change that must turn a criterion red; if it does not, the criterion cannot fail."""

    path: Text
    replace: Text
    by: str


class Criterion(Value):
    """One claim that must hold, with the check that proves it."""

    id: CriterionId
    says: Text
    check: Check
    surface: Surface | None = None
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    oracle: tuple[str, ...] = ()
    guard: bool = False
    hidden: bool = False
    mutants: tuple[Mutant, ...] = ()
    by: Author = "person"

    @property
    def shown(self) -> str:
        """What may be said of it where agents read."""
        return "hidden criterion" if self.hidden else self.says


class Fence(Value):
    """Where a goal's changes may go; an empty `touch` means anywhere but `never`."""

    touch: tuple[str, ...] = ()
    never: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        """The fence as a claim; empty when it fences nothing."""
        parts = [f"only {', '.join(self.touch)} change"] if self.touch else []
        parts += [f"never touch {', '.join(self.never)}"] if self.never else []
        return "; ".join(parts)


ANYWHERE = Fence()

LONGEST = 100_000  # hours: eleven years, well within what a calendar can count
Hours = Annotated[int, Field(gt=0, le=LONGEST)]


class Cadence(Value):
    """A goal that comes round again: never completed, due every `hours`."""

    hours: Hours = 24


class Goal(Value):
    """One unit of work and what proves it."""

    id: GoalId
    title: Text
    objective: Text
    intent: Intent = "feature"
    depends_on: tuple[GoalId, ...] = ()
    fence: Fence = ANYWHERE
    may_change: tuple[str, ...] = ()
    may_move: tuple[str, ...] = ()
    may_remove: tuple[str, ...] = ()
    expects: Literal["change", "no-change"] = "change"
    entry: tuple[Criterion, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    cadence: Cadence | None = None
    by: Author = "person"
    origin: Literal["brief", "steering"] = "brief"

    @property
    def is_steered(self) -> bool:
        """Whether the brief does not name it: whoever added it did so by steering."""
        return self.origin == "steering" or self.by == "agent"

    @property
    def is_weak(self) -> bool:
        """Whether no person said how this goal is proven: a fence alone proves nothing."""
        keeps = self.intent in ("refactor", "docs", "removal")
        return not any(
            criterion.by == "person"
            and criterion.check.kind != "scope"
            and (keeps or not criterion.guard)
            for criterion in self.criteria
        )


class Base(Value):
    """Where a plan starts: ancestry is asked of the commit, differences of the tree."""

    commit: GitId | None = None
    tree: GitId | None = None


NO_BASE = Base()


class Plan(Value):
    """Ordered goals, and the preamble and the fence that bind them all."""

    id: PlanId
    brief_digest: Digest
    source: str = ""
    preamble: str = ""
    fence: Fence = ANYWHERE
    goals: tuple[Goal, ...] = ()
    superseded: tuple[GoalId, ...] = ()
    suite: Check | None = None
    deliver: str = "worktree"
    upstream: str | None = None
    base: Base = NO_BASE

    @property
    def digest(self) -> str:
        """The plan named by its content; a field at its default does not count."""
        return digest_of(self.plain())

    @property
    def kept_green(self) -> Criterion | None:
        """The suite as a criterion of its own; none when the plan has no suite."""
        if self.suite is None:
            return None
        return Criterion(id=SUITE, says="the suite stays green", check=self.suite, guard=True)

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """Every criterion of every goal, entry criteria left out."""
        return tuple(criterion for goal in self.goals for criterion in goal.criteria)
