"""Goals that come round again: when they are due, and how long a streak has held."""

from __future__ import annotations

from datetime import datetime, timedelta

from forsooth.core.instant import moment
from forsooth.core.plan import Cadence
from forsooth.core.value import Value


class Achievements(Value):
    """How often and when a goal was achieved."""

    count: int = 0
    streak: int = 0
    longest: int = 0
    last: str = ""


def is_due(cadence: Cadence, achieved: Achievements, *, now: datetime) -> bool:
    """Whether the interval since the last achievement is over."""
    if not achieved.last:
        return True
    # A clock that was far ahead when it was achieved must not keep the goal done for years.
    return abs(now - moment(achieved.last)) >= timedelta(hours=cadence.hours)


def due_at(cadence: Cadence, achieved: Achievements) -> datetime:
    """When a goal that was achieved once is due again."""
    return moment(achieved.last) + timedelta(hours=cadence.hours)


def achieve(cadence: Cadence | None, before: Achievements, *, at: str) -> Achievements:
    """One more achievement: the elapsed time is read before it is overwritten."""
    streak = before.streak + 1
    if cadence and before.last:
        elapsed = moment(at) - moment(before.last)
        streak = 1 if elapsed > timedelta(hours=2 * cadence.hours) else streak
    return Achievements(
        count=before.count + 1, streak=streak, longest=max(before.longest, streak), last=at
    )
