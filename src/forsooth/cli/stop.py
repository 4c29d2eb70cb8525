"""`forsooth stop`: nobody is held or driven; for good, the plan is given up."""

from __future__ import annotations

import click

from forsooth.cli import options, show
from forsooth.cli.caller import agent_present, at_terminal


@click.command()
@click.option("--for-good", is_flag=True, help="Give the plan up; it cannot be resumed.")
@click.option("--reason", default="", help="Why.")
@options.yes
@options.which
@options.as_json
def command(*, for_good: bool, reason: str, yes: bool, plan: str, as_json: bool) -> None:
    """Stop holding and driving. Nothing is lost: `forsooth resume` goes on."""
    # Whoever is not an agent must always be able to stop, terminal or not.
    speaks = yes or not (agent_present() or at_terminal() or for_good)
    project = options.project(yes=speaks)
    id_ = project.which(plan)
    project.stop(id_, reason=reason, for_good=for_good)
    after = "forsooth plan BRIEF.md --new" if for_good else "forsooth resume"
    if as_json:
        show.data({"plan": id_, "status": "dropped" if for_good else "paused", "next": after})
        return
    show.lines([f"plan {id_} {'given up' if for_good else 'paused'}", f"next: {after}"])
