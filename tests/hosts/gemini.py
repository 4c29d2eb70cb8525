"""Gemini CLI, headless."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from typing import Any

from tests.hosts.host import Host
from tests.scripted_model.model import Call

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
    "model": {"name": "gemini-2.5-pro"},
}


class Gemini(Host):
    name = "gemini"

    def prepare(self) -> None:
        folder = self.place.home / ".gemini"
        folder.mkdir(exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(SETTINGS))

    def install(self) -> None:
        super().install()
        folder = self.place.home / ".gemini/extensions"
        folder.mkdir()
        shutil.copytree(self.package.of(self.name), folder / "forsooth")

    def settings(self) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "dummy",
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    def argv(self, prompt: str, session: str) -> list[str]:
        resume = ["--resume", session] if session else []
        return ["-p", prompt, "-o", "stream-json", "--approval-mode", "yolo", *resume]

    def shell(self, command: str) -> Call:
        return Call("run_shell_command", {"command": command})

    def tool(self, name: str, **given: Any) -> Call:
        return Call(f"mcp_forsooth_{name}", given)

    def session(self, rows: Iterable[Any]) -> str:
        return next((row["session_id"] for row in rows if "session_id" in row), "")
