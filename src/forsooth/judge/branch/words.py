"""The words for a test's text: one assertion, and the shape of all of them."""

from __future__ import annotations

from typing import NamedTuple


class Assertion(NamedTuple):
    """One assertion, its text without layout, and what it is worth: nothing if it cannot fail."""

    text: str
    weight: int


class Shape(NamedTuple):
    """One test. `body` is its text without layout; `idle` when it touches nothing but itself."""

    body: str
    assertions: tuple[Assertion, ...] = ()
    slack: float = 0.0
    idle: bool = False

    @property
    def weight(self) -> int:
        """How much it asserts."""
        return sum(one.weight for one in self.assertions)
