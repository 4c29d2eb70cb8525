"""Which agreements of persons still stand at a tree.

An agreement is about one criterion at one tree: about the criterion's declared paths, else the
goal's allowed paths, else everything. It stands at a later tree while none of that changed, so the
work of other goals does not undo it. A tree that is no longer kept cannot be compared: the
agreement does not stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from forsooth.core.state import Agreement, GoalState
from forsooth.errors import CouldNotVerify
from forsooth.git.repository import Repository
from forsooth.git.trees import changes

if TYPE_CHECKING:
    from forsooth.judge.checker import Consent


def consents(repo: Repository, goals: Iterable[GoalState], tree: str) -> dict[str, Consent]:
    """The agreements to criteria of some goals, each with what changed since at this tree."""
    from forsooth.judge.checker import Consent

    return {
        id_: Consent(at.by.name or "a person", at.tree or "", changed_since(repo, at, tree))
        for one in goals
        for id_, at in one.approvals.items()
    }


def changed_since(repo: Repository, agreed: Agreement, tree: str) -> tuple[str, ...]:
    """What an agreement is about and is not as the person saw it."""
    from forsooth.judge.checks.globs import any_matches

    if agreed.tree == tree:
        return ()
    try:
        found = [change.path for change in changes(repo, agreed.tree, tree)]
    except CouldNotVerify:
        return ("what it was about is not kept any more",)
    about = agreed.paths
    return tuple(path for path in found if not about or any_matches(about, path))
