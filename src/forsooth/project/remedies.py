"""What to do about a refusal, with the plan's other goals in mind.

No remedy takes back what another goal was proven with, or may be at work on: it names that goal
and the command that has its work judged first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from forsooth.core.ids import SUITE, is_goal
from forsooth.core.verdict import Finding
from forsooth.git.objects import tree_of
from forsooth.git.repository import Repository
from forsooth.git.trees import changes
from forsooth.project.neighbours import is_inside

if TYPE_CHECKING:
    from forsooth.judge.judge import Case
    from forsooth.judge.neighbour import Neighbour

_OWNED = ("oracle-changed", "outside", "never")


def remedies(repo: Repository, case: Case, findings: Iterable[Finding]) -> dict[str, str]:
    """What to do about each finding that does not hold, by criterion."""
    from forsooth.judge.checks.actions import action

    asked = {one.criterion.id: one for one in case.asked}
    base = case.base.commit
    found: dict[str, str] = {}
    for one in findings:
        about = asked[one.criterion]
        mine = _own(repo, case, one, about.beside) if one.code in _OWNED else ""
        usual = action(one.code, about.criterion, reason=one.reason, base=base)
        found[one.criterion] = mine or usual
    return found


def _own(repo: Repository, case: Case, finding: Finding, beside: Sequence[Neighbour]) -> str:
    """What to do about a file that is another goal's; empty where it is not."""
    from forsooth.judge.checks.actions import path_of
    from forsooth.judge.neighbour import compared

    path = path_of(finding.reason)
    if not path or not beside:
        return ""
    rows = compared(beside, repo, base=case.base.tree, tree=case.tree, commit=case.commit)
    again = _again(case, finding)
    for one in reversed(rows):
        if one.tree and any(change.path == path for change in one.changed):
            return _proven(repo, one, path, again)
    may = [one for one in rows if not one.tree and _may(one, path, finding.code)]
    return _unproven(may[0], path, again) if may else ""


def _again(case: Case, finding: Finding) -> str:
    goal = case.subject if finding.criterion == SUITE else finding.criterion.partition(".")[0]
    return f"forsooth done {goal}" if is_goal(goal) else "forsooth check"


def _may(one: Neighbour, path: str, code: str) -> bool:
    """Whether a goal may change a path: as a test by permission, else by its allowed paths."""
    from forsooth.judge.views import named_in

    goal = one.goal
    if code != "oracle-changed":
        return is_inside((goal,), path)
    let = (*goal.may_change, *goal.may_move, *goal.may_remove)
    return named_in(let, path) or path in goal.fence.touch


def _unproven(one: Neighbour, path: str, again: str) -> str:
    goal = one.goal.id
    first = f"forsooth next {goal}" if one.begun else f"forsooth done {goal}"
    says = f"{goal} may change {path} and is not proven yet: if this is its work, claim it first"
    return f"{says} (`{first}`), then `{again}`; else revert {path}."


def _proven(repo: Repository, one: Neighbour, path: str, again: str) -> str:
    goal = one.goal.id
    if path in one.same:
        says = f"{path} is as {goal} was proven with it, but {goal} has no permission for it."
        return f"{says} Ask a person for `May change: {path}` in {goal}, then `{again}`."
    back = f"Restore {path} as {goal} was proven with it"
    if one.commit and not _differs(repo, one, path):
        back += f" (`git checkout {one.commit[:12]} -- {path}`)"
    return f"{back}, then `{again}`; or, if this is work on {goal}, first `forsooth done {goal}`."


def _differs(repo: Repository, one: Neighbour, path: str) -> bool:
    """Whether the commit that a goal was proven at has the file otherwise."""
    committed = changes(repo, tree_of(repo, str(one.commit)), one.tree)
    return any(change.path == path for change in committed)
