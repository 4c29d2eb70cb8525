"""`forsooth steer`: explicit changes of a plan, with evidence. Prose is never interpreted."""

from __future__ import annotations

import json
from typing import Any

import click

from forsooth.cli import options, show
from forsooth.core.amendment import Add, Reorder, Reword, Split, Supersede
from forsooth.core.event import PlanAmended
from forsooth.errors import UsageError
from forsooth.project import telling


@click.group(name="steer", subcommand_metavar="CHANGE ...")
def command() -> None:
    """Change a sealed plan: add, split, reorder, reword, note or supersede.

    Every change needs evidence and a rationale. No change removes a required criterion.
    """


@command.command()
@click.option("--title", required=True, help="Title of the goal, one line.")
@click.option("--objective", required=True, help="What must be true when it is done.")
@click.option(
    "--after", multiple=True, metavar="GOAL", help="Goal that must be proven first; repeatable."
)
@click.option(
    "--criterion", multiple=True, metavar="SENTENCE", help="Criterion, as in a brief; repeatable."
)
@options.grounded
@options.which
@options.as_json
def add(
    *, after: tuple[str, ...], criterion: tuple[str, ...], plan: str, as_json: bool, **told: str
) -> None:
    """Add a goal under the plan's constraints."""
    criteria = options.project().criteria(criterion) if criterion else ()
    _steer(Add, plan, {**told, "depends_on": after, "criteria": criteria}, as_json=as_json)


@command.command()
@click.argument("goal")
@click.option(
    "--piece",
    nargs=2,
    multiple=True,
    metavar="TITLE OBJECTIVE",
    help="One part; give at least two.",
)
@click.option(
    "--pieces-json",
    default="",
    metavar="JSON",
    help="The parts as [{title, objective, criteria: [ids]}]; the last gets unnamed criteria.",
)
@options.grounded
@options.which
@options.as_json
def split(
    *,
    piece: tuple[tuple[str, str], ...],
    pieces_json: str,
    plan: str,
    as_json: bool,
    **told: str,
) -> None:
    """Split a pending GOAL into parts and distribute its criteria."""
    rows = [{"title": title, "objective": objective} for title, objective in piece]
    _steer(
        Split,
        plan,
        {**told, "pieces": _pieces(pieces_json) if pieces_json else rows},
        as_json=as_json,
    )


@command.command()
@click.argument("order", nargs=-1, required=True, metavar="GOAL GOAL...")
@options.grounded
@options.which
@options.as_json
def reorder(*, plan: str, as_json: bool, **told: Any) -> None:
    """Change the order of pending goals."""
    _steer(Reorder, plan, told, as_json=as_json)


@command.command()
@click.argument("goal")
@click.option("--title", default="", help="New title.")
@click.option("--objective", default="", help="New objective.")
@options.grounded
@options.which
@options.as_json
def reword(*, plan: str, as_json: bool, **told: str) -> None:
    """Change the title or objective of a pending GOAL; its criteria stay."""
    _steer(Reword, plan, told, as_json=as_json)


@command.command()
@click.argument("goal")
@options.grounded
@options.which
@options.as_json
def supersede(*, plan: str, as_json: bool, **told: str) -> None:
    """Set a blocked or expired GOAL aside.

    If an agent or a script does so, the goal stays required until a person confirms it here.
    """
    _steer(Supersede, plan, told, as_json=as_json)


@command.command()
@click.argument("text")
@options.grounded
@options.which
@options.as_json
def note(*, text: str, plan: str, as_json: bool, evidence: str, rationale: str) -> None:
    """Record a note; the plan does not change."""
    project = options.project()
    id_ = project.which(plan)
    outcome = project.note(id_, text, evidence=evidence, rationale=rationale)
    if as_json:
        show.data(telling.noted(id_, outcome))
        return
    show.lines([f"noted at #{outcome.events[0].seq}"])


def _pieces(text: str) -> Any:
    """What was typed, as data; whether it makes pieces is the amendment's to say."""
    try:
        return json.loads(text)
    except ValueError:
        says = "--pieces-json: this is not JSON"
        hint = """--pieces-json '[{"title": "…", "objective": "…"}, …]'"""
        raise UsageError(says, hint=hint) from None


def _steer(
    kind: type[Add | Split | Reorder | Reword | Supersede],
    plan: str,
    told: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    project = options.project()
    amendment = project.amendment(kind, told)
    id_ = project.which(plan)
    outcome = project.steer(id_, amendment)
    if as_json:
        show.data(telling.steered(id_, outcome))
        return
    made = next(e.fact.goals for e in outcome.events if isinstance(e.fact, PlanAmended))
    show.lines([f"#{outcome.events[0].seq} {amendment.kind}: {amendment.rationale}"])
    show.lines([f"  + {goal.id} {goal.title}" for goal in made])
    show.lines(["next: forsooth next"])
