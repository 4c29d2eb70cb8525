"""`forsooth mcp` before it serves anything: what it needs, said in one line."""

from __future__ import annotations

import sys

from tests.cli.inside import Inside


def test_without_the_sdk_one_line_says_what_to_install(empty: Inside, monkeypatch):
    """It ends as other things do that cannot be done here, and names the command."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    failed = empty("mcp", code=5)
    assert failed.err.splitlines() == [
        "forsooth: serving agents over MCP needs the `mcp` package",
        "  try: pip install 'forsooth[mcp]'",
    ]
    assert empty.ask("mcp", "--check", code=5)["error"]["code"] == "no-mcp"


def test_whether_it_could_be_served_can_be_asked(empty: Inside):
    """Nothing is started for the answer."""
    assert empty.ask("mcp", "--check") == {"ready": True}
    assert empty("mcp", "--check").out == "ready\n"
