"""`forsooth check`: judge now, without claiming."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING

import click

from forsooth.cli import again, options, ranges, show
from forsooth.cli.verdict import EXITS, row, rows
from forsooth.core.ids import is_goal
from forsooth.core.verdict import Finding
from forsooth.errors import CouldNotVerify, UsageError
from forsooth.project import Checked, Project, resting, telling

if TYPE_CHECKING:
    from forsooth.judge.culprit import Blame
    from forsooth.judge.seen import Seen


@click.command()
@click.argument("subject", metavar="[GOAL | RANGE]", default="")
@click.option(
    "--branch", default="", metavar="NAME", help="Judge this branch against where it started."
)
@click.option("--pr", type=click.IntRange(1), metavar="N", help="Judge this pull request.")
@click.option("--fresh", is_flag=True, help="Ignore cached results.")
@options.which
@options.as_json
def command(
    *, subject: str, branch: str, pr: int | None, fresh: bool, plan: str, as_json: bool
) -> int:
    """Judge the work as it is now, on a clean copy, without claiming it.

    With GOAL, run its criteria; with neither, those of the whole plan. With RANGE (main..HEAD,
    HEAD~3), no plan is needed: report what a branch did to its tests and to their settings.
    """
    begun = time.time_ns()
    goal, _, rest = subject.partition(".")
    if is_goal(goal) and rest[:1] in ("C", "E") and rest[1:].isdigit():
        says = f"{subject} is one criterion; `check` judges a whole goal"
        raise UsageError(says, hint=f"forsooth check {goal}, or forsooth why {subject}")
    project = options.project()
    if (
        branch
        or pr
        or (subject and not is_goal(subject))
        or not _has_plan(project, plan or subject)
    ):
        return ranges.compared(
            project, subject, branch=branch, pr=pr or 0, fresh=fresh, as_json=as_json
        )
    id_ = project.which(plan)

    found = project.check(id_, goal=subject, fresh=fresh, progress=_teller(as_json=as_json))
    blames = project.blames(id_, found)
    differs = project.differences(id_, found)
    _tell(id_, found, blames, differs, as_json=as_json)
    code = EXITS[found.seen.verdict.outcome]
    if not plan and not differs and _is_known(found.seen):
        sys.stdout.flush()
        answer = (*_as_before(id_, found, blames, as_json=as_json), code)
        _keep(project, id_, found, subject=subject, as_json=as_json, since=begun, answer=answer)
    return code


def _is_known(seen: Seen) -> bool:
    """Whether it would be seen again, by programs that are known."""
    has_tools = bool(seen.tools) or seen.recipe.kind == "none"
    return has_tools and seen.verdict.outcome != "inconclusive"


def _teller(*, as_json: bool) -> Callable[[Finding], None]:
    def tell(finding: Finding) -> None:
        if not as_json:
            show.lines([row(finding)], to=sys.stderr)

    return tell


def _tell(
    plan: str,
    found: Checked,
    blames: Mapping[str, Blame],
    differs: Mapping[str, tuple[str, ...]],
    *,
    as_json: bool,
) -> None:
    if as_json:
        broke = {criterion: one._asdict() for criterion, one in blames.items()}
        show.data({**telling.checked(plan, found, broke), "differs": differs})
        return
    show.lines(rows(found, differs=differs))
    show.lines([f"  {c} {one.says}: {', '.join(one.files)}" for c, one in blames.items()])


class _Page(io.StringIO):
    encoding = "utf-8"


def _as_before(
    plan: str, found: Checked, blames: Mapping[str, Blame], *, as_json: bool
) -> tuple[str, str]:
    """What the same question would be told next: the same, and that it is not new."""
    verdict = found.seen.verdict
    old = tuple(finding.but(cached=True) for finding in verdict.findings)
    seen = found.seen._replace(verdict=verdict.but(findings=old))
    out, err = _Page(), _Page()
    with redirect_stdout(out), redirect_stderr(err):
        for finding in old:
            _teller(as_json=as_json)(finding)
        _tell(plan, found._replace(seen=seen), blames, {}, as_json=as_json)
    return out.getvalue(), err.getvalue()


def _keep(
    project: Project,
    plan: str,
    found: Checked,
    *,
    subject: str,
    as_json: bool,
    since: int,
    answer: tuple[str, str, int],
) -> None:
    """Keep the answer for who asks again; it is feedback, so nothing here may fail."""
    with suppress(CouldNotVerify, OSError):
        on = resting.rests(project, plan, found)
        again.keep(
            subject,
            as_json=as_json,
            root=on.root,
            left=on.left,
            others=on.others,
            still=on.ledger,
            since=since,
            answer=answer,
            is_last=lambda: resting.last_event(project, plan) == found.seq,
        )


def _has_plan(project: Project, named: str) -> bool:
    """Whether a plan can be meant: one that is named, or any that the repository has."""
    return bool(named or project.wanted or project.ids())
