"""`forsooth stop`: pause a plan, or give it up."""

from __future__ import annotations

import click

from forsooth.cli import options, show


@click.command()
@click.option("--for-good", is_flag=True, help="Give up the plan; it cannot be resumed.")
@click.option("--reason", default="", help="Why it stops.")
@options.yes
@options.which
@options.as_json
def command(*, for_good: bool, reason: str, yes: bool, plan: str, as_json: bool) -> None:
    """Pause the plan: agents are no longer held to it. `forsooth resume` continues.

    A person at a terminal can always stop a plan; a script needs --yes.
    """
    project = options.project(yes=yes)
    id_ = project.which(plan)
    project.stop(id_, reason=reason, for_good=for_good)
    after = "forsooth plan BRIEF.md --new" if for_good else "forsooth resume"
    if as_json:
        show.data({"plan": id_, "status": "dropped" if for_good else "paused", "next": after})
        return
    show.lines([f"plan {id_} {'given up' if for_good else 'paused'}", f"next: {after}"])
