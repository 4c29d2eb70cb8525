"""An obstacle on a goal and who must act."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from forsooth.core.check import Text
from forsooth.core.ids import GoalId
from forsooth.core.instant import Instant, moment
from forsooth.core.value import Value

Needs = Literal["agent", "environment", "human", "time"]
BlockerKind = Literal["blocked", "failed", "review", "stuck", "budget", "waiting"]


class Blocker(Value):
    """Why a goal cannot go on. `until` lifts a wait on time by itself."""

    id: Annotated[str, Field(pattern=r"^B[1-9][0-9]*$")]
    goal: GoalId
    needs: Needs
    why: Text
    kind: BlockerKind = "blocked"
    evidence: str = ""
    until: Instant | None = None

    def holds_at(self, now: datetime) -> bool:
        """Whether the obstacle still stands at that time."""
        return self.until is None or now < moment(self.until)


def kind_of(needs: Needs, *, failed: bool) -> BlockerKind:
    """What kind an obstacle is by what was said of it: given up, a wait, or in the way."""
    if failed:
        return "failed"
    return "waiting" if needs in ("human", "time") else "blocked"


WHO: dict[Needs, str] = {
    "agent": "an agent",
    "environment": "the environment",
    "human": "a person",
    "time": "time",
}
SHOWN: dict[BlockerKind, str] = {
    "blocked": "blocked",
    "failed": "failed",
    "review": "review_blocked",
    "stuck": "stuck",
    "budget": "stuck",
    "waiting": "waiting",
}
