"""`forsooth uninstall`: remove everything Forsooth keeps, after listing it; the work stays."""

from __future__ import annotations

import sys

import click

from forsooth.cli import hosts, options, show
from forsooth.cli.init import agreed
from forsooth.project import Going, Project

PROGRAM = "to remove the program itself: uv tool uninstall forsooth, or pip uninstall forsooth"


@click.command()
@click.option("--all", "everywhere", is_flag=True, help="Apply to all repositories of this user.")
@click.option("--receipts", is_flag=True, help="Remove the receipts too.")
@options.yes
@options.as_json
def command(*, everywhere: bool, receipts: bool, yes: bool, as_json: bool) -> int:
    """Undo init and remove what Forsooth keeps for this repository, after listing it."""
    project = options.project(yes=yes)
    going = project.going(everywhere=everywhere, receipts=receipts)
    if not going:
        return _told(project, going, "nothing of Forsooth is here", as_json=as_json, gone=False)
    show.lines(_listed(project, going, receipts=receipts), to=sys.stderr if as_json else None)
    if not agreed("Remove all this?", yes=yes, verb="uninstall", default=False):
        _told(project, going, "nothing was removed", as_json=as_json, gone=False)
        return 13
    going = project.uninstall(everywhere=everywhere, receipts=receipts)
    return _told(project, going, "removed", as_json=as_json, gone=True)


def _listed(project: Project, going: Going, *, receipts: bool) -> list[show.Line]:
    rows: list[show.Line] = [f"as before init  {project.shown(path)}" for path in going.restored]
    rows += [
        (f"goes            {project.shown(one.path)}  ({one.what})", "yellow")
        for one in going.removed
    ]
    rows += [(f"goes            the Forsooth package in {name}", "yellow") for name in going.hosts]
    rows += [f"stays           {project.shown(path)}, edited since" for path in going.edited]
    if going.receipts and not receipts:
        rows.append("stays           refs/forsooth/receipts; with --receipts it goes too")
    return rows


def _told(project: Project, going: Going, says: str, *, as_json: bool, gone: bool) -> int:
    if as_json:
        show.data(
            {
                "removed": [project.shown(one.path) for one in going.removed],
                "restored": [project.shown(path) for path in going.restored],
                "kept": [project.shown(path) for path in going.edited],
                "hosts": [end._asdict() for end in going.ends],
                "gone": gone,
            }
        )
        return 0
    show.lines([*hosts.left(going.ends), says, *([PROGRAM] if gone else [])])
    return 0
