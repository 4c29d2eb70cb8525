"""Markers and the places that tests of environments share."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "registry: needs a package registry")
    config.addinivalue_line("markers", "requires_strict: needs the strict sandbox")
