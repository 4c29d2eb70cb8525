"""`forsooth check`: judge now, claim nothing."""

from __future__ import annotations

import sys

import click

from forsooth.cli import options, ranges, show
from forsooth.cli.verdict import EXITS, described, row, rows
from forsooth.core.ids import is_goal
from forsooth.core.verdict import Finding
from forsooth.project import Project


@click.command()
@click.argument("subject", metavar="[GOAL | RANGE]", default="")
@click.option("--branch", default="", metavar="NAME", help="What this branch did.")
@click.option("--pr", type=click.IntRange(1), metavar="N", help="What this request did.")
@click.option("--fresh", is_flag=True, help="Look at everything anew, whatever was found before.")
@options.which
@options.as_json
def command(
    *, subject: str, branch: str, pr: int | None, fresh: bool, plan: str, as_json: bool
) -> int:
    """Judge what is delivered now, on a clean copy.

    GOAL, or nothing: run the criteria of a goal, or of the whole plan. RANGE (main..HEAD, HEAD~3):
    with no plan at all, tell what a branch did to its tests and to what is around them.
    """
    project = options.project()
    if (
        branch
        or pr
        or (subject and not is_goal(subject))
        or not _has_plan(project, plan or subject)
    ):
        return ranges.compared(project, subject, branch=branch, pr=pr or 0, as_json=as_json)
    id_ = project.which(plan)

    def tell(finding: Finding) -> None:
        if not as_json:
            show.lines([row(finding)], to=sys.stderr)

    found = project.check(id_, goal=subject, fresh=fresh, progress=tell)
    blames = project.blames(id_, found)
    if as_json:
        broke = {criterion: one._asdict() for criterion, one in blames.items()}
        show.data({"plan": id_, **described(found), "broke": broke})
    else:
        show.lines(rows(found))
        show.lines([f"  {c} {one.says}: {', '.join(one.files)}" for c, one in blames.items()])
    return EXITS[found.seen.verdict.outcome]


def _has_plan(project: Project, named: str) -> bool:
    """Whether a plan can be meant: one that is named, or any that the repository has."""
    return bool(named or project.wanted or project.ids())
