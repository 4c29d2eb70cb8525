"""`forsooth block`: what stands in a goal's way, and who must act."""

from __future__ import annotations

import click

from forsooth.cli import options, show
from forsooth.core.blocker import Needs, kind_of
from forsooth.core.event import BlockerRaised
from forsooth.project import telling


@click.command()
@click.argument("goal")
@click.option(
    "--needs",
    type=click.Choice(["agent", "environment", "human", "time"]),
    default="agent",
    metavar="WHO",
    help="Who must act: agent, environment, human or time; unsure means agent.",
)
@click.option("--why", required=True, help="What stands in the way.")
@click.option("--evidence", default="", help="What shows it.")
@click.option("--until", default=None, metavar="TIME", help="Lifts by itself then (RFC 3339, UTC).")
@click.option("--failed", is_flag=True, help="Give this attempt up; `next --retry-failed` reopens.")
@options.which
@options.as_json
def command(
    *,
    goal: str,
    needs: Needs,
    why: str,
    evidence: str,
    until: str | None,
    failed: bool,
    plan: str,
    as_json: bool,
) -> None:
    """Record why GOAL cannot go on. The others go on without it."""
    project = options.project()
    id_ = project.which(plan)
    kind = kind_of(needs, failed=failed)
    outcome = project.block(
        id_, goal, needs=needs, why=why, kind=kind, evidence=evidence, until=until
    )
    if as_json:
        show.data(telling.blocked(id_, outcome))
        return
    raised = next(e.fact.blocker for e in outcome.events if isinstance(e.fact, BlockerRaised))
    show.lines([f"{raised.id} on {goal}: needs {needs}: {why}"])
    show.lines([f"when it is out of the way: forsooth unblock {goal}", "next: forsooth next"])
