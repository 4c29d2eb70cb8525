"""The extension for Gemini CLI, which counts time in milliseconds."""

from __future__ import annotations

import json
from typing import Any

from forsooth.packages.commands import COMMANDS, Typed
from forsooth.packages.events import GEMINI, MILLI, hooks
from forsooth.packages.kit import GATE, NAME, Kit, gate, plain, readme
from forsooth.packages.kit import skills as skill_files

WAIT = 3600 * MILLI  # judging a goal runs its whole suite, more than once
_NOTES = """\
Install it from a clone: `gemini extensions link plugins/gemini`. Gemini CLI does not tell its hooks
when it has really compressed a session, so what was agreed comes back at the next start only."""


def files(kit: Kit) -> dict[str, bytes]:
    """The extension's files, from its own folder."""
    command, *args = kit.server
    server = {"command": command, "args": args, "timeout": WAIT}
    servers = {"mcpServers": {NAME: server}} if kit.mcp else {}
    return {
        "gemini-extension.json": plain({**kit.about(), **servers}),
        **{f"commands/{NAME}/{one.name}.toml": _command(one) for one in COMMANDS},
        "hooks/hooks.json": plain(hooks(GEMINI, _call, unit=MILLI)),
        GATE: gate(kit),
        **skill_files(),
        "README.md": readme("Gemini CLI", _NOTES),
    }


def _call(event: str) -> dict[str, Any]:
    return {"name": f"{NAME}-{event}", "command": f'"${{extensionPath}}/{GATE}" gemini {event}'}


def _command(one: Typed) -> bytes:
    says, prompt = json.dumps(one.says), one.body("{{args}}")
    return f'description = {says}\nprompt = """\n{prompt}"""\n'.encode()
