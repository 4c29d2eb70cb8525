"""`forsooth doctor`: the sandbox, tools and agents found here, and what is missing."""

from __future__ import annotations

import shlex
from typing import Any

import click

from forsooth.cli import hosts, options, show
from forsooth.project import Cost, Health, Survey


@click.command()
@options.as_json
def command(*, as_json: bool) -> None:
    """Report the sandbox, the tools and the agents found here; runs nothing of the repository."""
    project = options.project()
    found = project.survey()
    if not as_json:
        show.lines(_judging(found))
    health, cost = project.health(), project.hook_cost()
    if as_json:
        show.data({**_plain(found), **_hosts(health, cost), "mcp": project.has_tools})
        return
    rows = _agents(health)
    if cost:
        when = "while there is no plan" if cost.is_idle else "with a plan open"
        rows.append(
            f"hooks        one takes {cost.ratio:.2f} times as long as starting Python, {when}"
        )
    if not project.has_tools:
        rows.append((f"tools        {hosts.NO_TOOLS}", "yellow"))
    show.lines(rows)


def _plain(found: Survey) -> dict[str, Any]:
    return {
        "isolation": found.tier,
        "notes": list(found.notes),
        "lacks": [lack._asdict() for lack in found.lacks],
        "environment": found.recipe.plain(),
        "tools": list(found.tools),
        "lacking": list(found.lacking),
        "packages": [one._asdict() for one in found.packages],
        "cache": str(found.cache),
    }


def _hosts(health: tuple[Health, ...], cost: Cost | None) -> dict[str, Any]:
    rows = [
        {
            "name": one.agent.name,
            "version": one.agent.version,
            "package": one.package,
            **one.seen._asdict(),
            "problems": list(one.problems),
        }
        for one in health
    ]
    return {"hosts": rows, "hook_cost": cost._asdict() if cost else None}


def _judging(found: Survey) -> list[show.Line]:
    recipe = found.recipe
    rows: list[show.Line] = [(f"sandbox      {found.tier}", "bold")]
    rows += [f"             {note}" for note in found.notes]
    for lack in found.lacks:
        rows.append((f"             no {lack.tier}: {lack.why}", "yellow"))
        rows.append(f"               try: {lack.fix}")
    rows.append((f"environment  {recipe.kind} {recipe.manager}".rstrip(), "bold"))
    rows += [f"             {told}" for told in recipe.explains]
    rows += [(f"             missing: {told}", "yellow") for told in recipe.missing]
    rows += [f"             {told}" for told in found.tools]
    rows += [(f"             missing: {told}", "yellow") for told in found.lacking]
    if recipe.test_command:
        rows.append(f"tests        {shlex.join(recipe.test_command)}")
    for number, one in enumerate(found.packages):
        name = f" ({one.name})" if one.name else ""
        uses = f", depends on {', '.join(path or '.' for path in one.depends)}"
        label = "packages" if not number else ""
        rows.append(f"{label:<12} {one.path or '.'}{name}{uses if one.depends else ''}")
    rows.append(f"cache        {found.cache}")
    return rows


PACKAGE = {
    "installed": "has the Forsooth package",
    "yours": "has the Forsooth package, installed by you",
    "absent": "has no Forsooth package: forsooth init",
    "unknown": "did not report whether it has the Forsooth package",
}


def _agents(health: tuple[Health, ...]) -> list[show.Line]:
    rows: list[show.Line] = []
    for one in health:
        name = f"{one.agent.name} {one.agent.version}".rstrip()
        rows.append((f"agent        {name} {PACKAGE[one.package]}", "bold"))
        seen = one.seen
        if seen.sessions:
            count = f"{seen.sessions} session{'' if seen.sessions == 1 else 's'}"
            held = f"; {seen.holds} turn{'' if seen.holds == 1 else 's'} held" if seen.holds else ""
            rows.append(f"             hooks ran here in {count}, last {seen.last}{held}")
        elif one.package in ("installed", "yours"):
            rows.append("             its hooks have not run here yet")
        if seen.gave_way:
            times = f"{seen.gave_way} time{'' if seen.gave_way == 1 else 's'}"
            failed = f"hooks failed {times} and let the agent continue"
            rows.append((f"             {failed}, last: {seen.why}", "yellow"))
        rows += [(f"             {told}", "yellow") for told in one.problems]
    return rows
