"""Agents on the screen: what `init` would do to each, and how that went."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

from forsooth.cli import show
from forsooth.project import Ended, Project, Setup
from forsooth.project.hosting import THERE

NO_TOOLS = "agents get no Forsooth tools: pip install 'forsooth[mcp]', then forsooth init again"


def proposed(project: Project, setup: Setup) -> list[show.Line]:
    """What would be done to one agent."""
    rows: list[show.Line] = [
        (f"{setup.agent.name}: the Forsooth package, for you in every repository", "bold")
    ]
    rows += [(f"  {line}", "green") for line in _commands(project, setup)]
    return [*rows, f"  {setup.note}"] if setup.note else rows


def spared(setups: Iterable[Setup]) -> list[show.Line]:
    """Agents to which nothing is done although they lack our package from us, and why."""
    return [
        (f"             {one.agent.name} is left alone: {one.note}", "yellow")
        for one in setups
        if not one.is_due and one.note != THERE
    ]


def settled(setups: Iterable[Setup], ends: Iterable[Ended]) -> list[show.Line]:
    """How it went with each agent, and what is left for the person to do."""
    notes = {one.agent.name: one.note for one in setups}
    rows: list[show.Line] = []
    for end in ends:
        note = f"; {notes[end.host]}" if notes.get(end.host) else ""
        rows.append(
            (f"{end.host} was not set up: {end.why}", "yellow")
            if end.why
            else f"{end.host} has the Forsooth package{note}"
        )
    return rows


def left(ends: Iterable[Ended]) -> list[show.Line]:
    """Which agents our package has left."""
    return [
        (f"{end.host} still has the Forsooth package: {end.why}", "yellow")
        if end.why
        else f"{end.host} no longer has the Forsooth package"
        for end in ends
    ]


def plain(project: Project, setups: Iterable[Setup]) -> dict[str, dict[str, Any]]:
    """What would be done, by the agent's name."""
    return {
        one.agent.name: {
            "due": one.is_due,
            "does": _commands(project, one) if one.is_due else [],
            "note": one.note,
        }
        for one in setups
    }


def _commands(project: Project, one: Setup) -> list[str]:
    tree = str(project.packages)
    steps = [
        shlex.join([one.agent.name, *(word.replace("{tree}", tree) for word in words)])
        for words in one.steps
    ]
    place = f"write {project.shown(one.file or project.packages)}"
    return steps or [place]
