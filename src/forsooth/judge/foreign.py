"""What a tree only points to: a commit of another repository, whose files nobody delivered."""

from __future__ import annotations

from collections.abc import Iterable

from forsooth.git.trees import SUBMODULE, Change
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.checks.trial import Flaw


def foreign(changes: Iterable[Change], *, allowed: Iterable[str]) -> Flaw | None:
    """A new link to another repository's commit, unless the plan lets it change."""
    let = tuple(allowed)
    for change in changes:
        if change.new_mode == SUBMODULE and not any_matches(let, change.path):
            says = f"{change.path} is only a link to commit {change.new_id[:12]} of another"
            return Flaw("submodule", f"{says} repository, and its files are not delivered")
    return None
