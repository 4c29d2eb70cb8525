"""What is asked of a judging, and what all its criteria share; values alone, nothing runs here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from forsooth.core.ground import Ground
from forsooth.core.plan import Criterion, Goal
from forsooth.judge.rooms import Rooms


class Asked(NamedTuple):
    """One criterion and the goal whose fence and changes it is about."""

    criterion: Criterion
    goal: Goal | None = None


class Court(NamedTuple):
    """What every criterion of one judging shares."""

    rooms: Rooms
    tree: str
    keep: Callable[[bytes], str]
    load: Callable[[str], bytes]
    base: str | None = None
    ground: Ground | None = None
    full: bool = False
    approved: Collection[str] = ()
    upstream: Collection[str] = ()
