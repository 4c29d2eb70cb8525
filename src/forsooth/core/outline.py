"""A plan as lines to read: every goal, every criterion, and the very command each one runs.

Nobody seals what they did not see, so whatever is sealed has a line here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from forsooth.core.assignment import rights, shown
from forsooth.core.brief.draft import Draft
from forsooth.core.brief.shapes import draft
from forsooth.core.check import Check
from forsooth.core.facets import criterion_facets
from forsooth.core.plan import Criterion, Goal, Plan
from forsooth.core.replan import Change, changes

Row = str | tuple[str, str]  # a line, or a line and how it stands out

_PLAIN = Criterion(id="G001.C1", says="x", check=Check(kind="scope"))
_SHOWN = ("looked at in", "surface", "tags", "paths", "oracle", "must turn red")


def outline(plan: Plan) -> list[Row]:
    """Goals, criteria and the very command each one runs."""
    rows: list[Row] = [f"  binds every goal: {row}" for row in _preamble(plan)]
    if plan.suite:
        rows.append(f"  stays green throughout: {shown(plan.suite)}")
    if plan.fence.says:
        rows.append(f"  in every goal: {plan.fence.says}")
    if plan.deliver != "worktree":
        rows.append(f"  delivered: {plan.deliver}")
    if plan.upstream:
        rows.append(f"  upstream, whose merges are nobody's work here: {plan.upstream}")
    for goal in plan.goals:
        aside = "  (set aside)" if goal.id in plan.superseded else ""
        rows.append((f"  {goal.id} {goal.title}{aside}", "bold"))
        rows += _goal(goal)
    return rows


def _preamble(plan: Plan) -> list[str]:
    return [line for line in plan.preamble.split("\n") if line.strip()]


def _goal(goal: Goal) -> list[Row]:
    lists = (("after", goal.depends_on), *rights(goal))
    rows: list[Row] = [f"      {what} {', '.join(names)}" for what, names in lists if names]
    if goal.intent != "feature" or goal.expects != "change":
        expects = ", expects no change" if goal.expects == "no-change" else ""
        rows.append(f"      intent {goal.intent}{expects}")
    if goal.cadence:
        rows.append(f"      comes round every {goal.cadence.hours} hours")
    for c in goal.entry:
        rows += [f"      {c.id} {c.says}  (before the work){_rest(c)}", *_facets(c)]
    for c in goal.criteria:
        rows += [f"      {c.id} {c.says}{_rest(c)}", *_facets(c)]
    if goal.is_weak:
        rows.append(("      weak contract: no criterion says how it is proven", "yellow"))
    return rows


def _rest(criterion: Criterion) -> str:
    """What the criterion's own sentence does not show of it: nobody seals what they did not see."""
    said = draft(criterion.says)
    notes = [name for name in ("guard", "hidden") if getattr(criterion, name)]
    notes += ["by an agent"] if criterion.by == "agent" else []
    note = f"  ({', '.join(notes)})" if notes else ""
    if isinstance(said, Draft) and said.check == criterion.check:
        return note
    if criterion.check.kind in ("scope", "approval"):
        return f"{note}  → {criterion.check.kind}"
    params = criterion.check.params
    rest = {name: params[name] for name in params if name not in ("argv", "runner")}
    told = f" {json.dumps(rest, ensure_ascii=False)}" if rest else ""
    return f"{note}  → {shown(criterion.check) or criterion.check.kind}{told}"


def _facets(criterion: Criterion) -> list[Row]:
    """The parts of a criterion that no sentence can say, a line each."""
    usual = {facet.name: facet.value for facet in criterion_facets(_PLAIN)}
    return [
        f"          {facet.name}: {facet.told}"
        for facet in criterion_facets(criterion)
        if facet.name in _SHOWN and facet.value != usual[facet.name]
    ]


def difference(found: tuple[Change, ...]) -> list[Row]:
    """What changed, and where less would have to be proven."""
    if not found:
        return ["  nothing changed"]
    return [
        (f"  {c.sign} {c.says}{'  ← loosens' if c.loosens else ''}", "yellow" if c.loosens else "")
        for c in found
    ]


def draft_text(draft: Plan, sealed: Plan | None) -> str:
    """All of a draft as one text; where it would replace a sealed plan, also what changes."""
    rows = outline(draft)
    if sealed is not None:
        rows += ["changes against what is sealed:", *difference(changes(sealed, draft))]
    return plain(rows)


def plain(rows: Iterable[Row]) -> str:
    """Lines as one text."""
    return "\n".join(row if isinstance(row, str) else row[0] for row in rows)
