"""`forsooth waive`: a person sets a criterion aside, and that is shown wherever it counts."""

from __future__ import annotations

import click

from forsooth.cli import options, show


@click.command()
@click.argument("criterion")
@click.option("--reason", required=True, help="Why it does not have to hold.")
@options.which
@options.as_json
def command(*, criterion: str, reason: str, plan: str, as_json: bool) -> int:
    """Set CRITERION aside: only a person at a terminal can, and every verdict says so."""
    project = options.project()
    id_ = project.which(plan)
    project.waive(id_, criterion, reason=reason)
    if as_json:
        show.data({"plan": id_, "criterion": criterion, "waived": True, "reason": reason})
        return 0
    goal = criterion.partition(".")[0]
    show.lines([(f"WAIVED {criterion}: {reason}", "yellow"), f"next: forsooth done {goal}"])
    return 0
