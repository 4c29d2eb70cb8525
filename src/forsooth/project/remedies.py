"""What to do about a refusal, with the plan's other goals in mind.

No remedy takes back what another goal was proven with, or may be at work on: it names that goal
and the command that has its work judged first. Where that goal waits for the one that is judged,
its work is set aside and brought back.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from forsooth.core.ids import SUITE, is_goal
from forsooth.core.verdict import Finding
from forsooth.git.objects import tree_of
from forsooth.git.repository import Repository
from forsooth.git.trees import changes
from forsooth.project.neighbours import is_inside

if TYPE_CHECKING:
    from forsooth.judge.court import Asked
    from forsooth.judge.judge import Case
    from forsooth.judge.neighbour import Neighbour

_FENCED = ("outside", "never")
_OWNED = ("oracle-changed", *_FENCED)
_PATCH = "../ahead.patch"


def remedies(repo: Repository, case: Case, findings: Iterable[Finding]) -> dict[str, str]:
    """What to do about each finding that does not hold, by criterion."""
    from forsooth.judge.checks.actions import action

    asked = {one.criterion.id: one for one in case.asked}
    base = case.base.commit
    found: dict[str, str] = {}
    for one in findings:
        about = asked[one.criterion]
        mine = _own(repo, case, one, about) if one.code in _OWNED else ""
        usual = action(one.code, about.criterion, reason=one.reason, base=base)
        found[one.criterion] = mine or usual
    return found


def _own(repo: Repository, case: Case, finding: Finding, asked: Asked) -> str:
    """What to do about a file that is another goal's; empty where it is not.

    1. Proven work of a goal that may change the file. 2. Work on an open goal that may. 3. It is in
    a tree that was proven, by nobody's permission.
    """
    from forsooth.judge.checks.actions import path_of
    from forsooth.judge.neighbour import compared

    path = path_of(finding.reason)
    if not path or not asked.beside:
        return ""
    rows = compared(asked.beside, repo, base=case.base.tree, tree=case.tree, commit=case.commit)
    judged = case.subject if finding.criterion == SUITE else finding.criterion.partition(".")[0]
    again = f"forsooth done {judged}" if is_goal(judged) else "forsooth check"
    proven = [one for one in reversed(rows) if any(change.path == path for change in one.changed)]
    may = [one for one in rows if one.is_open and _may(one, path, finding.code)]
    for one in proven:
        if not one.is_open and _may(one, path, finding.code):
            return _proven(repo, one, path, again)  # 1
    if may:  # 2
        unproven = {judged, *(one.goal.id for one in rows if one.is_open)}
        ready = [one for one in may if unproven.isdisjoint(one.goal.depends_on)]
        if ready:
            return _unproven(ready[0], path, again)
        aside = _ahead(repo, case, asked, rows) if finding.code in _FENCED else (path,)
        return _waiting(may[0], aside, case, again)
    return _proven(repo, proven[0], path, again) if proven else ""  # 3


def _may(one: Neighbour, path: str, code: str) -> bool:
    """Whether a goal may change a path: as a test by permission, else by its allowed paths."""
    from forsooth.judge.views import named_in

    goal = one.goal
    if code in _FENCED:
        return is_inside((goal,), path)
    let = (*goal.may_change, *goal.may_move, *goal.may_remove)
    return named_in(let, path) or path in goal.fence.touch


def _ahead(
    repo: Repository, case: Case, asked: Asked, rows: Sequence[Neighbour]
) -> tuple[str, ...]:
    """Every change outside of the judged goal's allowed paths that only a waiting goal may make."""
    own = (asked.goal,) if asked.goal else ()
    named = [one.goal for one in rows if one.is_open and (one.begun or one.goal.fence.touch)]
    return tuple(
        change.path
        for change in changes(repo, case.base.tree, case.tree)
        if change.path not in case.own
        and not is_inside((*own, *named), change.path)
        and not any(change.path in one.same and is_inside((one.goal,), change.path) for one in rows)
    )


def _unproven(one: Neighbour, path: str, again: str) -> str:
    goal = one.goal.id
    first = f"forsooth next {goal}" if one.begun else f"forsooth done {goal}"
    says = f"{goal} may change {path} and is not proven yet: if this is its work, claim it first"
    return f"{says} (`{first}`), then `{again}`; else revert {path}."


def _waiting(one: Neighbour, paths: Sequence[str], case: Case, again: str) -> str:
    """How to set aside work on a goal that cannot be claimed before the judged one."""
    goal, names = one.goal.id, shlex.join(paths)
    base = case.base.commit[:12] if case.base.commit else "HEAD"
    steps = (
        f"git diff --binary {base} -- {names} > {_PATCH}",
        f"git apply -R {_PATCH}",
        again,
        f"git apply {_PATCH}",
    )
    says = f"{goal} may change {paths[0]} and waits for another goal: if this is its work, set it"
    says = f"{says} aside and bring it back afterwards"
    return f"{says} ({', '.join(f'`{step}`' for step in steps)}); else revert {paths[0]}."


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
