"""The repositories these tests run in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.place import Place, first_commit, place
from tests.e2e.proving import begun

__all__ = ["first_commit", "place"]


@pytest.fixture(scope="session")
def begun_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("begun")
    begun(folder)
    return folder / "place"


@pytest.fixture
def sealed(tmp_path: Path) -> Place:
    """A repository with two goals that shell scripts prove, sealed."""
    return begun(tmp_path)


def moved(source: Path, target: Path) -> Place:
    """The same repository once more, elsewhere; under another home nothing can be claimed."""
    shutil.copytree(source, target, symlinks=True)
    return Place(target / "repo", target / "home")
