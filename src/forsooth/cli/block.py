"""`forsooth block`: why a goal cannot continue, and who must act."""

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
    help="Who must act: agent, environment, human or time (default agent).",
)
@click.option("--why", required=True, help="What prevents the work.")
@click.option("--evidence", default="", help="What shows it: a message, a command, a file.")
@click.option(
    "--until", default=None, metavar="TIME", help="When the block ends by itself (RFC 3339, UTC)."
)
@click.option(
    "--failed", is_flag=True, help="Give up this attempt; `next --retry-failed` reopens it."
)
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
    """Record why GOAL cannot continue and who must act. Other goals continue."""
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
    show.lines([f"when that is resolved: forsooth unblock {goal}", "next: forsooth next"])
