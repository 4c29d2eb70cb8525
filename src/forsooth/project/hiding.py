"""Criteria that are kept from agents: what the plan says of them, and where they really lie.

The plan holds a name and a salted digest; the check itself lies in the user's own state, readable
by this account alone. An agent under the same account could read it, and nothing here says not.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from forsooth.core.canonical import digest_of
from forsooth.core.check import Check
from forsooth.core.ids import criterion_id, number_of
from forsooth.core.plan import Criterion, Goal, Plan
from forsooth.errors import CouldNotVerify

SAYS = "hidden criterion"


def hide(folder: Path, plan: Plan, found: Iterable[Goal]) -> Plan:
    """The plan with the criteria of another brief added to its goals, each out of sight."""
    kept = _read(folder, plan.id)
    goals = {goal.id: goal for goal in plan.goals}
    for theirs in found:
        mine = goals.get(theirs.id)
        if mine is None:
            says = f"the hidden criteria name {theirs.id}, and the plan has no such goal"
            raise CouldNotVerify(says, code="no-such-goal")
        goals[theirs.id] = _added(mine, theirs, kept)
    _write(folder, plan.id, kept)
    return plan.but(goals=tuple(goals[goal.id] for goal in plan.goals))


def carried(plan: Plan, before: Plan | None) -> Plan:
    """The plan with what was hidden before, on the goals that are still there."""
    if before is None:
        return plan
    had = {goal.id: [c for c in goal.criteria if c.check.kind == "hidden"] for goal in before.goals}
    return plan.but(
        goals=tuple(
            goal.but(criteria=(*goal.criteria, *had.get(goal.id, ()))) for goal in plan.goals
        )
    )


def _added(goal: Goal, theirs: Goal, kept: dict[str, Any]) -> Goal:
    known = {row["digest"]: id_ for id_, row in kept.items()}
    numbers = [number_of(c.id) for c in (*goal.entry, *goal.criteria)]
    free = max([0, *numbers, *(number_of(id_) for id_ in kept if id_.startswith(goal.id))]) + 1
    rows = list(goal.criteria)
    for criterion in theirs.criteria:
        bare = digest_of(criterion.but(id=criterion_id(goal.id, 1)).plain())
        id_ = known.get(bare) or criterion_id(goal.id, free)
        if id_ not in kept:
            kept[id_] = {
                "digest": bare,
                "salt": secrets.token_hex(16),
                "criterion": criterion.but(id=id_, hidden=True).plain(),
            }
            free += 1
        rows.append(_stub(id_, kept[id_]))
    return goal.but(criteria=tuple(rows))


def _stub(id_: str, row: dict[str, Any]) -> Criterion:
    check = Check.of({"kind": "hidden", "with": {"digest": _salted(row)}})
    return Criterion(id=id_, says=SAYS, check=check, hidden=True)


def _salted(row: dict[str, Any]) -> str:
    return digest_of({"salt": row["salt"], "criterion": row["criterion"]})


def revealed(folder: Path, plan: str, criterion: Criterion) -> Criterion:
    """The criterion itself, once it is shown to be the one that was sealed."""
    if criterion.check.kind != "hidden":
        return criterion
    row = _read(folder, plan).get(criterion.id)
    if row is None or _salted(row) != criterion.check.params.get("digest"):
        says = f"{criterion.id} is hidden, and what is kept of it here is not what was sealed"
        raise CouldNotVerify(says, hint="forsooth plan BRIEF.md --hidden FILE", code="hidden-lost")
    return Criterion.of(row["criterion"])


def _path(folder: Path, plan: str) -> Path:
    return folder / f"{plan}.hidden.json"


def _read(folder: Path, plan: str) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        return json.loads(_path(folder, plan).read_bytes())
    return {}


def _write(folder: Path, plan: str, kept: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = _path(folder, plan).with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(kept, file)
    fresh.replace(_path(folder, plan))
