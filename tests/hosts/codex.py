"""Codex, headless, with its own sandbox on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.hosts.host import Host
from tests.scripted_model.model import Call

CONFIG = """\
model = "scripted-model"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
"""
# Without these it asks for addresses outside, and waits for them.
QUIET = ["--disable", "apps", "--disable", "plugin_discovery_prefetch"]


class Codex(Host):
    name = "codex"
    space = needs = "mcp__forsooth"

    @property
    def folder(self) -> Path:
        return self.place.home / ".codex"

    def prepare(self) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "config.toml").write_text(CONFIG.format(url=self.url))

    def install(self) -> None:
        super().install()
        for argv in (
            ["marketplace", "add", str(self.package.folder)],
            ["add", "forsooth@forsooth"],
        ):
            done = self.run(self.command, "plugin", *argv)
            assert not done.returncode, done.stderr

    def settings(self) -> dict[str, str]:
        return {"CODEX_HOME": str(self.folder), "SCRIPTED_KEY": "dummy"}

    def argv(self, prompt: str, session: str) -> list[str]:
        flags = ["--json", "--dangerously-bypass-hook-trust", *QUIET, "-s", "workspace-write"]
        resume = ["resume", session] if session else []
        return ["exec", *flags, *resume, prompt]

    def shell(self, command: str) -> Call:
        return Call("exec_command", {"cmd": command})

    def tool(self, name: str, **given: Any) -> Call:
        return Call(name, given, self.space)

    def session(self, rows: Iterable[Any]) -> str:
        return next((row["thread_id"] for row in rows if "thread_id" in row), "")
