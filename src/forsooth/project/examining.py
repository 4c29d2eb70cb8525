"""How our package fares in each agent of this machine; everything is read, nothing is mended."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.hooks.log import FAILED
from forsooth.project.hosting import Hosting, each
from forsooth.project.meeting import Agent

RUNS = 9
OFF = "disableAllHooks"
TRUST = "start codex, type /hooks, and read them"


class Seen(NamedTuple):
    """What a host's hooks left in this repository: sessions, holds, and when they gave way."""

    sessions: int = 0
    last: str = ""
    holds: int = 0
    gave_way: int = 0
    why: str = ""  # the last time they did


class Health(NamedTuple):
    """One agent, our package in it, and what is wrong with that."""

    agent: Agent
    package: str  # installed, yours, absent or unknown
    seen: Seen
    problems: tuple[str, ...] = ()


class Cost(NamedTuple):
    """What one hook costs here, in starts of a bare interpreter."""

    ratio: float
    is_idle: bool


class Examining(Hosting):
    """A look at the agents."""

    def health(self) -> tuple[Health, ...]:
        """Every agent found, all asked at once."""
        return each(self._health, self.agents())

    def _health(self, agent: Agent) -> Health:
        package, problems = self._package(agent)
        if package == "installed" and self.is_stale():
            problems.append("its package is of another version or place: forsooth init")
        if package == "installed" and agent.name == "codex":
            problems += self._untrusted(agent)
        if agent.name == "claude":
            problems += [f"hooks are off: {OFF} in {self.shown(one)}" for one in self._off()]
        return Health(agent, package, self._seen(agent.name), tuple(problems))

    def _package(self, agent: Agent) -> tuple[str, list[str]]:
        """Whose package an agent has, if any, and whether it is switched on."""
        if agent.name == "opencode":
            cannot = "opencode lets no plugin hold the end of a turn: a false “done” is only shown"
            return ("installed", [cannot]) if self.has_pointer() else ("absent", [])
        from forsooth.agents.hosts import Failed

        try:
            found = self.asked(agent.name, agent.program).found()
        except Failed as failed:
            return "unknown", [f"it could not be asked: {failed}"]
        if not found:
            return "absent", []
        is_ours = Path(found[0].folder) == self.packages / "plugins" / agent.name
        return "installed" if is_ours else "yours", [] if found[0].is_on else ["it is switched off"]

    def _untrusted(self, agent: Agent) -> list[str]:
        from forsooth.agents import trust

        hooks = trust.hooks(agent.program, self.repo.root, env=dict(os.environ))
        if hooks is None:
            return ["codex did not say whether its hooks are trusted"]
        asleep = [one for one in hooks if not one.runs]
        told = f"{len(asleep)} of {len(hooks)} hooks do not run until you trust them: {TRUST}"
        return [told] if asleep or not hooks else []

    def _off(self) -> Iterator[Path]:
        user = Path(os.environ.get("CLAUDE_CONFIG_DIR") or self.home / ".claude")
        here = self.repo.root / ".claude"
        for path in (user / "settings.json", here / "settings.json", here / "settings.local.json"):
            with suppress(OSError, ValueError, AttributeError):
                if json.loads(path.read_bytes()).get(OFF):
                    yield path

    def _seen(self, host: str) -> Seen:
        sessions = [one for one in self._sessions() if one["host"] == host]
        failed = [line for line in self._log() if (line["host"], line["what"]) == (host, FAILED)]
        return Seen(
            len(sessions),
            max((one["at"] for one in sessions), default=""),
            sum(one["ulw"]["stopBlocks"] for one in sessions),
            len(failed),
            str(failed[-1]["why"]) if failed else "",
        )

    def _sessions(self) -> Iterator[dict[str, Any]]:
        for path in (self.root / "sessions").glob("*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                told = json.loads(path.read_bytes())
                _ = told["host"], told["ulw"]["stopBlocks"] + 0
                at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                yield {**told, "at": at.strftime("%Y-%m-%d %H:%M UTC")}

    def _log(self) -> Iterator[dict[str, Any]]:
        with suppress(OSError):
            for line in (self.root / "hooks.log").read_bytes().splitlines():
                with suppress(ValueError, KeyError, TypeError):
                    told = json.loads(line)
                    _ = told["host"], told["what"], told["why"]
                    yield told

    def hook_cost(self) -> Cost | None:
        """What a hook costs in this work tree, measured beside a bare interpreter; none installed,
        none measured. The session it names does not exist, so that nothing is recorded.
        """
        from forsooth.agents import program

        gate = self.packages / "plugins/claude/hooks/forsooth-hook"
        payload = json.dumps({"session_id": "doctor", "cwd": str(self.repo.root)})
        asked = ((str(gate), "claude", "stop"), (sys.executable, "-I", "-c", "pass"))
        took: list[list[float]] = [[], []]
        with suppress(OSError, program.Slow):
            for number in range(RUNS * 2):
                begun = time.perf_counter()
                program.ask(
                    asked[number % 2],
                    env=dict(os.environ),
                    folder=self.repo.root,
                    seconds=10,
                    stdin=payload,
                )
                took[number % 2].append(time.perf_counter() - begun)
            hook, bare = (sorted(rows)[RUNS // 2] for rows in took)
            return Cost(hook / bare, is_idle=not self.held())
        return None
