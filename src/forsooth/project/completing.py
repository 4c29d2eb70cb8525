"""What a brief leaves unsaid and a plan needs: the suite that stays green, and what is hidden."""

from __future__ import annotations

from pathlib import Path

from forsooth.core.brief.brief import parse
from forsooth.core.brief.compile import compile as compiled
from forsooth.core.brief.compile import defects
from forsooth.core.brief.draft import Defect
from forsooth.core.canonical import digest
from forsooth.core.check import Check
from forsooth.core.plan import Goal, Plan
from forsooth.errors import UsageError
from forsooth.git import objects
from forsooth.git.repository import Repository
from forsooth.project.hiding import carried, hide


class BadBrief(UsageError):
    """A brief with defects, all of them at once."""

    code = "bad-brief"

    def __init__(self, source: str, found: tuple[Defect, ...]) -> None:
        count = f"{len(found)} defect{'s' if len(found) > 1 else ''}"
        super().__init__(f"{source}: {count}, nothing was planned")
        self.source, self.defects = source, found


def with_suite(repo: Repository, plan: Plan, before: Plan | None) -> Plan:
    """The plan with the suite it had, or else the one that is found at HEAD."""
    if plan.suite is not None:
        return plan
    if before is not None:
        return plan.but(suite=before.suite)
    return plan.but(suite=detected(repo))


def detected(repo: Repository) -> Check | None:
    """The suite that is found at HEAD; none when none is."""
    from forsooth.judge.checks.recipes import recipe_of
    from forsooth.judge.environment.detect import detect
    from forsooth.judge.environment.tree import Tree
    from forsooth.judge.look import Looking

    base = objects.base(repo)
    if base.tree is None:
        return None
    look = Looking(repo, base.tree, base=base)
    found = detect(Tree(look.paths(), lambda path: look.read(path) or b""))
    if found.test_command is None:
        return None
    given = {"argv": found.test_command}
    if recipe_of(found.runner or "") is None:
        return Check.of({"kind": "command", "with": given})
    return Check.of({"kind": "tests", "with": {**given, "runner": found.runner}})


def with_hidden(plan: Plan, before: Plan | None, *, text: str, folder: Path) -> Plan:
    """The plan with criteria that are kept from agents: those of a brief, or those it had."""
    if not text:
        return carried(plan, before)
    brief = parse(text)
    found = defects(brief)
    if found:
        raise BadBrief("--hidden", found)
    goals = compiled(brief, plan_id=plan.id, digest=digest(text.encode())).goals
    return hide(folder, plan, [_matched(goal, plan, alone=len(goals) == 1) for goal in goals])


def _matched(goal: Goal, plan: Plan, *, alone: bool) -> Goal:
    """A goal of the hidden brief under the id of the plan's own that it means."""
    meant = [one for one in plan.goals if goal.title in (one.id, one.title)]
    if not meant and alone and len(plan.goals) == 1:
        meant = list(plan.goals)
    if len(meant) == 1:
        return goal.but(id=meant[0].id)
    says = f"--hidden: {goal.title!r} is no goal of the plan"
    hint = "begin its criteria with `@goal: G001`"
    raise UsageError(says, hint=hint, code="no-such-goal")
