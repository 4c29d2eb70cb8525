"""The seven tools as agents see them, and whether what they were given fits.

A client loads every word of this into its model's context, so there are few.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from forsooth.errors import UsageError

_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "boolean": (bool,), "array": (list,)}
_TEXT = {"type": "string"}
_SWITCH = {"type": "boolean"}
_IDS = {"type": "array", "items": _TEXT}
_GOAL = {"type": "string", "description": "Its id, such as G001."}
_PLAN = {"plan": {"type": "string", "description": "Which plan; usually left out."}}
_PIECE = {
    "type": "object",
    "properties": {"title": _TEXT, "objective": _TEXT, "criteria": _IDS},
    "required": ["title", "objective"],
}


class Tool(NamedTuple):
    """One tool: what it says of itself and what it takes."""

    name: str
    title: str
    says: str
    takes: Mapping[str, Mapping[str, Any]]
    needs: tuple[str, ...] = ()
    reads: bool = False
    again: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """What it takes, as JSON Schema."""
        made: dict[str, Any] = {"type": "object", "properties": {**self.takes, **_PLAN}}
        if self.needs:
            made["required"] = list(self.needs)
        return {**made, "additionalProperties": False}


TOOLS = (
    Tool(
        "plan",
        "Propose a plan",
        "Draft a plan from a brief, or replace the draft. Every defect comes back at once. A brief "
        "is Markdown: `@goal: TITLE`, a sentence, then criteria, each `- [ ] ` and one of: "
        'label: `command`; label: `command` exits 2, stderr has "text"; FILE contains "text"; '
        "only src/** and tests/** change; stays green: `command`; a person agrees: what. A line "
        "`May change: FILE` lets a goal edit that test. A feature "
        "needs a criterion that fails today. Only the person can seal it: show it to them.",
        {
            "brief": {"type": "string", "description": "The whole brief."},
            "ask": {"type": "boolean", "description": "Ask the person to seal it now."},
            "new": {"type": "boolean", "description": "Another plan beside the live one."},
        },
        ("brief",),
        again=True,
    ),
    Tool(
        "status",
        "Where things stand",
        "Goals, criteria, blockers, and what comes next.",
        {},
        reads=True,
        again=True,
    ),
    Tool(
        "next",
        "Take the next attempt",
        "Begin, or show again, the attempt that is next: objective, criteria, allowed paths, "
        "permissions, token.",
        {"goal": _GOAL, "retry_failed": _SWITCH},
        again=True,
    ),
    Tool(
        "check",
        "Judge now, claim nothing",
        "Run the criteria on a clean copy. Without a goal: all of them.",
        {"goal": _GOAL, "fresh": {"type": "boolean", "description": "Reuse no earlier finding."}},
        again=True,
    ),
    Tool(
        "done",
        "Claim a goal",
        "Claim that a goal is met. The judge runs every criterion on a clean copy; a pass gives a "
        "receipt, anything else every reason why not.",
        {
            "goal": _GOAL,
            "token": {"type": "string", "description": "As `next` gave it."},
            "summary": {"type": "string", "description": "What was done, in a sentence."},
            "commit_message": {
                "type": "string",
                "description": "First commit the work, where you cannot.",
            },
        },
        ("goal",),
    ),
    Tool(
        "block",
        "Say what stands in the way",
        "Record why a goal cannot go on and who must act; the others go on.",
        {
            "goal": _GOAL,
            "needs": {"type": "string", "enum": ["agent", "environment", "human", "time"]},
            "why": _TEXT,
            "evidence": _TEXT,
            "until": {"type": "string", "description": "RFC 3339, UTC."},
            "failed": {"type": "boolean", "description": "Give this attempt up."},
        },
        ("goal", "why"),
    ),
    Tool(
        "steer",
        "Change the plan",
        "An evidenced change; nothing required is lost. add: title, objective, after, criterion. "
        "split: goal, pieces. reorder: order. reword: goal, title, objective. supersede: goal. "
        "note: text.",
        {
            "change": {
                "type": "string",
                "enum": ["add", "split", "reorder", "reword", "supersede", "note"],
            },
            "evidence": {"type": "string", "description": "What was seen."},
            "rationale": {"type": "string", "description": "Why the change follows."},
            "goal": _GOAL,
            "title": _TEXT,
            "objective": _TEXT,
            "text": _TEXT,
            "after": _IDS,
            "criterion": _IDS,
            "order": _IDS,
            "pieces": {"type": "array", "items": _PIECE},
        },
        ("change", "evidence", "rationale"),
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}


def fitting(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool was given, if it is what the tool takes; every misfit is told at once."""
    wrong = [*_misfits(tool, given)]
    if wrong:
        takes = ", ".join(tool.schema["properties"])
        raise UsageError(f"{tool.name}: {'; '.join(wrong)}", hint=f"{tool.name} takes {takes}")
    return {name: value for name, value in given.items() if value is not None}


def _misfits(tool: Tool, given: Mapping[str, Any]) -> Iterator[str]:
    known = tool.schema["properties"]
    yield from (f"`{name}` is missing" for name in tool.needs if given.get(name) in (None, ""))
    for name, value in given.items():
        if name not in known:
            yield f"there is no `{name}`"
        elif value is not None:
            yield from _misfit(name, value, known[name])


def _misfit(name: str, value: Any, wanted: Mapping[str, Any]) -> Iterator[str]:
    kind = wanted["type"]
    if not isinstance(value, _TYPES[kind]):
        yield f"`{name}` is not of type {kind}"
    elif "enum" in wanted and value not in wanted["enum"]:
        yield f"`{name}` is one of {', '.join(wanted['enum'])}"
    elif wanted.get("items") == _TEXT and not all(isinstance(one, str) for one in value):
        yield f"`{name}` is a list of strings"
