"""The one script of an argv, made to tell that it came to its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.recipe import Edits
from forsooth.judge.disbelief.script import Script, Tree, script_ends


def script_end(argv: Sequence[str], look: Look, side: Iterable[str]) -> Edits | None:
    asked = Script(argv, "", Tree(look, frozenset(side)), None, "")
    return next((edits for _, edits in script_ends(asked)), None)
