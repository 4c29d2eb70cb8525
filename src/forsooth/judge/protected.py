"""Files that the plan itself seals and that are no tests: changed, they are delivered changed.

Sealed tests may grow, for they are run as sealed as well. A lock, a limit or a list is not run.
"""

from __future__ import annotations

from forsooth.core.plan import Criterion, Goal
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.checks.trial import Flaw
from forsooth.judge.court import Court
from forsooth.judge.disbelief.leave import leave_of
from forsooth.judge.oracles import is_check
from forsooth.judge.sides import Sides
from forsooth.judge.views import named_in


def trespassed(criterion: Criterion, goal: Goal | None, court: Court, sides: Sides) -> Flaw | None:
    """What was changed or taken away of it, unless the plan lets that very path change."""
    leave = leave_of(goal)
    let = (*leave.change, *leave.move, *leave.remove)
    touch = goal.fence.touch if goal else ()
    paths = [
        one.path
        for one in court.rooms.look(court.tree).changes
        if one.status != "A"
        and any_matches(criterion.oracle, one.path)
        and not (sides.holds(one.path) or is_check(one.path) or named_in(let, one.path))
        and not (one.path in touch or one.path in court.upstream)
    ]
    if not paths:
        return None
    return Flaw("oracle-changed", f"{shown(paths)} is sealed by the plan and was changed")
