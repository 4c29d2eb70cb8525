"""The plan's goals as a judging meets them: what each was proven with, and who is at work on it.

Which of their work counts is the judge's to say; here it is only read from the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core.plan import Goal, Plan
from forsooth.core.receipt import Receipt
from forsooth.core.state import GoalState, State
from forsooth.git.objects import tree_of
from forsooth.git.repository import Repository
from forsooth.git.snapshot import Snapshot
from forsooth.git.trees import changes
from forsooth.project.settings import SETTINGS

if TYPE_CHECKING:
    from forsooth.judge.neighbour import Neighbour


class Absent(NamedTuple):
    """A proven goal whose work is not in the tree that is delivered here.

    `commit` is the one that holds it; none while it lies uncommitted in another work tree.
    """

    goal: str
    commit: str | None
    worktree: str

    @property
    def says(self) -> str:
        """Where its work is."""
        where = f"at {self.commit[:12]}" if self.commit else "in another work tree, uncommitted"
        return f"{self.goal} was proven {where}, and that is not in what is delivered here"


def absent(repo: Repository, state: State, at: Snapshot) -> tuple[Absent, ...]:
    """The proven goals whose work is not in a tree: the plan cannot be judged there."""
    from forsooth.judge.neighbour import compared

    base = state.plan.base.tree if state.plan else None
    rows = compared(
        neighbours(state, repo.worktree), repo, base=base, tree=at.tree, commit=at.commit
    )
    gone = {one.goal.id for one in rows if one.tree and one.changed and not one.is_here}
    found = [(one.goal.id, one.proof.receipt) for one in state.live if one.proof]
    return tuple(
        Absent(id_, receipt.commit if _is_committed(repo, receipt) else None, receipt.worktree)
        for id_, receipt in found
        if id_ in gone
    )


def _is_committed(repo: Repository, receipt: Receipt) -> bool:
    return receipt.commit is not None and tree_of(repo, receipt.commit) == receipt.tree


def neighbours(state: State, worktree: str = "") -> tuple[Neighbour, ...]:
    """Every goal that has a receipt or is in force; those proven last come last.

    `worktree` names the one that is judged, where it is a work tree that is delivered.
    """
    from forsooth.judge.neighbour import Neighbour

    rows = [one for one in state.goals.values() if one.proof or one.superseded is None]
    rows.sort(key=lambda one: one.proof.seq if one.proof else 0)
    return tuple(
        Neighbour(
            one.goal,
            tree=one.proof.receipt.tree if one.proof else None,
            commit=one.proof.receipt.commit if one.proof else None,
            is_open=is_open(one),
            begun=is_begun(one),
            is_local=one.proof is not None and one.proof.receipt.worktree == worktree,
        )
        for one in rows
    )


def is_open(one: GoalState) -> bool:
    """Whether a goal is in force and not proven."""
    return one.superseded is None and not one.is_proven


def is_begun(one: GoalState) -> bool:
    """Whether someone has worked on a goal that is not proven."""
    return is_open(one) and one.attempts > 0


def may_have_files(one: GoalState) -> bool:
    """Whether new files in a goal's allowed paths are its work: it was begun, or names them."""
    return is_begun(one) or (is_open(one) and bool(one.goal.fence.touch))


def own_paths(plan: Plan | None) -> frozenset[str]:
    """Files that are nobody's work: the brief, and our settings."""
    return frozenset(filter(None, (plan.source if plan else "", SETTINGS)))


def proven_paths(repo: Repository, state: State) -> frozenset[str]:
    """Every path that differs from the base where a goal was proven."""
    base = state.plan.base.tree if state.plan else None
    trees = {one.proof.receipt.tree for one in state.goals.values() if one.proof}
    return frozenset(change.path for tree in trees for change in changes(repo, base, tree))


def is_left_alone(repo: Repository, one: GoalState, at: Snapshot) -> bool:
    """Whether what a proven goal had permission to change is still as it was proven."""
    from forsooth.judge.views import named_in

    if one.proof is None:
        return True
    goal = one.goal
    let = (*goal.may_change, *goal.may_move, *goal.may_remove)
    if not let:
        return True
    return not any(named_in(let, c.path) for c in changes(repo, one.proof.receipt.tree, at.tree))


def without_permissions(goal: Goal) -> Goal:
    """A goal that may change no test any more: what it was proven with is what counts."""
    return goal.but(may_change=(), may_move=(), may_remove=())


def is_inside(goals: Iterable[Goal], path: str) -> bool:
    """Whether any goal may touch a path."""
    from forsooth.judge.checks.globs import any_matches

    fences = [goal.fence for goal in goals]
    return any(
        (not fence.touch or any_matches(fence.touch, path)) and not any_matches(fence.never, path)
        for fence in fences
    )
