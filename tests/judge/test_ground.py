"""What the base shows before any work, and what a criterion keeps when a runner is found in it."""

from __future__ import annotations

from forsooth.core.check import CommandParams
from forsooth.judge.ground import behind


def test_a_command_asked_through_its_runner_keeps_everything_it_was_given():
    """Folder, variables, limit and the files it brings are the criterion's own."""
    given = CommandParams(
        argv=("make", "test"), cwd="a", env={"A": "1"}, timeout=5, files={"t.py": "x"}
    )
    found = behind(given, "pytest")
    assert found.runner == "pytest"
    assert {**given.plain(), "runner": "pytest"} == found.plain()
