"""The plugin for Claude Code, and the catalogue that lists it."""

from __future__ import annotations

from typing import Any

from forsooth.packages.commands import COMMANDS, Typed
from forsooth.packages.events import CLAUDE, hooks
from forsooth.packages.kit import GATE, KEYWORDS, LICENSE, NAME, SHORT, Kit, gate, plain, readme
from forsooth.packages.kit import skills as skill_files

CATALOGUE = ".claude-plugin/marketplace.json"
_NOTES = """\
Install it from a clone: `claude plugin marketplace add .`, then `claude plugin install
forsooth@forsooth`. A setting `disableAllHooks` switches the hooks off; `forsooth doctor` tells."""


def files(kit: Kit) -> dict[str, bytes]:
    """The plugin's files, from its own folder."""
    manifest = {**kit.about(), "author": {"name": "Forsooth"}, "license": LICENSE}
    return {
        ".claude-plugin/plugin.json": plain({**manifest, "keywords": KEYWORDS}),
        **{f"commands/{one.name}.md": _command(one) for one in COMMANDS},
        "hooks/hooks.json": plain(hooks(CLAUDE, _call)),
        GATE: gate(kit),
        **skill_files(),
        **server(kit),
        "README.md": readme("Claude Code", _NOTES),
    }


def server(kit: Kit) -> dict[str, bytes]:
    """The entry that starts our server, where it can be started."""
    command, *args = kit.server
    entry = {"command": command, "args": args}
    return {".mcp.json": plain({"mcpServers": {NAME: entry}})} if kit.mcp else {}


def catalogue(kit: Kit) -> dict[str, bytes]:
    """What `claude plugin marketplace add` reads."""
    plugin = {**kit.about(), "source": "./plugins/claude", "category": "development"}
    about = {"name": NAME, "owner": {"name": "Forsooth"}, "metadata": {"description": SHORT}}
    return {CATALOGUE: plain({**about, "plugins": [plugin]})}


def _call(event: str) -> dict[str, Any]:
    return {"command": f"${{CLAUDE_PLUGIN_ROOT}}/{GATE}", "args": ["claude", event]}


def _command(one: Typed) -> bytes:
    rows = [f"description: {one.says}"]
    rows += [f'argument-hint: "{one.takes}"'] if one.takes else []
    rows += ["disable-model-invocation: true"]  # a person's word, which costs no listing either
    front = "\n".join(rows)
    return f"---\n{front}\n---\n\n{one.body('$ARGUMENTS')}".encode()
