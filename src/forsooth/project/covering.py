"""What a carried receipt still stands for: under the plan as it is sealed now, at another tree.

Nothing is believed here that was not verified before: it is measured against seals that hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from forsooth.core.canonical import digest_of
from forsooth.core.plan import Goal, Plan

if TYPE_CHECKING:
    from forsooth.receipts.problem import Problem
    from forsooth.receipts.seal import Seal
    from forsooth.receipts.statement import Predicate


def relevant(changed: Iterable[str], plan: Plan, subject: str) -> tuple[str, ...]:
    """The changed files that a receipt is about; where no paths are declared, all of them."""
    from forsooth.judge.checks.globs import any_matches

    criteria = [c for goal in _about(plan, subject) for c in goal.criteria]
    whole = not criteria or any(not c.paths for c in criteria)
    if whole or (subject == "plan" and plan.suite):
        return tuple(changed)
    wanted = [path for c in criteria for path in c.paths]
    return tuple(path for path in changed if any_matches(wanted, path))


def covers(goal: Goal, path: str) -> bool:
    """Whether a sealed goal asked for changes of this path.

    Its fence says so, else the paths that its criteria declare. A goal that has neither is about
    every file. What it has permission for is within, what it must never touch is not.
    """
    from forsooth.judge.checks.globs import any_matches

    if any_matches(goal.fence.never, path):
        return False
    criteria = [one for one in goal.criteria if one.check.kind != "scope"]
    declared = [path for one in criteria for path in one.paths]
    is_anywhere = not criteria or any(not one.paths for one in criteria)
    within = goal.fence.touch or (() if is_anywhere else declared)
    permitted = (*goal.may_change, *goal.may_move, *goal.may_remove)
    return not within or any_matches((*within, *permitted), path)


def _about(plan: Plan, subject: str) -> list[Goal]:
    return [goal for goal in plan.goals if subject in (goal.id, "plan")]


def outdated(said: Predicate, seal: Seal, others: Mapping[str, Seal]) -> tuple[Problem, ...]:
    """Why a receipt made under another version of the plan does not count under this one.

    A goal that was sealed again as it was keeps its receipt. A version that no one sealed counts
    where the receipt says that it is this sealed one with goals added or set aside since: a seal of
    someone who is not listed makes no version of a plan.
    """
    from forsooth.receipts.problem import Problem

    if said.plan_digest == seal.plan_digest:
        return ()
    before = others.get(said.plan_digest)
    if before is not None and said.subject != "plan":
        same = _rests(before, said.subject) == _rests(seal, said.subject)
    else:
        same = before is None and said.seal.plan_digest == seal.plan_digest
    says = f"{said.subject} was proven under version {said.plan_digest[:12]} of the plan, not this"
    return () if same else (Problem("older-plan", says),)


def rewritten(said: Predicate, heads: Mapping[int, str] | None) -> tuple[Problem, ...]:
    """Whether the ledger at hand, if one is, lacks the line that a receipt names as its last."""
    from forsooth.receipts.problem import Problem

    place = said.ledger
    if heads is None or heads.get(place.seq) == place.head:
        return ()
    says = f"line {place.seq} of the ledger here is not {place.head[:12]}, after which it was made"
    return (Problem("other-ledger", says),)


def _rests(seal: Seal, subject: str) -> str:
    """Everything in a sealed plan that the proof of one goal rests on, by digest."""
    plan = seal.plan
    goals = [goal.plain() for goal in _about(plan, subject)]
    suite = plan.suite.plain() if plan.suite else None
    return digest_of([goals, suite, plan.base.plain(), plan.deliver, seal.policy.plain()])
