"""`forsooth log`: the events of a plan."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click

from forsooth.cli import options, show
from forsooth.core.assignment import quoted
from forsooth.core.event import Event, Unknown
from forsooth.core.status import weak_goals

ABOUT = ("attempt", "goal", "criterion", "reason", "text")
LONGEST = 90


@click.command()
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1),
    default=20,
    metavar="N",
    help="Number of events to show (default 20).",
)
@click.option("--all", "everything", is_flag=True, help="Show every event.")
@options.which
@options.as_json
def command(*, limit: int, everything: bool, plan: str, as_json: bool) -> None:
    """List the last events, oldest first; with --json, one object per line."""
    project = options.project()
    id_ = project.which(plan)
    weak = weak_goals(project.state(id_))
    for event in project.events(id_, last=0 if everything else limit):
        if as_json:
            show.row(described(event))
        else:
            show.lines([_row(event, weak)])


def described(event: Event) -> dict[str, Any]:
    """An event as data."""
    fact = event.fact
    told = fact.data if isinstance(fact, Unknown) else fact.plain()
    return {
        "seq": event.seq,
        "at": event.at,
        "by": event.by.plain(),
        "kind": event.kind,
        "data": told,
    }


def _row(event: Event, weak: Collection[str]) -> str:
    by = event.by
    who = by.kind if not by.name else f"{by.kind} {by.name}"
    channel = f" ({by.channel})" if by.channel else ""
    when = f"#{event.seq:<3} {event.at[:19]}Z"
    return f"{when}  {event.kind:15}  {who + channel:20}  {_about(event, weak)}".rstrip()


def _about(event: Event, weak: Collection[str]) -> str:
    if isinstance(event.fact, Unknown):
        return "not understood by this version; kept as it is"
    told = event.fact.plain()
    match event.kind:
        case "blocker.raised":
            one = told["blocker"]
            return _said(f"{one['id']} on {one['goal']}, needs {one['needs']}", one["why"])
        case "blocker.cleared":
            return _said(f"{told['blocker']} on {told['goal']}", told.get("reason", ""))
        case "plan.amended":
            return _amended(told)
        case "command.refused":
            return _said(f"{told['command']} {told.get('goal', '')}", ", ".join(told["codes"]))
        case "plan.created":
            return f"{len(told['plan'].get('goals', ()))} goals"
        case "plan.sealed":
            return f"digest {told['plan_digest'][:16]}"
        case "verdict.given" | "receipt.issued":
            inner = told["verdict" if event.kind == "verdict.given" else "receipt"]
            subject = str(inner["subject"])
            is_weak = subject in weak or (subject == "plan" and weak)
            return f"{subject} (weak contract)" if is_weak else subject
        case _:
            parts = [str(told[name]) for name in ABOUT if name in told]
            parts[1:2] = [] if "attempt" in told else parts[1:2]  # whose goal its name says
            return _said(parts[0], " ".join(parts[1:])) if parts else ""


def _amended(told: dict[str, Any]) -> str:
    change = told["amendment"]
    made = ", ".join(goal["id"] for goal in told.get("goals", ()))
    of = change.get("goal", "") or ", ".join(change.get("order", ()))
    what = f"{change['kind']} {of} into {made}" if of and made else f"{change['kind']} {of or made}"
    return _said(what, change["rationale"])


def _said(what: str, why: str) -> str:
    return quoted(f"{what.strip()}: {why}" if why else what.strip(), LONGEST)
