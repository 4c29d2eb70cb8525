"""`forsooth why`: the missing fact, and the one command that supplies it."""

from __future__ import annotations

import click

from forsooth.cli import options, show
from forsooth.core.why import Answer
from forsooth.project.codes import explain


def _within(plan: str, about: str) -> Answer:
    """What only a plan can answer."""
    project = options.project()
    return project.why(project.which(plan), about=about)


@click.command()
@click.argument("about", default="")
@options.which
@options.as_json
def command(*, about: str, plan: str, as_json: bool) -> None:
    """Explain what is missing: for the plan, or for ABOUT, a goal, a criterion or a code."""
    answer = explain(about) or _within(plan, about)
    if as_json:
        show.data(answer._asdict())
        return
    show.lines([(answer.says, "bold"), *(f"  {row}" for row in answer.also)])
    if answer.command:
        show.lines([f"next: {answer.command}"])
