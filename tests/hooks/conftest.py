"""The repository these tests are about."""

from __future__ import annotations

import pytest

from tests.hooks.stage import Stage


@pytest.fixture
def stage(tmp_path) -> Stage:
    """A repository without a plan."""
    return Stage(tmp_path / "repo")
