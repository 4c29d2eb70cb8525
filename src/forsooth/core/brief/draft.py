"""What reading a brief gives before anything has an id: defects, drafts and attributes.

Every reader of a brief speaks in these, so that all that is wrong can be shown at once.
"""

from __future__ import annotations

from typing import Literal

from forsooth.core.check import Check, Text
from forsooth.core.ids import GoalId
from forsooth.core.plan import Hours, Intent, Mutant, Surface
from forsooth.core.value import Value


class Defect(Value):
    """One thing wrong with a brief: where, a stable code, a sentence, and what to type instead."""

    line: int
    code: Text
    says: Text
    fix: Text


class Draft(Value):
    """A criterion without an id, and what it adds to its goal's fence."""

    line: int
    says: Text
    check: Check
    surface: Surface | None = None
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    oracle: tuple[str, ...] = ()
    guard: bool = False
    hidden: bool = False
    mutants: tuple[Mutant, ...] = ()
    entry: bool = False
    touch: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class Attributes(Value):
    """What a brief says about a goal beside its objective and criteria."""

    intent: Intent | None = None
    depends_on: tuple[GoalId, ...] = ()
    touch: tuple[Text, ...] = ()
    never: tuple[Text, ...] = ()
    may_change: tuple[Text, ...] = ()
    may_move: tuple[Text, ...] = ()
    may_remove: tuple[Text, ...] = ()
    expects: Literal["change", "no-change"] | None = None
    cadence: Hours | None = None


class Terms(Value):
    """What a brief says about the whole plan beside its goals."""

    deliver: Text | None = None
    upstream: Text | None = None
    suite: Check | None = None


def shown(text: str, most: int = 60) -> str:
    """Text short enough to stand inside a sentence."""
    return text if len(text) <= most else f"{text[:most]}…"
