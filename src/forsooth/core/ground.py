"""What stood before the work began: every criterion run on the base, and what it rests on.

A criterion that was green then proves nothing new by being green again: it is a guard. What was
red is typed, since a test that could not even be found says less than one that failed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from forsooth.core.ids import SUITE, CriterionId, Digest, GitId
from forsooth.core.policy import Tier
from forsooth.core.value import Value

Red = Literal["assertion", "exit", "timeout", "absent", "collection", "environment"]
WEAK_REDS: tuple[Red, ...] = ("absent", "collection")


class Baseline(Value):
    """One criterion on the base.

    `red` is none when it passes. `runner` is who reported inside, also behind a wrapper. `record`
    names the kept list of what it rests on: its tests, how each ended, and its oracles, which are
    `oracles` many.
    """

    criterion: CriterionId
    red: Red | None = None
    code: str = ""
    reason: str = ""
    took: Annotated[int, Field(ge=0)] = 0
    runner: str = ""
    tests: Annotated[int, Field(ge=0)] = 0
    oracles: Annotated[int, Field(ge=0)] = 0
    record: Digest | None = None

    @property
    def counts(self) -> bool:
        """Whether it was red for a reason that the work can be credited with mending."""
        return self.red is not None and self.red != "environment"


class Ground(Value):
    """The base as the judge saw it when the plan was sealed.

    `path` is where programs were looked for, and `home` the digest of whose state was used: a
    claim made under others is judged with these. `upstream` is where the plan's upstream stood.
    """

    tree: GitId
    isolation: Tier = "none"
    environment: str = ""
    path: str = ""
    home: str = ""
    upstream: GitId | None = None
    baselines: tuple[Baseline, ...] = ()

    def about(self, criterion: str) -> Baseline | None:
        """What was seen of one criterion."""
        return next((one for one in self.baselines if one.criterion == criterion), None)

    @property
    def reds(self) -> dict[str, str]:
        """What was red, and how."""
        return {one.criterion: one.red for one in self.baselines if one.red}

    @property
    def took(self) -> int:
        """How long every criterion took together, in milliseconds."""
        return sum(one.took for one in self.baselines)


def estimate(ground: Ground) -> float:
    """About how many seconds a claim will take: what every ward runs, two at a time."""
    costs = [_wards(one) for one in ground.baselines]
    return max([*costs, sum(costs) / 2, 1.0])


def _wards(one: Baseline) -> float:
    """Quick runs are repeated most; long ones get a fixed allowance instead."""
    took = one.took / 1000
    if one.criterion == SUITE:
        return took
    if took > 30:  # noqa: PLR2004
        return took + 60
    return took * (9 if took < 2 else 5) + 1  # noqa: PLR2004
