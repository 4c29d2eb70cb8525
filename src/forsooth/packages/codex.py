"""The plugin for Codex, and the catalogue that lists it."""

from __future__ import annotations

from typing import Any

from forsooth.packages.events import CODEX, hooks
from forsooth.packages.kit import GATE, KEYWORDS, LICENSE, NAME, SHORT, Kit, gate, plain, readme
from forsooth.packages.kit import skills as skill_files

CATALOGUE = ".agents/plugins/marketplace.json"
CATEGORY = "Developer Tools"
WAIT = 3600  # seconds: judging a goal runs its whole suite, more than once
_NOTES = """\
Install it from a clone: `codex plugin marketplace add .`, then `codex plugin add
forsooth@forsooth`. Codex runs no hook before you have read and trusted it: type `/hooks` in Codex.
Codex has no plugin commands. Begin a prompt with the keyword `ulw` instead ("ulw add CSV export"):
the agent then proposes goals for your seal, or continues a sealed plan."""


def files(kit: Kit) -> dict[str, bytes]:
    """The plugin's files, from its own folder."""
    return {
        ".codex-plugin/plugin.json": plain(_manifest(kit)),
        "hooks/hooks.json": plain(hooks(CODEX, _call)),
        GATE: gate(kit),
        **skill_files(),
        **_server(kit),
        "README.md": readme("Codex", _NOTES, start="the keyword `ulw` that starts it"),
    }


def catalogue() -> dict[str, bytes]:
    """What `codex plugin marketplace add` reads."""
    plugin = {
        "name": NAME,
        "source": {"source": "local", "path": "./plugins/codex"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": CATEGORY,
    }
    about = {"name": NAME, "interface": {"displayName": "Forsooth"}}
    return {CATALOGUE: plain({**about, "plugins": [plugin]})}


def _manifest(kit: Kit) -> dict[str, Any]:
    return {
        **kit.about(),
        "author": {"name": "Forsooth"},
        "license": LICENSE,
        "keywords": KEYWORDS,
        "skills": "./skills/",
        **({"mcpServers": "./.mcp.json"} if kit.mcp else {}),
        "interface": {
            "displayName": "Forsooth",
            "shortDescription": SHORT,
            "developerName": "Forsooth",
            "category": CATEGORY,
            "capabilities": ["Read", "Write"],
            "defaultPrompt": ["ulw: propose goals with criteria for what I want next"],
        },
    }


def _server(kit: Kit) -> dict[str, bytes]:
    command, *args = kit.server
    entry = {"command": command, "args": args, "tool_timeout_sec": WAIT}
    return {".mcp.json": plain({"mcpServers": {NAME: entry}})} if kit.mcp else {}


def _call(event: str) -> dict[str, Any]:
    return {"command": f'"$PLUGIN_ROOT/{GATE}" codex {event}'}
