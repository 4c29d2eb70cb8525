"""Options that many verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from forsooth.core.actor import Actor
from forsooth.project import Project
from forsooth.project.persons import caller

Function = TypeVar("Function", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
which = click.option(
    "--plan",
    "plan",
    default="",
    metavar="ID",
    help="Plan to use (default: FORSOOTH_PLAN, else the work tree's plan).",
)
yes = click.option("--yes", is_flag=True, help="Do not ask; recorded as unattended.")


def grounded(function: Function) -> Function:
    """The two things every change of a plan must give."""
    for name, says in (
        ("rationale", "Why the change follows."),
        ("evidence", "What you observed."),
    ):
        function = click.option(f"--{name}", required=True, help=says)(function)
    return function


def project(*, yes: bool = False, actor: Actor | None = None) -> Project:
    """The repository this was called in."""
    return Project(Path.cwd(), actor=actor or caller(yes=yes))
