"""Plan, goals and receipts to read, each as Markdown and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from forsooth.errors import UsageError
from forsooth.mcp import text
from forsooth.mcp.acts import standing
from forsooth.project import Project, telling

TEMPLATES = {
    "plan": "A plan and where its goals stand",
    "goal": "One goal of the plan, with its criteria",
    "receipt": "The proof of a goal, or of the whole `plan`",
}
_ADDRESS = re.compile(r"forsooth://(plan|goal|receipt)/([A-Za-z0-9._-]{1,64})")


class Found(NamedTuple):
    """One thing to read."""

    address: str
    title: str


class Read(NamedTuple):
    """The same thing as Markdown and as data."""

    page: str
    data: Any


def listed(project: Project) -> Iterator[Found]:
    """What there is to read of the plan that is meant, always in the same order."""
    try:
        plan = project.which()
    except UsageError:
        return
    state = project.state(plan)
    yield Found(f"forsooth://plan/{plan}", f"plan {plan}")
    goals = telling.goals(state)
    yield from (Found(f"forsooth://goal/{o.goal.id}", f"{o.goal.id} {o.goal.title}") for o in goals)
    proven = [one.goal.id for one in goals if one.proof] + (["plan"] if state.proof else [])
    yield from (Found(f"forsooth://receipt/{id_}", f"receipt of {id_}") for id_ in proven)


def read(project: Project, address: str) -> Read:
    """Read one; an address that leads nowhere is an error."""
    found = _ADDRESS.fullmatch(address)
    if not found:
        known = ", ".join(f"forsooth://{kind}/ID" for kind in TEMPLATES)
        raise UsageError(f"{address[:100]!r} is nothing to read here", hint=known)
    kind, id_ = found.groups()
    return {"plan": _plan, "goal": _goal, "receipt": _receipt}[kind](project, id_)


def _plan(project: Project, id_: str) -> Read:
    plan = project.which(id_)
    data = standing(project, plan)
    return Read(f"# Plan {plan}\n\n{text.standing(data)}\n", data)


def _goal(project: Project, id_: str) -> Read:
    data = standing(project, project.which())
    goal = next((one for one in data["goals"] if one["id"] == id_), None)
    if goal is None:
        raise UsageError(f"the plan has no goal {id_}", hint="status", code="no-such-goal")
    rows = [f"# {id_} {goal['title']}", "", f"{goal['status']}, {goal['contract']} contract", ""]
    rows += [f"- {one['id']} {one['status']}: {one['says']}" for one in goal["criteria"]]
    return Read("\n".join([*rows, ""]), goal)


def _receipt(project: Project, id_: str) -> Read:
    from forsooth.receipts import dsse, page, statement

    data = project.receipt(project.which(), id_)
    if data is None:
        raise UsageError(f"{id_} has no receipt", hint=f"check {id_}", code="no-receipt")
    said = statement.decoded(dsse.opened(data).payload)
    shown = "\n".join(page.show(said))
    return Read(f"# Receipt of {id_}\n\n```\n{shown}\n```\n", json.loads(json.dumps(said.plain)))
