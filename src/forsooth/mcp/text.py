"""Answers in few words, for a model to read.

What came from a run is data: quoted, on one line and capped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from forsooth.core.assignment import Assignment, quoted, render
from forsooth.core.strength import NOT_CHECKED, proven

Data = Mapping[str, Any]
SEAL = "forsooth seal"
ASK = "Show this to the person. They edit it, or type `seal`."
OTHER = "Show this to the person. They edit it, or run `{}` in a terminal."


def failure(error: Data) -> str:
    """What went wrong and what to do, every reason and defect at once."""
    rows = [
        f"{one['says']} [{one['code']}]" + (f"\n  try: {one['hint']}" if one["hint"] else "")
        for one in _all(error, "reasons")
    ]
    rows += [
        f"line {one['line']}: {one['says']} [{one['code']}]\n  try: {one['fix']}"
        for one in _all(error, "defects")
    ]
    if not error.get("reasons"):
        rows.insert(0, str(error["message"]))
    else:
        rows.insert(0, "refused:")
    if error.get("hint"):
        rows.append(f"try: {error['hint']}")
    return "\n".join(rows)


def _all(data: Data, name: str) -> Iterable[Data]:
    return data.get(name, ())


def drafted(data: Data, outline: str) -> str:
    """A draft as the person is to see it, and that only they can seal it."""
    plan = data["plan"]["id"]
    what = "unchanged" if data["same"] else ("draft" if data["new"] else "new draft of")
    rows = [f"{what} {plan}", outline]
    if data["bound"] != plan:
        rows.append(f"this work tree still means {data['bound']}, which a person sealed")
    return "\n".join([*rows, "", _after(str(data["next"]))])


def _after(command: str) -> str:
    """A typed `seal` is about the plan that this work tree means, and no other."""
    if command == SEAL:
        return ASK
    return OTHER.format(command) if command.startswith(SEAL) else f"next: {command}"


def standing(data: Data) -> str:
    """Where the plan stands."""
    plan, rows = data["plan"], list[str]()
    if plan:
        rows.append(f"plan {plan['id']} {plan['status']}")
    for goal in data["goals"]:
        notes = [f"needs {one['needs']}: {quoted(one['why'])}" for one in goal["blockers"]]
        notes += ["weak contract"] if goal["contract"] == "weak" else []
        rows.append("; ".join([f"{goal['id']} {goal['status']}: {goal['title']}", *notes]))
        if goal["status"] not in ("done", "superseded"):
            rows += [f"  {one['id']} {one['status']}: {one['says']}" for one in goal["criteria"]]
    return "\n".join([*rows, *_next(data["next"])])


def _next(told: Data | None) -> list[str]:
    return [str(told["says"]), f"next: {told['command']}"] if told else []


def handed(data: Data, told: Assignment | None, *, token: str) -> str:
    """The assignment, with tools in the place of commands."""
    if told is None:
        return "\n".join(_next(data["next"]))
    given = {"goal": told.goal, **({"token": token} if token else {})}
    blocked = {"goal": told.goal, "needs": "agent|environment|human|time", "why": "…"}
    rows = [
        render(
            told._replace(
                done=f"done {json.dumps(given)}",
                blocked=f"block {json.dumps(blocked, ensure_ascii=False)}",
            )
        )
    ]
    if data["holder"]:
        rows.append(f"{data['holder']} opened {told.attempt}; nobody else may claim it")
    return "\n".join(rows)


def judged(data: Data) -> str:
    """What holds, what does not and what to do about it."""
    findings = data["findings"]
    rows: list[str] = []
    for one in findings:
        if one["outcome"] == "pass":
            continue
        rows.append(f"{one['criterion']} {one.get('code', '')}: {quoted(one.get('reason', ''))}")
        rows += [f"  try: {one['action']}"] if one["action"] else []
        rows += [f"  note: {note}" for note in data.get("differs", {}).get(one["criterion"], ())]
        if one["criterion"] in data.get("broke", {}):
            rows.append(f"  {data['broke'][one['criterion']]['says']}")
    passed = sum(one["outcome"] == "pass" for one in findings)
    word = proven(weak=data["contract"] == "weak") if data["receipt"] else data["outcome"]
    rows.append(f"{data['subject']} {word}: {passed} of {len(findings)} hold")
    if "goal" not in data:
        rows.append(f"not run by check: {', '.join(NOT_CHECKED)}; done runs them")
    rows += [f"for the person's eyes: {flag}" for flag in data["flags"]]
    if data["uncommitted"]:
        names = ", ".join(data["uncommitted"][:5])
        rows.append(f"not committed, so not delivered: {names}; done takes commit_message")
    return "\n".join([*rows, *_receipt(data)])


def _receipt(data: Data) -> list[str]:
    if data["plan_receipt"]:
        word = proven(weak=data["plan_contract"] == "weak")
        return [f"the plan is {word}: tell the person; they can run forsooth verify"]
    if not data["receipt"]:
        return []
    away = [
        f"{one['goal']} is proven at {one['commit'] or 'another work tree'}: merge it here, "
        "then done again"
        for one in data["absent"]
    ]
    return [f"receipt: forsooth://receipt/{data['goal']}", *away, "next: next"]


def blocked(data: Data) -> str:
    """An obstacle as recorded."""
    one = data["blocker"]
    return f"{one['id']} on {one['goal']}: needs {one['needs']}: {one['why']}\nnext: next"


def steered(data: Data) -> str:
    """A change as recorded."""
    made = [f"+ {goal['id']} {goal['title']}" for goal in data["goals"]]
    return "\n".join([f"recorded at #{data['seq']}", *made, "next: next"])
