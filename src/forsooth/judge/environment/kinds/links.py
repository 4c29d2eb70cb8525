"""What one project of a repository is called, and which others it says it depends on."""

from __future__ import annotations

from typing import NamedTuple


class Links(NamedTuple):
    """A project's own name, and its dependencies by name and by path in the tree."""

    name: str
    names: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
