"""Whether an agent's program started this process, by the marks it leaves in the environment."""

from __future__ import annotations

import os

MARKERS = {
    "CLAUDECODE": "claude-code",
    "CODEX_SANDBOX": "codex",
    "CODEX_THREAD_ID": "codex",
    "GEMINI_CLI": "gemini-cli",
    "OPENCODE": "opencode",
    "CURSOR_AGENT": "cursor",
    "AI_AGENT": "agent",
}


def agent_present() -> str:
    """The agent whose shell this is."""
    return next((name for marker, name in MARKERS.items() if os.environ.get(marker)), "")


def in_agents_shell() -> bool:
    """Whether an agent typed this, and not the program around it, which leaves the same marks."""
    is_program = os.environ.get("AI_AGENT", "").endswith("_harness")
    return bool(agent_present()) and not is_program
