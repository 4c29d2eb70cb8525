"""Claude Code, headless."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.hosts.host import Host
from tests.scripted_model.model import Call

TOOLS = "Bash,Write,Edit,Read,Agent,Skill,mcp__plugin_forsooth_forsooth"


class Claude(Host):
    name = "claude"

    def settings(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def argv(self, prompt: str, session: str) -> list[str]:
        shape = ["--output-format", "stream-json", "--verbose", "--allowedTools", TOOLS]
        resume = ["--resume", session] if session else []
        plugin = ["--plugin-dir", str(self.package.of(self.name))]
        return ["-p", prompt, *shape, *resume, *(plugin if self.package.folder.exists() else [])]

    def shell(self, command: str) -> Call:
        return Call("Bash", {"command": command, "description": "run"})

    def tool(self, name: str, **given: Any) -> Call:
        return Call(f"mcp__plugin_forsooth_forsooth__{name}", given)

    def session(self, rows: Iterable[Any]) -> str:
        return next((row["session_id"] for row in rows if "session_id" in row), "")
