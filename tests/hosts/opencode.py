"""opencode, headless; it has no hook that can refuse the end of a turn."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from forsooth.packages.opencode import pointer
from tests.hosts.host import Host
from tests.scripted_model.model import Call

NOWHERE = "http://127.0.0.1:9"  # it would look for packages even when it needs none

# What it leaves beside plugins when it first starts with a network; without it, it waits for one.
FETCHED = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}}}


class Opencode(Host):
    name = "opencode"
    holds = False

    @property
    def config(self) -> Path:
        return self.place.home / "opencode.json"

    @property
    def folder(self) -> Path:
        return self.place.home / ".config/opencode"

    def prepare(self) -> None:
        (self.folder / "node_modules").mkdir(parents=True)
        (self.folder / "package-lock.json").write_text(json.dumps(FETCHED))
        limit = {"context": 200000, "output": 8000}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{self.url}/v1", "apiKey": "dummy"},
            "models": {"m": {"name": "m", "tool_call": True, "limit": limit}},
        }
        made = {
            "provider": {"scripted": provider},
            "model": "scripted/m",
            "small_model": "scripted/m",
            "enabled_providers": ["scripted"],
            "autoupdate": False,
            "share": "disabled",
        }
        self.config.write_text(json.dumps(made))

    def install(self) -> None:
        super().install()
        index = self.package.of(self.name) / "index.js"
        (self.folder / "plugin").mkdir()
        (self.folder / "plugin/forsooth.js").write_bytes(pointer(str(index)))

    def settings(self) -> dict[str, str]:
        return {
            "OPENCODE_CONFIG": str(self.config),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "npm_config_registry": NOWHERE,
        }

    def argv(self, prompt: str, session: str) -> list[str]:
        resume = ["--session", session] if session else []
        return ["run", "--format", "json", *resume, prompt]

    def shell(self, command: str) -> Call:
        return Call("bash", {"command": command, "description": "run"})

    def tool(self, name: str, **given: Any) -> Call:
        return Call(f"forsooth_{name}", given)

    def session(self, rows: Iterable[Any]) -> str:
        return next((row["sessionID"] for row in rows if "sessionID" in row), "")
