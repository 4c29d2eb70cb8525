"""`forsooth trust`: a person allows this repository's commands, after seeing each."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable

import click

from forsooth.cli import consent, options, show
from forsooth.errors import UsageError
from forsooth.project import Project, Trust, Wish
from forsooth.project.persons import agent_present, at_terminal


@click.command()
@click.argument("range_", metavar="[RANGE]", default="")
@click.option("--list", "listed", is_flag=True, help="List what is allowed; change nothing.")
@click.option("--revoke", is_flag=True, help="Withdraw every permission for this repository.")
@options.yes
@options.as_json
def command(*, range_: str, listed: bool, revoke: bool, yes: bool, as_json: bool) -> int:
    """Show every command of this repository that a verb would run, and allow them.

    With RANGE, as in `forsooth check`, include the commands of both its ends.
    """
    project = options.project(yes=yes)
    if revoke:
        return _revoked(project, as_json=as_json)
    if listed:
        return _listed(project.trusted(), as_json=as_json)
    wishes = project.may_run(project.ends(range_))
    wanted = project.untrusted(dict.fromkeys(wish.argv for wish in wishes))
    if not wanted and project.trusted():
        return _told(wishes, allowed=True, says="nothing new to allow", as_json=as_json)
    asks = not yes and not agent_present()
    if asks and not at_terminal():
        raise UsageError(
            "trust needs a person at a terminal",
            hint="forsooth trust --yes, if this script speaks for one",
            code="no-terminal",
        )
    if asks and not confirmed(project, wishes, wanted):
        return _told((), allowed=False, says="nothing was allowed", as_json=as_json)
    project.trust((wish.argv for wish in wishes), channel=project.actor.channel)
    return _told(wishes, allowed=True, says="these may run here", as_json=as_json)


def confirmed(project: Project, wishes: Iterable[Wish], new: Iterable[tuple[str, ...]]) -> bool:
    """Show what would run and ask; the answer is no unless somebody says yes."""
    found = tuple(wishes)
    show.lines([("these commands of this repository would run:", "bold")], to=sys.stderr)
    show.lines(rows(found, new=frozenset(new)), to=sys.stderr)
    prepares = any(wish.what == "prepare" for wish in found)
    online = prepares and project.settings().policy.prepare_network
    return consent.confirmed("Allow them?", project.sandbox_tier(), prepare_network=online)


def rows(
    wishes: Iterable[Wish], *, new: frozenset[tuple[str, ...]] = frozenset()
) -> list[show.Line]:
    """One line a command, with what it is for."""
    return [
        (f"  {wish.what:<10} {shlex.join(wish.argv)}", "yellow" if wish.argv in new else "")
        for wish in wishes
    ]


def _told(wishes: tuple[Wish, ...], *, allowed: bool, says: str, as_json: bool) -> int:
    if as_json:
        argvs = [{"what": wish.what, "argv": list(wish.argv)} for wish in wishes]
        show.data({"trusted": allowed, "argvs": argvs})
    else:
        show.lines([*rows(wishes), says])
    return 0 if allowed else 13


def _listed(found: Trust | None, *, as_json: bool) -> int:
    if as_json:
        known = {**found._asdict(), "told": dict(found.told)} if found else None
        show.data({"trust": known})
    elif found is None:
        show.lines(["nothing of this repository may run", "next: forsooth trust"])
    else:
        show.lines([f"allowed {found.at} ({found.channel}) in {found.path}:"])
        show.lines([f"  {shlex.join(argv)}" for argv in found.argvs])
        show.lines([(f"  {change} since", "yellow") for change in found.changed])
    return 0


def _revoked(project: Project, *, as_json: bool) -> int:
    gone = project.revoke()
    if as_json:
        show.data({"revoked": gone})
    else:
        show.lines(["nothing of this repository may run" if gone else "nothing was allowed here"])
    return 0
