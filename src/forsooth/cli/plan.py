"""`forsooth plan`: a brief becomes a draft, or a diff against what is sealed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from forsooth.cli import inputs, options, show
from forsooth.core.outline import difference, outline
from forsooth.core.plan import Plan
from forsooth.errors import UsageError
from forsooth.project import Project, telling
from forsooth.project.shelf import SUGGEST


@click.command()
@click.argument("brief", required=False)
@click.option("--text", default=None, help="The text of the brief, instead of a file.")
@click.option("--new", "fresh", is_flag=True, help="Start another plan beside the current one.")
@click.option("--hidden", default="", metavar="FILE", help="Criteria that agents do not see.")
@click.option(
    "--suggest", is_flag=True, help="Take BRIEF as a sentence and print a brief to start from."
)
@options.which
@options.as_json
def command(
    *,
    brief: str | None,
    text: str | None,
    fresh: bool,
    hidden: str,
    suggest: bool,
    plan: str,
    as_json: bool,
) -> None:
    """Turn BRIEF (a file, or - for standard input) into a draft plan.

    Reports every defect at once. For a brief that was planned before, shows what changed.
    """
    project = options.project()
    if suggest:
        _suggest(project, text or brief or "", as_json=as_json)
        return
    read, source = _brief(project, brief, text)
    kept = _brief(project, hidden, None)[0] if hidden else ""
    made = project.draft(read, source=source, plan=plan, fresh=fresh, hidden=kept)
    if as_json:
        show.data(telling.drafted(made, command=project.after_draft(made)))
        return
    where = f" from {source}" if source else ""
    what = "plan" if made.is_same else "draft"
    show.lines([(f"{what} {made.plan.id}{where}: {_count(made.plan)}", "bold")])
    show.lines(outline(made.plan) if made.is_new else difference(made.changes))
    if made.bound != made.plan.id:
        show.lines([f"this work tree still means {made.bound}, which a person sealed"])
    show.lines(["", f"next: {project.after_draft(made)}"])


def _suggest(project: Project, sentence: str, *, as_json: bool) -> None:
    """A brief to begin with, on standard output; what is left to say, beside it."""
    found = project.suggest(sentence)
    after = "forsooth plan BRIEF.md, once every FILL IN is filled in"
    if as_json:
        show.data({"brief": found.brief, "fill_in": list(found.missing), "next": after})
        return
    show.raw(found.brief.encode())
    show.lines([f"next: {after}"], to=sys.stderr)


def _brief(project: Project, name: str | None, text: str | None) -> tuple[str, str]:
    if (name is None) == (text is None):
        raise UsageError("name one brief: a file, - or --text", hint="forsooth plan BRIEF.md")
    if text is not None:
        return text, ""
    if name == "-":
        return _decoded(inputs.read_stdin(), "standard input"), ""
    path = Path(str(name))
    read = _decoded(inputs.read_file(path, hint=SUGGEST, code="no-brief"), str(path))
    try:
        return read, str(path.resolve().relative_to(project.repo.root))
    except ValueError:
        return read, str(path.resolve())


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start})") from None


def _count(plan: Plan) -> str:
    goals, criteria = len(plan.goals), len(plan.criteria)
    return (
        f"{goals} {'goal' if goals == 1 else 'goals'}, "
        f"{criteria} {'criterion' if criteria == 1 else 'criteria'}"
    )
