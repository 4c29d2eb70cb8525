"""What stood before the work began: every criterion run on the base, and what it rests on.

A criterion that was green then proves nothing new by being green again: it is a guard. What was
red is typed, since a test that could not even be found says less than one that failed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from forsooth.core.ids import CriterionId, Digest, GitId
from forsooth.core.policy import Tier
from forsooth.core.value import Value

Red = Literal["assertion", "exit", "timeout", "absent", "collection", "environment"]
WEAK_REDS: tuple[Red, ...] = ("absent", "collection")


class Baseline(Value):
    """One criterion on the base.

    `red` is none when it passes. `oracles` are the files it rests on, by path: their content is the
    base tree's. `runner` is who reported inside, also behind a wrapper; `tests` names the kept list
    of its tests and how each ended; `patched` are functions of the runner changed by honest
    plug-ins.
    """

    criterion: CriterionId
    red: Red | None = None
    code: str = ""
    reason: str = ""
    took: Annotated[int, Field(ge=0)] = 0
    runner: str = ""
    tests: Digest | None = None
    oracles: tuple[str, ...] = ()
    patched: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether it was red for a reason that the work can be credited with mending."""
        return self.red is not None and self.red != "environment"


class Ground(Value):
    """The base as the judge saw it when the plan was sealed."""

    tree: GitId
    isolation: Tier = "none"
    environment: str = ""
    baselines: tuple[Baseline, ...] = ()

    def about(self, criterion: str) -> Baseline | None:
        """What was seen of one criterion."""
        return next((one for one in self.baselines if one.criterion == criterion), None)
