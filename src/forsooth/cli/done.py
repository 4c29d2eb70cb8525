"""`forsooth done`: claim a goal and have it judged."""

from __future__ import annotations

import sys

import click

from forsooth.cli import options, show
from forsooth.cli.verdict import EXITS, row, rows
from forsooth.core.verdict import Finding
from forsooth.project import telling


@click.command()
@click.argument("goal")
@click.option(
    "--token",
    default="",
    envvar="FORSOOTH_TOKEN",
    help="Token of the attempt, as printed by `forsooth next`.",
)
@click.option("--summary", default="", help="One sentence on what was done.")
@options.which
@options.as_json
def command(*, goal: str, token: str, summary: str, plan: str, as_json: bool) -> int:
    """Claim GOAL: run every criterion on a clean copy, then try to prove each pass wrong."""
    project = options.project()
    id_ = project.which(plan)

    def tell(finding: Finding) -> None:
        # On one screen with the list below, a reason would stand twice.
        is_listed = finding.outcome != "pass" and sys.stdout.isatty()
        if not as_json and not is_listed:
            show.lines([row(finding)], to=sys.stderr)

    found = project.claim(id_, goal, token=token, summary=summary, progress=tell)
    differs = project.differences(id_, found)
    if as_json:
        show.data({**telling.claimed(id_, goal, found), "differs": differs})
    else:
        show.lines(rows(found, claimed=True, differs=differs))
    return EXITS[found.seen.verdict.outcome]
