"""`forsooth plan`: a brief becomes a draft, or a diff against what is sealed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from forsooth.cli import options, show
from forsooth.core.assignment import shown
from forsooth.core.brief.draft import Draft
from forsooth.core.brief.shapes import draft
from forsooth.core.check import Check
from forsooth.core.facets import criterion_facets
from forsooth.core.plan import Criterion, Goal, Plan
from forsooth.core.replan import Change
from forsooth.errors import UsageError
from forsooth.project import Drafted, Project

_PLAIN = Criterion(id="G001.C1", says="x", check=Check(kind="scope"))
_SHOWN = ("looked at in", "surface", "tags", "paths", "oracle", "must turn red")


@click.command()
@click.argument("brief", required=False)
@click.option("--text", default=None, help="The brief itself, instead of a file.")
@click.option("--new", "fresh", is_flag=True, help="Start another plan, whatever is live.")
@click.option("--hidden", default="", metavar="FILE", help="Criteria that agents are not shown.")
@options.which
@options.as_json
def command(
    *,
    brief: str | None,
    text: str | None,
    fresh: bool,
    hidden: str,
    plan: str,
    as_json: bool,
) -> None:
    """Turn BRIEF (a file, or - for standard input) into a draft plan.

    Every defect is shown at once. Again after an edit: what changed.
    """
    project = options.project()
    read, source = _brief(project, brief, text)
    kept = _brief(project, hidden, None)[0] if hidden else ""
    made = project.draft(read, source=source, plan=plan, fresh=fresh, hidden=kept)
    if as_json:
        show.data(
            {
                "plan": made.plan.plain(),
                "digest": made.plan.digest,
                "new": made.is_new,
                "same": made.is_same,
                "bound": made.bound,
                "changes": [change._asdict() for change in made.changes],
                "next": _next(project, made),
            }
        )
        return
    where = f" from {source}" if source else ""
    what = "plan" if made.is_same else "draft"
    show.lines([(f"{what} {made.plan.id}{where}: {_count(made.plan)}", "bold")])
    show.lines(outline(made.plan) if made.is_new else difference(made.changes))
    if made.bound != made.plan.id:
        show.lines([f"this work tree still means {made.bound}, which a person sealed"])
    show.lines(["", f"next: {_next(project, made)}"])


def _next(project: Project, made: Drafted) -> str:
    if made.is_same:
        return project.why(made.plan.id).command
    return "forsooth seal" if made.bound == made.plan.id else f"forsooth seal --plan {made.plan.id}"


def _brief(project: Project, name: str | None, text: str | None) -> tuple[str, str]:
    if (name is None) == (text is None):
        raise UsageError("name one brief: a file, - or --text", hint="forsooth plan BRIEF.md")
    if text is not None:
        return text, ""
    if name == "-":
        return _decoded(sys.stdin.buffer.read(), "standard input"), ""
    path = Path(str(name))
    try:
        read = _decoded(path.read_bytes(), str(path))
    except OSError as error:
        says = f"{path}: {error.strerror}"
        raise UsageError(says, hint="forsooth plan BRIEF.md", code="no-brief") from None
    try:
        return read, str(path.resolve().relative_to(project.repo.root))
    except ValueError:
        return read, str(path.resolve())


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start})") from None


def _count(plan: Plan) -> str:
    goals, criteria = len(plan.goals), len(plan.criteria)
    return (
        f"{goals} {'goal' if goals == 1 else 'goals'}, "
        f"{criteria} {'criterion' if criteria == 1 else 'criteria'}"
    )


def outline(plan: Plan) -> list[show.Line]:
    """Goals, criteria and the very command each one runs."""
    rows: list[show.Line] = [f"  binds every goal: {row}" for row in _preamble(plan)]
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


def _goal(goal: Goal) -> list[show.Line]:
    lists = (
        ("after", goal.depends_on),
        ("changes only", goal.fence.touch),
        ("never touches", goal.fence.never),
        ("may change", goal.may_change),
        ("may move", goal.may_move),
        ("may remove", goal.may_remove),
    )
    rows: list[show.Line] = [f"      {what} {', '.join(names)}" for what, names in lists if names]
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
        rows.append(("      weak contract: nothing here says how it is proven", "yellow"))
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


def _facets(criterion: Criterion) -> list[show.Line]:
    """The parts of a criterion that no sentence can say, a line each."""
    usual = {facet.name: facet.value for facet in criterion_facets(_PLAIN)}
    return [
        f"          {facet.name}: {facet.told}"
        for facet in criterion_facets(criterion)
        if facet.name in _SHOWN and facet.value != usual[facet.name]
    ]


def difference(found: tuple[Change, ...]) -> list[show.Line]:
    """What changed, and where less would have to be proven."""
    if not found:
        return ["  nothing changed"]
    return [
        (f"  {c.sign} {c.says}{'  ← loosens' if c.loosens else ''}", "yellow" if c.loosens else "")
        for c in found
    ]
