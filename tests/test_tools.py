"""A tool that CI requires and that is missing is a failure, not a skip."""

from __future__ import annotations

import pytest

from tests import tools

ABSENT = "no-such-tool"


@pytest.mark.parametrize("named", ["", "go node", f"{ABSENT}-of-another-name"])
def test_without_a_word_a_missing_tool_skips(monkeypatch: pytest.MonkeyPatch, named: str):
    """With the reason."""
    monkeypatch.setenv(tools.REQUIRED, named)
    with pytest.raises(pytest.skip.Exception, match=f"{ABSENT} is not installed"):
        tools.require("sh", ABSENT)


@pytest.mark.parametrize("named", [ABSENT, f"go {ABSENT} node", "all"])
def test_a_required_tool_that_is_missing_fails(monkeypatch: pytest.MonkeyPatch, named: str):
    """It says which variable asks for it."""
    monkeypatch.setenv(tools.REQUIRED, named)
    with pytest.raises(pytest.fail.Exception, match=f"{tools.REQUIRED} requires {ABSENT}"):
        tools.require("sh", ABSENT)


def test_a_tool_that_is_there_lets_the_test_run(monkeypatch: pytest.MonkeyPatch):
    """Required or not."""
    for named in ("", "all"):
        monkeypatch.setenv(tools.REQUIRED, named)
        tools.require("sh")
