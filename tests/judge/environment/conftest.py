"""Markers and the places that tests of environments share."""

from __future__ import annotations

import pytest

from forsooth.judge.sandbox.tiers import available
from tests.tools import require


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "registry: needs a package registry")
    config.addinivalue_line("markers", "requires_strict: needs the strict sandbox")


@pytest.fixture
def sandbox():
    """The strict one; without it a test is skipped."""
    require("strict")
    return available()
