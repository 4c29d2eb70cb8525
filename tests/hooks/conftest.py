"""The repository these tests are about."""

from __future__ import annotations

import pytest

from tests.hooks.stage import Stage


@pytest.fixture
def stage(tmp_path, monkeypatch) -> Stage:
    """A repository without a plan, and a home that knows what is planned in it."""
    made = Stage(tmp_path / "repo")
    monkeypatch.setenv("HOME", str(made.home))
    return made
