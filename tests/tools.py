"""The one place that decides what a missing tool means for a test.

Without a program or a kernel feature, a test that needs it is skipped; where the environment
says that it must be there, it fails: `CI_REQUIRED_TOOLS="go node npm"`, or `all`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from forsooth.judge.sandbox import cgroup, confine
from forsooth.judge.sandbox.tiers import available

REQUIRED = "CI_REQUIRED_TOOLS"


def _has_postgresql() -> bool:
    return any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


# What is no program on the PATH, and how it is found.
FOUND: dict[str, Callable[[], bool]] = {
    "strict": lambda: available().tier == "strict",
    "landlock": lambda: confine.abi() >= 1,
    "landlock-scopes": lambda: confine.abi() >= confine.SCOPES_SINCE,
    "cgroup": lambda: bool(cgroup.homes()),
    "postgresql": _has_postgresql,
    "agentskills": lambda: Path(sys.executable).with_name("agentskills").exists(),
}


def is_required(tool: str) -> bool:
    """Whether the environment says that a tool must be there."""
    named = os.environ.get(REQUIRED, "").split()
    return tool in named or "all" in named


def absent(tool: str, why: str = "") -> NoReturn:
    """End a test that cannot have a tool: skipped, or failed where the tool is required."""
    says = why or f"{tool} is not installed"
    if is_required(tool):
        pytest.fail(f"{says}, and {REQUIRED} requires {tool}")
    pytest.skip(says)


def require(*tools: str, path: str | None = None) -> None:
    """Go on only where each tool is there; `path` is where programs are looked for."""
    for tool in tools:
        is_there = FOUND.get(tool, lambda name=tool: shutil.which(name, path=path) is not None)
        if not is_there():
            absent(tool)


def needs(*tools: str) -> pytest.MarkDecorator:
    """Mark a test that needs tools; conftest.py requires them before it runs."""
    return pytest.mark.needs(*tools)
