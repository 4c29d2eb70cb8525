"""The words all wards share: one criterion tried at one tree, and what a ward makes of it.

A ward is given a room and asks it for runs; it never learns how a tree becomes a place to run in.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from forsooth.core.strength import HeldId, LackingId
from forsooth.judge.checker import Look, Ran
from forsooth.judge.checks.process import Ending
from forsooth.judge.checks.recipes.recipe import Edits, Order
from forsooth.judge.reports.report import Report


class Trial(NamedTuple):
    """One run of a criterion: how it ended, what its runner told, and why it does not pass."""

    ran: Ran
    told: Report | None
    end: Ending | None

    @property
    def passed(self) -> bool:
        """Whether the run, taken at its word, holds."""
        return self.end is None


class Room(Protocol):
    """Trees in which one criterion can be tried."""

    def look(self, tree: str) -> Look:
        """A tree as data."""
        ...

    def edited(self, tree: str, edits: Edits) -> str:
        """A tree that differs by these files."""
        ...

    def tried(self, tree: str, *, order: Order | None = None) -> Trial:
        """Run the criterion at a tree: as it stands, or as an order says instead."""
        ...


class Held(NamedTuple):
    """A ward that was run and holds; `core.strength` has the phrase of each id."""

    what: HeldId
    figures: tuple[int, ...] = ()


class Lacking(NamedTuple):
    """A ward that was not run, or could say nothing, and why."""

    what: LackingId
    why: str


class Flaw(NamedTuple):
    """Why a green run is not believed."""

    code: str
    says: str


Doubted = Held | Lacking | Flaw


def is_lacking(one: Doubted) -> bool:
    """Whether a ward could say nothing."""
    return isinstance(one, Lacking)
