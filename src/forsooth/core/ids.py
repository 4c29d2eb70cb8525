"""How goals, criteria and attempts are named: `G001`, `G001.C2`, `G001.A3`.

A criterion keeps its id when a split moves it to another goal, so that proof can be followed.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import StringConstraints

GOAL = r"G[0-9]{3,}"
SUITE = "suite"

GoalId = Annotated[str, StringConstraints(pattern=rf"^{GOAL}$")]
CriterionId = Annotated[str, StringConstraints(pattern=rf"^(?:{GOAL}\.[CE][1-9][0-9]*|{SUITE})$")]
AttemptId = Annotated[str, StringConstraints(pattern=rf"^{GOAL}\.A[1-9][0-9]*$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
GitId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")]
PlanId = Annotated[str, StringConstraints(pattern=r"^[0-9]{8}-[0-9]{6}(?:-[0-9]+)?$")]

_GOAL = re.compile(GOAL)


def goal_id(number: int) -> str:
    """Name the n-th goal."""
    return f"G{number:03d}"


def criterion_id(goal: str, number: int, *, entry: bool = False) -> str:
    """Name the n-th criterion of a goal, or its n-th entry criterion."""
    return f"{goal}.{'E' if entry else 'C'}{number}"


def attempt_id(goal: str, number: int) -> str:
    """Name the n-th attempt at a goal."""
    return f"{goal}.A{number}"


def is_goal(text: str) -> bool:
    """Whether text is a goal's name."""
    return _GOAL.fullmatch(text) is not None


def number_of(name: str) -> int:
    """The number that ends a name: 2 for `G001.C2`, 7 for `G007`."""
    return int(re.split(r"\D+", name)[-1])
