"""The repositories these tests run in, and the command line called in this process."""

from __future__ import annotations

import pytest

from tests.cli.inside import Inside
from tests.e2e.place import Place, first_commit, place, sealed, sealed_once

__all__ = ["first_commit", "place", "sealed", "sealed_once"]


@pytest.fixture
def empty(place: Place, capsys, monkeypatch) -> Inside:
    """The command line in a repository without a plan."""
    return Inside(place, capsys, monkeypatch)


@pytest.fixture
def planned(sealed: Place, capsys, monkeypatch) -> Inside:
    """The command line in a repository with a sealed plan."""
    return Inside(sealed, capsys, monkeypatch)
