"""A brief to begin with, from a sentence and what lies in the repository.

It names what is already there and leaves a mark wherever proof is a person's to say: a brief with a
mark in it cannot be planned. Nothing is run and nothing is written.
"""

from __future__ import annotations

from typing import NamedTuple

from forsooth.core.assignment import quoted, shown
from forsooth.core.check import Check
from forsooth.errors import UsageError
from forsooth.git.objects import base
from forsooth.git.trees import listing
from forsooth.project.completing import detected
from forsooth.project.shelf import SUGGEST, Shelf

MARK = "FILL IN"
TITLE = 72
_FENCES = ("src", "lib", "app", "tests", "test")


class Suggested(NamedTuple):
    """A brief, and what of it a person has to say before it can be planned."""

    brief: str
    missing: tuple[str, ...]


class Suggesting(Shelf):
    """What can be said about a plan before an agent has looked."""

    def suggest(self, sentence: str) -> Suggested:
        """A brief with one goal: what stays green, where work belongs, and what is left to say."""
        told = " ".join(sentence.split())
        if not told:
            raise UsageError("say in a sentence what should be true", hint=SUGGEST)
        suite = detected(self.repo)
        missing = (
            _first(suite),
            f"{MARK} what a person would try by hand, and what they would see",
        )
        rows = [f"- [ ] {row}" for row in (*missing, *self._kept(suite), *self._fence())]
        title = quoted(told, TITLE)
        lines = [f"@goal: {title}", *([told] if title != told else []), *rows]
        return Suggested("\n".join(lines) + "\n", missing)

    def _kept(self, suite: Check | None) -> list[str]:
        return [f"stays green: `{shown(suite)}`"] if suite else []

    def _fence(self) -> list[str]:
        """Where work and its tests lie today, when the repository keeps them apart."""
        tree = base(self.repo).tree
        tops = (
            {row.path.partition("/")[0] for row in listing(self.repo, tree)} if tree else set[str]()
        )
        found = [name for name in _FENCES if name in tops]
        if len(found) < 2:  # noqa: PLR2004
            return []
        return [f"only {' and '.join(f'{name}/**' for name in found)} change"]


def _first(suite: Check | None) -> str:
    """The one criterion nobody can be spared: something that fails today."""
    how = f", such as a new test that `{shown(suite)}` runs" if suite else ""
    return f"{MARK} a command that fails today and passes when this is done{how}"
