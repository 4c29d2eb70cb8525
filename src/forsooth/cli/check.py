"""`forsooth check`: judge now, claim nothing."""

from __future__ import annotations

import sys
from typing import Any

import click

from forsooth.cli import options, show
from forsooth.core.verdict import Finding
from forsooth.project import Checked

EXITS = {"pass": 0, "fail": 1, "inconclusive": 5}
MARKS = {"pass": ("✔", "green"), "fail": ("✘", "red"), "error": ("?", "yellow")}


@click.command()
@click.argument("goal", default="")
@click.option("--fresh", is_flag=True, help="Look at everything anew, whatever was found before.")
@options.which
@options.as_json
def command(*, goal: str, fresh: bool, plan: str, as_json: bool) -> int:
    """Run the criteria of GOAL, or of every goal, on a clean copy of what is delivered now."""
    project = options.project()
    id_ = project.which(plan)

    def tell(finding: Finding) -> None:
        if not as_json:
            show.lines([_row(finding)], to=sys.stderr)

    found = project.check(id_, goal=goal, fresh=fresh, progress=tell)
    verdict = found.seen.verdict
    if as_json:
        show.data({"plan": id_, **described(found)})
    else:
        show.lines(_rows(found))
    return EXITS[verdict.outcome]


def described(found: Checked) -> dict[str, Any]:
    """A look as data."""
    verdict = found.seen.verdict
    return {
        "subject": verdict.subject,
        "outcome": verdict.outcome,
        "tree": verdict.tree,
        "commit": verdict.commit,
        "isolation": verdict.isolation,
        "environment": {"kind": found.seen.recipe.kind, "how": found.seen.how},
        "findings": [
            {**finding.plain(), "action": found.actions.get(finding.criterion, "")}
            for finding in verdict.findings
        ],
        "dirty": list(found.at.dirty),
        "untracked": list(found.at.untracked),
    }


def _row(finding: Finding) -> show.Line:
    mark, style = MARKS.get(finding.outcome, ("–", "dim"))
    again = " (as before)" if finding.cached else f" {finding.took / 1000:.1f}s"
    return (f"  {mark} {finding.criterion} {finding.reason or finding.code}{again}", style)


def _rows(found: Checked) -> list[show.Line]:
    verdict, seen = found.seen.verdict, found.seen
    rows: list[show.Line] = []
    for finding in verdict.findings:
        if finding.outcome not in ("pass", "waived"):
            rows.append(f"{finding.criterion} {finding.code}: {finding.reason}")
            rows.append((f"    try: {found.actions[finding.criterion]}", "dim"))
    passed = sum(f.outcome == "pass" for f in verdict.findings)
    total = len(verdict.findings)
    style = {"pass": "green", "fail": "red"}.get(verdict.outcome, "yellow")
    rows.append((f"{verdict.subject} {verdict.outcome}: {passed} of {total} hold", style))
    rows.append(
        f"  tree {verdict.tree[:12]}, sandbox {verdict.isolation}, {seen.recipe.kind} {seen.how}"
    )
    if found.at.untracked:
        rows.append(f"  not delivered: {', '.join(found.at.untracked[:5])}")
    return rows
