"""Which events of a host call the gate, under the host's own names, matchers and time limits.

Looking at files is never watched. The gate answers within five seconds; a host waits twice that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

SECONDS = 10
AT_END = 3  # hosts cut the end of a session short
MILLI = 1000


class Watched(NamedTuple):
    """One event of a host, and what it is called by us."""

    theirs: str
    ours: str
    matcher: str = ""


_SHELL_AND_FILES = "Bash|Write|Edit|MultiEdit|NotebookEdit|apply_patch"
_ASKING = "AskUserQuestion|request_user_input"
_DELIVERING = "CronCreate|ScheduleWakeup|SendMessage|RemoteTrigger|.*send_input"

CLAUDE = (
    Watched("SessionStart", "session_start"),
    Watched("UserPromptSubmit", "prompt"),
    Watched("PreToolUse", "pre_tool", f"^({_SHELL_AND_FILES}|{_ASKING}|{_DELIVERING}|mcp__.*)$"),
    Watched("Stop", "stop"),
    Watched("SubagentStop", "subagent_stop"),
    Watched("PreCompact", "compaction"),
    Watched("SessionEnd", "end"),
)
CODEX = CLAUDE
GEMINI = (
    Watched("SessionStart", "session_start"),
    Watched("BeforeAgent", "prompt"),
    Watched("BeforeTool", "pre_tool", "^(run_shell_command|write_file|replace|ask_user|mcp_.*)$"),
    Watched("AfterAgent", "stop"),
    Watched("SessionEnd", "end"),
)


def hooks(
    watched: tuple[Watched, ...], call: Callable[[str], dict[str, Any]], *, unit: int = 1
) -> dict[str, Any]:
    """The hooks file of a host: `call` says how it starts the gate, `unit` how it counts time."""
    rows: dict[str, Any] = {}
    for one in watched:
        seconds = AT_END if one.ours == "end" else SECONDS
        row = {"type": "command", **call(one.ours), "timeout": seconds * unit}
        rows[one.theirs] = [{**({"matcher": one.matcher} if one.matcher else {}), "hooks": [row]}]
    return {"hooks": rows}
