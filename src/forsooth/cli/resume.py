"""`forsooth resume`: continue a paused plan."""

from __future__ import annotations

import click

from forsooth.cli import options, show


@click.command()
@click.option("--reason", default="", help="Why it continues.")
@options.yes
@options.which
@options.as_json
def command(*, reason: str, yes: bool, plan: str, as_json: bool) -> None:
    """Continue a paused plan. Only a person can resume what a person paused."""
    project = options.project(yes=yes)
    id_ = project.which(plan)
    project.resume(id_, reason=reason)
    if as_json:
        show.data({"plan": id_, "status": "active", "next": "forsooth next"})
        return
    show.lines([f"plan {id_} continues", "next: forsooth next"])
