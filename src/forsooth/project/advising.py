"""What an assignment adds about a criterion that fails: what changed since it passed, what to do.

Both are read: the suggestion from the last finding, the files from the trees of the two verdicts.
Nothing is run for it; `check` is what bisects.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from forsooth.core.assignment import Advice, quoted
from forsooth.core.event import Event, VerdictGiven
from forsooth.core.state import GoalState, State
from forsooth.core.verdict import Standing
from forsooth.errors import ForsoothError
from forsooth.git import objects
from forsooth.git.history import commits
from forsooth.git.repository import Repository
from forsooth.git.trees import changes

NAMED = 5


def advice(
    repo: Repository, events: Iterable[Event], state: State, one: GoalState
) -> dict[str, Advice]:
    """For each failing criterion that is shown, a suggestion and, if it regressed, the files."""
    from forsooth.judge.checks.actions import action

    red = [
        (criterion, one.standing(criterion.id))
        for criterion in one.goal.criteria
        if not criterion.hidden and one.standing(criterion.id).status in ("failing", "regressed")
    ]
    if not red:
        return {}
    base = state.plan.base.commit if state.plan else None
    trees = {e.seq: e.fact.verdict.tree for e in events if isinstance(e.fact, VerdictGiven)}
    names = _commits(repo, base) if any(s.status == "regressed" for _, s in red) else {}
    return {
        criterion.id: Advice(
            _since(repo, standing, trees, names),
            quoted(action(standing.code, criterion, reason=standing.reason, base=base)),
        )
        for criterion, standing in red
    }


def _commits(repo: Repository, base: str | None) -> dict[str, str]:
    """The commit of each tree since the plan began."""
    with suppress(ForsoothError):
        head = objects.base(repo).commit
        return {one.tree: one.id for one in commits(repo, base, head)} if head else {}
    return {}


def _since(
    repo: Repository, standing: Standing, trees: dict[int, str], names: dict[str, str]
) -> str:
    """Where it passed, where it fails since, and the files that differ between the two."""
    passed, failed = trees.get(standing.passed_at), trees.get(standing.regressed_at)
    if standing.status != "regressed" or passed is None or failed is None:
        return ""
    was, now = (names.get(tree, f"tree {tree}")[:12] for tree in (passed, failed))
    said = f"passed at {was}, fails since {now}"
    with suppress(ForsoothError):
        paths = [change.path for change in changes(repo, passed, failed)]
        more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
        said += f"; changed in between: {', '.join(paths[:NAMED])}{more}"
    return said
