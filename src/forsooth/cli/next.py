"""`forsooth next`: the assignment for the next attempt, or why there is none."""

from __future__ import annotations

import click

from forsooth.cli import options, show
from forsooth.core.assignment import render
from forsooth.core.next import Ending
from forsooth.project import telling

EXITS: dict[Ending, int] = {
    "done": 0,
    "waiting-human": 10,
    "budget-spent": 11,
    "partial": 12,
    "stopped": 13,
    "environment": 77,
}


@click.command()
@click.argument("goal", default="")
@click.option("--retry-failed", is_flag=True, help="Reopen goals that were given up as failed.")
@options.which
@options.as_json
def command(*, goal: str, retry_failed: bool, plan: str, as_json: bool) -> int:
    """Start the next attempt, or show the open one: at GOAL (default: the first that is ready)."""
    project = options.project()
    id_ = project.which(plan)
    handed = project.hand_out(id_, goal=goal, retry_failed=retry_failed)
    told = handed.assignment
    if as_json:
        show.data(telling.handed(id_, handed))
    elif told:
        show.lines(render(told).split("\n"))
        if handed.holder:
            show.lines([f"{handed.holder} opened {told.attempt}; nobody else may claim it"])
    elif handed.answer:
        show.lines([handed.answer.says, f"next: {handed.answer.command}"])
    return EXITS[handed.ending] if handed.ending else 0
