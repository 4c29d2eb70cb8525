"""`forsooth mcp`: serve an agent over the Model Context Protocol, on standard input and output."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import click

from forsooth.cli import options, show
from forsooth.errors import CouldNotVerify
from forsooth.project import persons


@click.command()
@click.option("--check", is_flag=True, help="Report whether the server could start, and exit.")
@options.as_json
def command(*, check: bool, as_json: bool) -> None:
    """Serve one MCP client over stdio. Usually started by the agent, not by you."""
    if importlib.util.find_spec("mcp") is None:
        says = "serving agents over MCP needs the `mcp` package"
        raise CouldNotVerify(says, hint="pip install 'forsooth[mcp]'", code="no-mcp")
    if check:
        show.data({"ready": True}) if as_json else show.lines(["ready"])
        return
    from forsooth.mcp.server import Around, serve

    told = (os.environ.get("CLAUDE_PROJECT_DIR", ""), Path.cwd())
    folders = tuple(Path(folder) for folder in told if str(folder))
    # A server that an agent's own shell started has no person behind its client.
    serve(Around(folders, may_ask=persons.may_relay()))
