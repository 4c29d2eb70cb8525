"""`forsooth agree`: a person agrees to a criterion that only a person can decide."""

from __future__ import annotations

import click

from forsooth.cli import options, show

NAMED = 5


@click.command()
@click.argument("criterion")
@click.option("--reason", default="", help="What you looked at, or why you agree.")
@options.which
@options.as_json
def command(*, criterion: str, reason: str, plan: str, as_json: bool) -> int:
    """Agree to CRITERION as the work is now. Only a person at a terminal may.

    The agreement stands until what it is about changes: the criterion's paths, else the goal's
    allowed paths, else any file.
    """
    project = options.project()
    id_ = project.which(plan)
    agreed = project.agree(id_, criterion, reason=reason)
    goal = agreed.state.owner(criterion)
    awaiting = goal.awaiting if goal else ()
    name = goal.goal.id if goal else ""
    then = f"forsooth agree {awaiting[0]}" if awaiting else f"forsooth done {name}"
    if as_json:
        told = {"plan": id_, "criterion": criterion, "agreed": True, "reason": reason}
        show.data({**told, "tree": agreed.tree, "changed": list(agreed.changed), "next": then})
        return 0
    names = ", ".join(agreed.changed[:NAMED]) + (", …" if agreed.changed[NAMED:] else "")
    show.lines([(f"AGREED {criterion}: {agreed.criterion.says}", "green")])
    where = f"  at tree {agreed.tree[:12]}; changed since the plan began: {names or 'nothing'}"
    show.lines([where, f"next: {then}"])
    return 0
