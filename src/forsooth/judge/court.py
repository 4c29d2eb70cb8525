"""What is asked of a judging, and what all its criteria share; values alone, nothing runs here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from forsooth.core.ground import Ground
from forsooth.core.plan import Criterion, Goal
from forsooth.judge.checker import Consent
from forsooth.judge.neighbour import Neighbour
from forsooth.judge.rooms import Rooms
from forsooth.judge.survivors import Noticing


class Asked(NamedTuple):
    """One criterion and the goal whose fence and changes it is about.

    `beside` are the plan's other goals: their work lies in the same tree.
    """

    criterion: Criterion
    goal: Goal | None = None
    beside: tuple[Neighbour, ...] = ()


def asked_of(goals: Iterable[Goal], plan: Iterable[Neighbour]) -> tuple[Asked, ...]:
    """Every criterion of some goals of a plan."""
    every = tuple(plan)
    return tuple(
        Asked(one, goal, tuple(other for other in every if other.goal.id != goal.id))
        for goal in goals
        for one in goal.criteria
    )


class Court(NamedTuple):
    """What every criterion of one judging shares.

    `noticing` is filled with those that pass, where mutants that one missed are tried with others.
    """

    rooms: Rooms
    tree: str
    keep: Callable[[bytes], str]
    load: Callable[[str], bytes]
    base: str | None = None
    ground: Ground | None = None
    full: bool = False
    consents: Mapping[str, Consent] = {}
    upstream: Collection[str] = ()
    noticing: list[Noticing] | None = None
    own: Collection[str] = ()
