"""Is a plan well formed? Asked of the plan alone, before anything is known about its history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forsooth.core import check as checks
from forsooth.core.plan import Criterion, Plan
from forsooth.core.policy import Policy
from forsooth.core.reason import Reason, Reasons

_AGAIN = "mend the brief, then forsooth plan BRIEF.md"


def may_create(
    plan: Plan, policy: Policy, *, kinds: Mapping[str, type[checks.Params]] = checks.KINDS
) -> Reasons:
    """A plan is well formed: ids, dependencies, checks and required tags."""
    reasons: list[Reason] = []
    if not plan.goals:
        reasons.append(Reason("no-goals", "the plan has no goals", "forsooth plan BRIEF.md"))
    reasons += _id_reasons(plan)
    for goal in plan.goals:
        reasons += check_reasons(goal.entry + goal.criteria, kinds, goal=goal.id)
        tags = {tag for criterion in goal.criteria for tag in criterion.tags}
        hint = f"add a criterion with `tags: [{', '.join(policy.tags)}]` to {goal.id}"
        reasons += [
            Reason("tag-missing", f"{goal.id} has no criterion tagged {tag!r}", hint, goal.id)
            for tag in policy.tags
            if tag not in tags and not goal.is_steered and goal.id not in plan.superseded
        ]
    return tuple(reasons)


def check_reasons(
    criteria: Iterable[Criterion], kinds: Mapping[str, type[checks.Params]], *, goal: str = ""
) -> list[Reason]:
    """What is wrong with how criteria are to be checked."""
    return [
        Reason("bad-check", f"{criterion.id}: {defect}", _AGAIN, goal)
        for criterion in criteria
        for defect in checks.defects(criterion.check, kinds)
    ]


def _id_reasons(plan: Plan) -> list[Reason]:
    reasons: list[Reason] = []
    names = [goal.id for goal in plan.goals]
    names += [c.id for goal in plan.goals if goal.id not in plan.superseded for c in goal.criteria]
    twice = sorted({name for name in names if names.count(name) > 1})
    reasons += [Reason("id-twice", f"{name} is used twice", "forsooth status") for name in twice]
    known = set(names)
    for goal in plan.goals:
        reasons += [
            Reason(
                "unknown-dependency",
                f"{goal.id} depends on {id_}, which is no goal",
                _AGAIN,
                goal.id,
            )
            for id_ in goal.depends_on
            if id_ not in known and goal.id not in plan.superseded
        ]
    reasons += ring({goal.id: goal.depends_on for goal in plan.goals})
    return reasons


def ring(waits: Mapping[str, Iterable[str]]) -> Reasons:
    """That goals wait for each other, if they do."""
    found = cycle(waits)
    if not found:
        return ()
    says = f"{' → '.join(found)} wait for each other"
    return (Reason("dependency-cycle", says, _AGAIN, found[0]),)


def cycle(edges: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Goals that wait for each other, in order; empty when nobody does."""
    left = {name: [to for to in wants if to in edges] for name, wants in edges.items()}
    while free := [name for name, wants in left.items() if not any(to in left for to in wants)]:
        for name in free:
            del left[name]
    if not left:
        return ()
    path = [next(iter(left))]
    while path[-1] not in path[:-1]:
        path.append(next(to for to in left[path[-1]] if to in left))
    return tuple(path[path.index(path[-1]) :])
