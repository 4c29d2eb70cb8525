"""`forsooth steer`: explicit, evidenced changes. Prose is never guessed at."""

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
    """Change the plan: add, split, reorder, reword, note or supersede.

    Every change says what was seen and why it follows. Nothing required is ever lost.
    """


@command.command()
@click.option("--title", required=True, help="Its name, in a line.")
@click.option("--objective", required=True, help="What must be true.")
@click.option("--after", multiple=True, metavar="GOAL", help="Starts when these are proven.")
@click.option("--criterion", multiple=True, metavar="SENTENCE", help="As in a brief; adds proof.")
@options.grounded
@options.which
@options.as_json
def add(
    *, after: tuple[str, ...], criterion: tuple[str, ...], plan: str, as_json: bool, **told: str
) -> None:
    """A new goal, under the original constraints."""
    criteria = options.project().criteria(criterion) if criterion else ()
    _steer(Add, plan, {**told, "depends_on": after, "criteria": criteria}, as_json=as_json)


@command.command()
@click.argument("goal")
@click.option(
    "--piece", nargs=2, multiple=True, metavar="TITLE OBJECTIVE", help="One part; say it twice."
)
@click.option(
    "--pieces-json",
    default="",
    metavar="JSON",
    help="Instead: [{title, objective, criteria: [ids]}]. Criteria not named go to the last part.",
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
    """A pending GOAL becomes several and shares its criteria out."""
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
    """Pending goals change places among themselves."""
    _steer(Reorder, plan, told, as_json=as_json)


@command.command()
@click.argument("goal")
@click.option("--title", default="", help="A better name.")
@click.option("--objective", default="", help="A better text.")
@options.grounded
@options.which
@options.as_json
def reword(*, plan: str, as_json: bool, **told: str) -> None:
    """A pending GOAL is said better; what proves it stays."""
    _steer(Reword, plan, told, as_json=as_json)


@command.command()
@click.argument("goal")
@options.grounded
@options.which
@options.as_json
def supersede(*, plan: str, as_json: bool, **told: str) -> None:
    """Set a blocked or expired GOAL aside.

    What an agent or a script sets aside stays required until a person, at a terminal, does so too.
    """
    _steer(Supersede, plan, told, as_json=as_json)


@command.command()
@click.argument("text")
@options.grounded
@options.which
@options.as_json
def note(*, text: str, plan: str, as_json: bool, evidence: str, rationale: str) -> None:
    """Keep something worth keeping; the plan does not change."""
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
