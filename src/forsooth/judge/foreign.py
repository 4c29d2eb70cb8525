"""What no plan means by leave to change a path: links out of the tree, and make turned deaf."""

from __future__ import annotations

from collections.abc import Iterable

from forsooth.git.trees import SUBMODULE
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.checks.trial import Flaw
from forsooth.judge.court import Court
from forsooth.judge.deaf import deafened


def foreign(court: Court, *, allowed: Iterable[str]) -> Flaw | None:
    """The first such change, unless the plan lets that very path change."""
    let, after = tuple(allowed), court.rooms.look(court.tree)
    before = court.rooms.look(court.base) if court.base else None
    for change in after.changes:
        if change.path in court.upstream or any_matches(let, change.path):
            continue
        if change.new_mode == SUBMODULE:
            says = f"{change.path} is only a link to commit {change.new_id[:12]} of another"
            return Flaw("submodule", f"{says} repository, and its files are not delivered")
        if said := deafened(change.path, before, after):
            return Flaw("oracle-changed", f"{change.path} changes how make runs: `{said}`")
    return None
