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

# in seconds: loading and copies, and how long a run may take for wards to run so often
START = 1.5
QUICK, BRIEF, LONG = 2.0, 15.0, 30.0
LONG_ALLOWANCE = 60.0
MANY, SOME = 5, 3


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


class ContentPin(Value):
    """A tool or a layer that runs were furnished with: digests of its state and of its content."""

    name: str
    quick: Digest
    content: Digest


class Ground(Value):
    """The base as the judge saw it when the plan was sealed.

    `path` is where programs were looked for, `registries` where packages were, and `home` the
    digest of whose state was used: a claim made under others is judged with these. `pins` are the
    tools and the layer it was run with. `upstream` is where the plan's upstream stood.
    """

    tree: GitId
    isolation: Tier = "none"
    environment: str = ""
    path: str = ""
    registries: dict[str, str] = Field(default_factory=dict)
    home: str = ""
    upstream: GitId | None = None
    pins: tuple[ContentPin, ...] = ()
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


def allowance(seconds: float) -> float:
    """How long the full wards of a criterion may take: generous where a run is quick."""
    return LONG_ALLOWANCE if seconds > LONG else 5.0 + 2.2 * seconds


def looks(seconds: float) -> int:
    """How often a run is to be seen, the first time included."""
    return MANY if seconds < QUICK else SOME


def estimate(ground: Ground, *, workers: int = 2) -> float:
    """About how many seconds a claim will take: what every ward runs, so many at a time.

    A ward's runs begin when the first run of its criterion is over, so the longest pair is waited
    for however many run at once.
    """
    every = [_runs(one) for one in ground.baselines]
    alone = max((first + max(wards, default=0.0) for first, wards in every), default=0.0)
    return START + max(alone, sum(first + sum(wards) for first, wards in every) / workers)


def _runs(one: Baseline) -> tuple[float, list[float]]:
    """The first run, and those that follow side by side: quick ones are repeated most."""
    took = one.took / 1000
    if one.criterion == SUITE:
        return took, []
    spare = allowance(took)
    wards = [took] * min(looks(took) - 1, int(spare / took) if took else 0)
    if one.runner and took <= spare:
        wards.append(took)  # one that must fail where the judge breaks it
    if one.runner and took < BRIEF:
        wards.append(2 * took)  # twice in one copy
    if one.runner and one.red:
        wards.append(max(took, 1.0))  # changed lines put wrong
    return took, wards
