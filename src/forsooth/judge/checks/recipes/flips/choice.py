"""Which tests are broken: as a nonce has it, so that nobody can know beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.recipe import Doubt, Edit, Edits, Order


class Damage(NamedTuple):
    """Files as they are broken, and what must come of it. `canary` when there is one."""

    files: dict[str, str]
    red: frozenset[str]
    green: frozenset[str] = frozenset()
    canary: bool = True

    def joined(self, other: Damage | None) -> Damage:
        """Both at once; they must not touch the same files."""
        if other is None:
            return self
        return Damage(
            {**self.files, **other.files},
            self.red | other.red,
            self.green | other.green,
            canary=self.canary or other.canary,
        )

    def doubt(self, order: Order, look: Look, *, exits: Iterable[int] = ()) -> Doubt:
        """The run that must come out so."""
        return Doubt(
            order,
            edits_of(self.files, look),
            self.red,
            self.green,
            frozenset(exits),
            held=("canary", "flip") if self.canary else ("flip",),
        )


def edits_of(files: Mapping[str, str], look: Look) -> Edits:
    """Texts as files of a tree, with the modes they had."""
    return {
        path: Edit(text.encode("utf-8", "surrogateescape"), look.mode(path) or "100644")
        for path, text in files.items()
    }


def shuffled(names: Iterable[str], nonce: str) -> list[str]:
    """Names in an order that only the nonce tells."""
    return sorted(names, key=lambda name: sha256(f"{nonce}\0{name}".encode()).digest())


def word_of(nonce: str) -> str:
    """The nonce as part of a name in any language."""
    return re.sub(r"[^a-z0-9]", "", nonce.lower())[:16]


def text_of(look: Look, path: str) -> str | None:
    """A file of the tree as text, whatever its bytes."""
    data = look.read(path) if look.mode(path) in ("100644", "100755") else None
    return None if data is None else data.decode("utf-8", "surrogateescape")
