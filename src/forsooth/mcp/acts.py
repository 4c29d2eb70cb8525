"""What each tool does, in the words of the project, and what it answers.

The data is what the verb of the same name prints with --json; the text is the short of it for a
model. Nothing here knows the protocol, so the same acts run in the server and in its workers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.core.actor import Actor
from forsooth.core.amendment import Add, Reorder, Reword, Split, Supersede
from forsooth.core.blocker import kind_of
from forsooth.core.gate import Reason
from forsooth.core.ground import Baseline
from forsooth.core.outline import difference, outline, plain
from forsooth.core.verdict import Finding
from forsooth.errors import CouldNotVerify, ForsoothError, Refused, UsageError
from forsooth.mcp import text
from forsooth.project import Approval, Project, persons, telling

LONG = ("check", "done", "seal")
_CHANGES = {one.__name__.lower(): one for one in (Add, Split, Reorder, Reword, Supersede)}
Tell = Callable[[str], None]
Given = Mapping[str, Any]


class Told(NamedTuple):
    """What a tool answers: data as the command line gives it, and its short text."""

    data: dict[str, Any]
    text: str
    failed: bool = False


class Asked(NamedTuple):
    """One call: which act, with what, where, and what the client that calls is named.

    It does not say who acts: a client is an agent, and whose word a seal is, the process finds out.
    """

    act: str
    given: Given
    folder: str
    client: str


def perform(asked: Asked, tell: Tell = lambda _: None) -> Told:
    """Do what was asked; a refusal is an answer like any other, with the next command in it."""
    try:
        actor = persons.answered() if asked.act == "seal" else agent(asked.client)
        project = Project(Path(asked.folder), actor=actor)
        told = _ACTS[asked.act](project, asked.given, tell)
    except ForsoothError as error:
        return failure(error)
    except OSError as error:
        says = f"{error.filename or 'a file'}: {error.strerror or error}"
        return failure(CouldNotVerify(says, code="io"))
    # What a client gets is what the command line would have printed, to the byte.
    return told._replace(data=json.loads(json.dumps(told.data)))


def agent(client: str) -> Actor:
    """The agent that a client is."""
    return Actor(kind="agent", name=client, channel="mcp")


def failure(error: ForsoothError) -> Told:
    """An error as an answer."""
    data = json.loads(json.dumps(telling.failure(error)))
    return Told(data, text.failure(data["error"]), failed=True)


def _plan(project: Project, given: Given, _: Tell) -> Told:
    draft = {"plan": given.get("plan", ""), "fresh": given.get("new", False)}
    made = project.draft(given["brief"], **draft)
    command = project.after_draft(made)
    data = telling.drafted(made, command=command)
    rows = outline(made.plan)  # the whole of it: nobody seals what they did not see
    if command.startswith(text.SEAL):
        rows += project.sealing(made.plan.id).cautions
    if made.changes and not made.is_new:
        rows += ["changes:", *difference(made.changes)]
    return Told(data, text.drafted(data, plain(rows)))


def _status(project: Project, given: Given, _: Tell) -> Told:
    try:
        plan = project.which(given.get("plan", ""))
    except UsageError as error:
        if error.code != "no-plan":
            raise
        data = telling.nothing(command=project.begin_command, has_receipts=project.has_receipts())
    else:
        data = standing(project, plan)
    return Told(data, text.standing(data))


def standing(project: Project, plan: str) -> dict[str, Any]:
    """Where a plan stands."""
    state, now = project.state(plan), project.now()
    since = project.changed_since(state)
    sealing = project.seal_told(plan, state) or telling.moved_on(state, now, since)
    unheard = project.unheard(plan, state)
    return telling.standing(plan, state, now, sealing=sealing, since=since, unheard=unheard)


def _next(project: Project, given: Given, _: Tell) -> Told:
    plan = project.which(given.get("plan", ""))
    wanted = {"goal": given.get("goal", ""), "retry_failed": given.get("retry_failed", False)}
    handed = project.hand_out(plan, **wanted)
    data = telling.handed(plan, handed)
    return Told(data, text.handed(data, handed.assignment, token=handed.token))


def _check(project: Project, given: Given, tell: Tell) -> Told:
    plan = project.which(given.get("plan", ""))
    goal, fresh = given.get("goal", ""), given.get("fresh", False)
    found = project.check(plan, goal=goal, fresh=fresh, progress=_finding(tell))
    broke = {criterion: one._asdict() for criterion, one in project.blames(plan, found).items()}
    data = telling.checked(plan, found, broke) | {"differs": project.differences(plan, found)}
    return Told(data, text.judged(data))


def _done(project: Project, given: Given, tell: Tell) -> Told:
    plan, goal = project.which(given.get("plan", "")), given["goal"]
    if given.get("commit_message"):
        message, token = given["commit_message"], given.get("token", "")
        tell(project.commit_for(plan, goal, message, token=token))
    found = project.claim(
        plan,
        goal,
        token=given.get("token", ""),
        summary=given.get("summary", ""),
        progress=_finding(tell),
    )
    data = telling.claimed(plan, goal, found) | {"differs": project.differences(plan, found)}
    return Told(data, text.judged(data))


def _block(project: Project, given: Given, _: Tell) -> Told:
    plan, needs = project.which(given.get("plan", "")), given.get("needs", "agent")
    outcome = project.block(
        plan,
        given["goal"],
        needs=needs,
        why=given["why"],
        kind=kind_of(needs, failed=given.get("failed", False)),
        evidence=given.get("evidence", ""),
        until=given.get("until"),
    )
    data = telling.blocked(plan, outcome)
    return Told(data, text.blocked(data))


def _steer(project: Project, given: Given, _: Tell) -> Told:
    change, grounds = given["change"], {k: given[k] for k in ("evidence", "rationale")}
    if change == "note":
        plan = project.which(given.get("plan", ""))
        data = telling.noted(plan, project.note(plan, given.get("text", ""), **grounds))
        return Told(data, f"noted at #{data['seq']}")
    amendment = project.amendment(_CHANGES[change], grounds | _change(project, given))
    plan = project.which(given.get("plan", ""))
    data = telling.steered(plan, project.steer(plan, amendment))
    return Told(data, text.steered(data))


def _change(project: Project, given: Given) -> dict[str, Any]:
    """What a change is made of, under the names its own form has."""
    told = {name: given[name] for name in _PARTS[given["change"]] if name in given}
    if given["change"] != "add":
        return told
    sentences = given.get("criterion", ())
    criteria = project.criteria(sentences) if sentences else ()
    return {**told, "depends_on": given.get("after", ()), "criteria": criteria}


_PARTS = {
    "add": ("title", "objective"),
    "split": ("goal", "pieces"),
    "reorder": ("order",),
    "reword": ("goal", "title", "objective"),
    "supersede": ("goal",),
}


def _seal(project: Project, given: Given, tell: Tell) -> Told:
    """Seal what a person approved; no tool leads here, only an answer the client relayed."""
    if not project.actor.is_person:
        says = "only a person may seal a plan"
        raise Refused((Reason("not-a-person", says, "ask a person: forsooth seal"),))
    approval = Approval(given["plan"], given["proposal"])
    outcome = project.approve(approval, progress=_baseline(tell))
    data = telling.sealed(approval.plan, outcome.state)
    return Told(data, f"sealed {approval.plan}: the person agreed\nnext: {data['next']}")


def _finding(tell: Tell) -> Callable[[Finding], None]:
    return lambda one: tell(f"{one.criterion} {one.outcome}")


def _baseline(tell: Tell) -> Callable[[Baseline], None]:
    return lambda one: tell(f"{one.criterion} on the base: {one.red or 'passes'}")


_ACTS: Mapping[str, Callable[[Project, Given, Tell], Told]] = {
    "plan": _plan,
    "status": _status,
    "next": _next,
    "check": _check,
    "done": _done,
    "block": _block,
    "steer": _steer,
    "seal": _seal,
}
