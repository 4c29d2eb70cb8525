"""Goals that cannot go on by themselves are recorded as such by the product, not by who works.

A criterion that failed three times in a row, attempts that are used up, an agreement that is
missing: the step that follows is an obstacle with the one who must act. A run loop performs that
step; where an agent works on its own, whatever command met it does.
"""

from __future__ import annotations

from forsooth.core import command as do
from forsooth.core import next as steps
from forsooth.core.actor import LOOP
from forsooth.core.state import State
from forsooth.project.shelf import Shelf


class Obstacles(Shelf):
    """Obstacles that follow from what happened."""

    def record_obstacles(self, plan: str) -> State:
        """Record every obstacle that is due; the state after them."""
        state = self.state(plan)
        for step in steps.next_steps(state, self.now()):
            if isinstance(step, steps.Block):
                state = self.ask(plan, do.Raise(**step._asdict()), by=LOOP).state
        return state
