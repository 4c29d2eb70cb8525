"""`forsooth unblock`: clear what blocks a goal."""

from __future__ import annotations

import click

from forsooth.cli import options, show


@click.command()
@click.argument("goal")
@click.option(
    "--blocker", default="", metavar="ID", help="Blocker to clear (default: all of the goal)."
)
@click.option("--reason", default="", help="What changed.")
@options.yes
@options.which
@options.as_json
def command(*, goal: str, blocker: str, reason: str, yes: bool, plan: str, as_json: bool) -> None:
    """Clear what blocks GOAL. Only a person can clear a blocker that needs a person."""
    project = options.project(yes=yes)
    id_ = project.which(plan)
    cleared = project.unblock(id_, goal, blocker=blocker, reason=reason)
    if as_json:
        show.data({"plan": id_, "cleared": cleared, "next": "forsooth next"})
        return
    show.lines([f"cleared {', '.join(cleared)} on {goal}", "next: forsooth next"])
