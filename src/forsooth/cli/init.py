"""`forsooth init`: report what is found here, and write each thing once a person agrees to it."""

from __future__ import annotations

import difflib
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

from forsooth.cli import hosts, options, show
from forsooth.errors import UsageError
from forsooth.project import Agent, Change, Project, Proposal, Restored, Setup, Survey
from forsooth.project.persons import agent_present, at_terminal

UNDO = "forsooth init --undo"


@click.command()
@click.option("--undo", is_flag=True, help="Restore every byte that init changed.")
@click.option("--no-agents", is_flag=True, help="Install nothing into the agents of this machine.")
@options.yes
@options.as_json
def command(*, undo: bool, no_agents: bool, yes: bool, as_json: bool) -> int:
    """Report what is found here, and ask before each thing that is written."""
    project = options.project(yes=yes)
    if undo:
        return _undone(project, yes=yes, as_json=as_json)
    if agent_present():
        project.need_person("init")
    found, agents = project.survey(), project.agents()
    out = sys.stderr if as_json else None
    show.lines(_found(found, agents, signers=len(project.settings().signers)), to=out)
    proposal = project.proposal(found, () if no_agents else agents)
    told = _described(project, found, agents, proposal=proposal)
    show.lines(hosts.spared(proposal.setups), to=out)
    if not proposal:
        return _ended(told, "nothing to do", as_json=as_json)
    proposal = _agreed(project, proposal, yes=yes, out=out)
    if not proposal:
        _ended(told, "nothing was written", as_json=as_json)
        return 13
    done = project.install(proposal)
    told |= {"key": done.key, "written": True, "undo": UNDO}
    told |= {"hosts": [end._asdict() for end in done.hosts], "next": _next(project)}
    show.lines(hosts.settled(proposal.setups, done.hosts), to=out)
    return _ended(told, f"written; to take it back: {UNDO}", as_json=as_json)


class _Decision(NamedTuple):
    """One thing that would be written, and the question about it alone."""

    rows: list[show.Line]
    question: str
    thing: Change | Path | Setup


def _agreed(project: Project, proposal: Proposal, *, yes: bool, out: TextIO | None) -> Proposal:
    """What of it a person agrees to: each file, the key and each agent is a question of its own."""
    decisions = _decisions(project, proposal)
    if proposal.setups and not project.has_tools:
        show.lines([(f"             {hosts.NO_TOOLS}", "yellow")], to=out)
    if yes or not at_terminal():
        for decision in decisions:
            show.lines(["", *decision.rows], to=out)
        agreed("", yes=yes, verb="init")
        return proposal
    wanted: list[Change | Path | Setup] = []
    for decision in decisions:
        show.lines(["", *decision.rows], to=out)
        if agreed(decision.question, yes=yes, verb="init"):
            wanted.append(decision.thing)
    show.lines([""], to=out)
    return Proposal(
        tuple(one for one in proposal.changes if one in wanted),
        proposal.key if proposal.key in wanted else None,
        tuple(one for one in proposal.setups if one in wanted),
    )


def _decisions(project: Project, proposal: Proposal) -> list[_Decision]:
    decisions: list[_Decision] = []
    for change in proposal.changes:
        name, new = project.shown(change.path), "" if change.before.data else " (new)"
        rows: list[show.Line] = [(f"{name}{new}", "bold")]
        rows += [(f"  {line}", "green" if line[:1] == "+" else "") for line in _difference(change)]
        decisions.append(_Decision(rows, f"Write {name}?", change))
    if proposal.key:
        rows = [
            (f"{project.shown(proposal.key)} (new)", "bold"),
            "  the key that signs what is proven on this machine; it never leaves it",
            "  if you say no, the first seal or verdict creates it",
        ]
        decisions.append(_Decision(rows, "Create this key?", proposal.key))
    for setup in proposal.setups:
        if setup.is_due:
            question = f"Install the package into {setup.agent.name}?"
            decisions.append(_Decision(hosts.proposed(project, setup), question, setup))
    return decisions


def agreed(question: str, *, yes: bool, verb: str, default: bool = True) -> bool:
    """Ask where somebody can answer; an agent's shell is not asked, and the project refuses it."""
    if yes or agent_present():
        return True
    if not at_terminal():
        raise UsageError(
            f"{verb} needs a person at a terminal",
            hint=f"forsooth {verb} --yes, if this script speaks for one",
            code="no-terminal",
        )
    return click.confirm(question, default=default, err=True)


def _undone(project: Project, *, yes: bool, as_json: bool) -> int:
    done, code = Restored(), 0
    if not project.installed() and not project.leaving():
        says = "nothing to undo"
    elif not agreed("Take back what init did?", yes=yes, verb="init --undo"):
        says, code = "nothing was changed", 13
    else:
        done = project.undo()
        also = " and the package in your agents" if project.hosted() and not done.hosts else ""
        says = f"for other repositories the key{also} stays; forsooth uninstall --all removes it"
    restored = [project.shown(path) for path in done.paths]
    if as_json:
        show.data({"restored": restored, "hosts": [end._asdict() for end in done.hosts]})
    else:
        rows: list[show.Line] = [f"as it was: {name}" for name in restored]
        show.lines([*rows, *hosts.left(done.hosts), says])
    return code


def _next(project: Project) -> str:
    """Settings that are not committed would be part of what an agent delivers."""
    if project.settings().warning:
        return 'git add forsooth.toml && git commit -m "Add forsooth.toml"'
    return "forsooth status" if project.plans() else "forsooth plan BRIEF.md"


def _described(
    project: Project, found: Survey, agents: tuple[Agent, ...], *, proposal: Proposal
) -> dict[str, Any]:
    recipe, setups = found.recipe, hosts.plain(project, proposal.setups)
    return {
        "agents": [
            {**one._asdict(), "program": str(one.program), **setups.get(one.name, {})}
            for one in agents
        ],
        "tools": project.has_tools,
        "tests": list(recipe.test_command or ()),
        "environment": recipe.kind,
        "sandbox": found.tier,
        "missing": [*recipe.missing, *found.lacking],
        "signers": len(project.settings().signers),
        "changes": [
            {"path": project.shown(one.path), "diff": list(_difference(one))}
            for one in proposal.changes
        ],
        "written": False,
        "next": _next(project),
    }


def _found(found: Survey, agents: tuple[Agent, ...], *, signers: int) -> list[show.Line]:
    recipe = found.recipe
    names = ", ".join(f"{one.name} {one.version}".rstrip() for one in agents)
    tests = shlex.join(recipe.test_command) if recipe.test_command else ""
    rows: list[show.Line] = [
        f"agents       {names or 'none on the PATH'}",
        f"tests        {tests or 'none found; say how in forsooth.toml, or in each brief'}",
        f"environment  {recipe.kind} {recipe.manager}".rstrip(),
    ]
    rows += [(f"             missing: {told}", "yellow") for told in recipe.missing]
    rows += [(f"             missing: {told}", "yellow") for told in found.lacking]
    rows.append(f"sandbox      {found.tier}")
    for lack in found.lacks:
        rows.append((f"             no {lack.tier}: {lack.why}", "yellow"))
        rows.append((f"               try: {lack.fix}", "dim"))
    rows.append(f"signers      {signers or 'none listed: a receipt shows who signed it, no more'}")
    return rows


def _difference(change: Change) -> list[str]:
    """The lines that come, with the one above each; the rest of a file is nobody's business."""
    before = (change.before.data or b"").decode("utf-8", "replace").splitlines()
    after = change.after.decode("utf-8", "replace").splitlines()
    rows = [*difflib.unified_diff(before, after, lineterm="", n=1)][2:]
    pairs = zip(rows, [*rows[1:], ""], strict=True)
    return [row for row, below in pairs if row[0] == "+" or (row[0] == " " and below[:1] == "+")]


def _ended(told: dict[str, Any], says: str, *, as_json: bool) -> int:
    if as_json:
        show.data(told)
        return 0
    rows: list[show.Line] = [says]
    if told.get("key"):
        rows.append(f"this machine signs as {told['key']}")
    show.lines([*rows, f"next: {told['next']}"])
    return 0
