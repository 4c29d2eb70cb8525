"""What no plan means by leave to change a path.

Links out of the tree, make turned deaf, and a compiled file that is loaded in the place of its
source: Python imports `slug.so` before `slug.py`, so that what is read is not what runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from forsooth.git.trees import SUBMODULE
from forsooth.judge.checker import Look
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.checks.trial import Flaw
from forsooth.judge.court import Court
from forsooth.judge.deaf import deafened

_COMPILED: Final = {"so": "py", "pyd": "py", "class": "java"}


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
        if source := _hidden_source(change.path, after):
            says = f"{change.path} is loaded in the place of {source}, and cannot be read"
            return Flaw("shadowed", says)
        if said := deafened(change.path, before, after):
            return Flaw("oracle-changed", f"{change.path} changes how make runs: `{said}`")
    return None


def _hidden_source(path: str, after: Look) -> str | None:
    """The source that a compiled file is loaded instead of: `a/x.cpython-311.so` of `a/x.py`."""
    folder, _, name = path.rpartition("/")
    stem, suffix = name.partition(".")[0], name.rpartition(".")[2]
    if suffix not in _COMPILED or after.mode(path) is None:
        return None
    source = f"{folder}/{stem}.{_COMPILED[suffix]}".lstrip("/")
    return source if after.mode(source) is not None else None
