"""Answers made ready for hooks, and the plan as a file people can read.

Written under the ledger's lock after each append and never read back by this program; a hook
compares `size` with the ledger's own to know whether the answer is still the latest.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from forsooth.core.actor import Actor
from forsooth.core.assignment import quoted
from forsooth.core.cadence import due_at
from forsooth.core.gate import may_pause, over_budget
from forsooth.core.instant import moment, written
from forsooth.core.next import Block, Rest, Step, Wait, next_steps
from forsooth.core.outline import draft_text
from forsooth.core.plan import Goal
from forsooth.core.recap import recap, unproven
from forsooth.core.state import State
from forsooth.core.status import goal_status, plan_status, shown_status
from forsooth.core.why import why
from forsooth.ledger.disk import Disk
from forsooth.ledger.snapshot import replace

FORMAT = 1
_AGENT = Actor(kind="agent")
LONGEST = 400
SHOWN = 8000  # characters of a draft that a host can be asked to show
BLOCK = 1024


def answers(state: State, now: datetime) -> dict[str, Any]:
    """What hooks are asked, answered: may the agent stop, and what should it be told."""
    steps = next_steps(state, now)
    told = why(state, now)
    active = [one for one in state.live if one.attempt]
    policy = state.policy
    return {
        "v": FORMAT,
        "status": plan_status(state, now),
        "stop": not any(_holds(step) for step in steps),
        "why": quoted(told.says, LONGEST) if told else "",
        "missing": unproven(state, now),
        "recap": recap(state, now),
        "proposal": state.proposal.digest if state.proposal else "",
        "draft": _draft(state),
        "command": told.command if told else "",
        "pause": not may_pause(state, _AGENT),
        "goals": [one.goal.id for one in active],
        "touch": sorted({glob for one in active for glob in one.goal.fence.touch}),
        "never": sorted({glob for one in active for glob in one.goal.fence.never}),
        "oracles": sorted({path for one in active for path in _sealed(one.goal)}),
        "until": _until(state, now),
        "limits": {
            "holds": policy.holds,
            "holds_in_a_row": policy.holds_in_a_row,
            "cooldown": policy.cooldown,
        },
    }


def _draft(state: State) -> str:
    """What a person is shown of the draft before they seal it; nothing where it is too long."""
    if state.proposal is None:
        return ""
    text = draft_text(state.proposal, state.definition if state.sealed else None)
    return text if len(text) <= SHOWN else ""


def _holds(step: Step) -> bool:
    """Whether a step is work an agent can do now, so that stopping would leave it undone."""
    if isinstance(step, Block):
        return step.needs == "agent"
    return not isinstance(step, Wait | Rest)


def _sealed(goal: Goal) -> set[str]:
    """What a goal's criteria say they rest on, but for what its work may change."""
    named = {glob for one in goal.criteria if not one.hidden for glob in one.oracle}
    return named - set(goal.may_change)


def _until(state: State, now: datetime) -> str | None:
    """When time alone will change the answers; none when it will not."""
    waits = [b.until for one in state.live for b in one.blockers if b.until and b.holds_at(now)]
    rounds = [
        written(due_at(one.goal.cadence, one.achieved))
        for one in state.live
        if one.goal.cadence and goal_status(one, now) == "done"
    ]
    return min(waits + rounds, default=None)


def projection(state: State, now: datetime) -> dict[str, Any]:
    """The plan and where its goals stand, for people and other tools to read."""
    plan = state.definition or state.proposal
    if plan is None:
        return {}
    status = {id_: shown_status(state, one, now) for id_, one in state.goals.items()}
    goals = [{**_open(goal), "status": status.get(goal.id, "draft")} for goal in plan.goals]
    return {**plan.plain(), "goals": goals, "status": plan_status(state, now)}


def _open(goal: Goal) -> dict[str, Any]:
    """A goal as agents may read it: of what is hidden, only that it is there."""
    told = goal.plain()
    for name, rows in (("entry", goal.entry), ("criteria", goal.criteria)):
        if name in told:
            told[name] = [
                {"id": one.id, "says": one.shown, "hidden": True} if one.hidden else one.plain()
                for one in rows
            ]
    return told


class Noticeboard:
    """The two files beside a ledger.

    Most events are bookkeeping: then what the answers are made from is as it was, and only the
    position is written anew. `goals.json` is written only when it could differ.
    """

    def __init__(self, folder: Path, *, disk: Disk) -> None:
        self._now, self._goals, self._disk = folder / "now.json", folder / "goals.json", disk
        self._parts: tuple[Any, ...] = ()
        self._until: str | None = None
        self._said = b""

    def post(self, state: State, *, size: int, now: datetime) -> None:
        """Publish the state; a failure to do so loses nothing but speed."""
        parts = _parts(state)
        if parts != self._parts or (self._until and now >= moment(self._until)):
            told = answers(state, now)
            self._said = json.dumps(told, separators=(",", ":")).encode()[1:-1]
            self._parts, self._until = parts, told["until"]
            made = json.dumps(projection(state, now), indent=2, ensure_ascii=False)
            with suppress(OSError):
                replace(self._goals, made.encode() + b"\n", disk=self._disk)
        with suppress(OSError):
            place = (size, state.seq, self._said, size)
            self._overwrite(b'{"size":%d,"seq":%d,%b,"end":%d}' % place)

    def _overwrite(self, said: bytes) -> None:
        """Write `now.json` in place, padded to whole blocks.

        A rename a time would make the ledger's own fsync many times dearer. What a reader can see
        half-written does not end with the size it begins with.
        """
        fd = self._disk.open(self._now, os.O_RDWR | os.O_CREAT)
        try:
            length = max(-(-len(said) // BLOCK) * BLOCK, self._disk.stat(fd).st_size)
            self._disk.pwrite(fd, said.ljust(length), 0)
        finally:
            self._disk.close(fd)


def _parts(state: State) -> tuple[Any, ...]:
    """All that the answers are made from."""
    plan = (state.plan, state.proposal, state.goals, state.verdict, state.proof, state.policy)
    rest = (state.paused, state.dropped, state.classified, state.refused, over_budget(state))
    return (*plan, *rest, state.crumbs)
