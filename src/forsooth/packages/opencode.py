"""The plugin for opencode: one module that asks the gate, and cannot hold the end of a turn."""

from __future__ import annotations

import json

from forsooth.packages.commands import COMMANDS
from forsooth.packages.kit import GATE, LICENSE, NAME, Kit, gate, plain, readme, text
from forsooth.packages.kit import skills as skill_files

_NOTES = """\
Install it: put a file `forsooth.js` into `~/.config/opencode/plugin/` that says
`export { Forsooth } from "/path/to/plugins/opencode/index.js"`. opencode lets a plugin refuse a
tool, not the end of a turn: a false "done" is shown to you, and the agent is not held."""


def files(kit: Kit) -> dict[str, bytes]:
    """The plugin's files, from its own folder."""
    about = {**kit.about(), "type": "module", "main": "index.js", "license": LICENSE}
    return {
        "package.json": plain({**about, "name": f"opencode-{NAME}"}),
        "index.js": _module(kit),
        GATE: gate(kit),
        **skill_files(),
        "README.md": readme("opencode", _NOTES),
    }


def pointer(index: str) -> bytes:
    """The file in opencode's own folder, which leads to ours."""
    return f"export {{ Forsooth }} from {json.dumps(index)}\n".encode()


def _module(kit: Kit) -> bytes:
    commands = {
        f"{NAME}:{one.name}": {"description": one.says, "template": one.body("$ARGUMENTS")}
        for one in COMMANDS
    }
    server = kit.server if kit.mcp else None
    module = text("opencode.js").replace("'@server@'", json.dumps(server))
    return module.replace(
        "'@commands@'", json.dumps(commands, indent=2, ensure_ascii=False)
    ).encode()
