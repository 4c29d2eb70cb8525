"""What all packages share: the words about us, the machine they are made for, and their texts."""

from __future__ import annotations

import json
import shlex
from importlib.resources import files
from typing import Any, NamedTuple

NAME = "forsooth"
HOSTS = ("claude", "codex", "gemini", "opencode")
SHORT = "A goal is done when it is proven, not when it is claimed."
LICENSE = "Apache-2.0"
KEYWORDS = ["agents", "verification", "evidence", "goals", "receipts"]
GATE = "hooks/forsooth-hook"


class Kit(NamedTuple):
    """The machine a package is for; one made for any machine finds the programs on the PATH."""

    version: str
    python: str = ""
    library: str = ""  # the folder that this interpreter finds us in
    mcp: bool = True

    @property
    def server(self) -> list[str]:
        """How the MCP server is started, never from the folder that the agent works in."""
        return [self.python, "-I", "-m", NAME, "mcp"] if self.python else [NAME, "mcp"]

    def about(self) -> dict[str, Any]:
        """What every manifest says of us."""
        return {"name": NAME, "version": self.version, "description": SHORT}


def text(name: str) -> str:
    """One of the texts, as a person wrote it."""
    return files("forsooth.packages").joinpath("texts", name).read_text(encoding="utf-8")


def gate(kit: Kit) -> bytes:
    """The program that a host starts on each event."""
    script = files("forsooth.hooks").joinpath("gate.sh").read_text(encoding="utf-8")
    for name, value in (("python", kit.python), ("library", kit.library)):
        filled = f"\n{name}={shlex.quote(value)}\n" if value else f"\n{name}=\n"
        script = script.replace(f"\n{name}=\n", filled, 1)
    return script.encode()


def readme(
    host: str, notes: str, *, start: str = "the commands `go`, `status` and `stop`"
) -> bytes:
    """What a person reads who finds the package; `start` is how they begin in that host."""
    filled = text("readme.md").replace("@host@", host).replace("@notes@", notes)
    return filled.replace("@commands@", start).encode()


def skills() -> dict[str, bytes]:
    """The one skill, in the form that every host reads."""
    return {
        f"skills/{NAME}/SKILL.md": text("skill.md").encode(),
        f"skills/{NAME}/references/brief.md": text("brief.md").encode(),
    }


def plain(data: Any) -> bytes:
    """JSON as a person would want to read it."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()
