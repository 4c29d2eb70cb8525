"""How far a plan's upstream is believed: what came from there is not counted as the agent's work.

A reference lies in the agent's reach. What it named at the seal is believed; what it names now only
where the repository it was fetched from can be asked, or lies beyond this machine.
"""

from __future__ import annotations

import re

from forsooth.core.ground import Ground
from forsooth.core.plan import Plan
from forsooth.errors import ForsoothError
from forsooth.git import config
from forsooth.git.history import is_ancestor
from forsooth.git.names import resolve
from forsooth.git.references import reference
from forsooth.git.repository import Repository, repository_at

_BEYOND = re.compile(r"(?:https?|ssh|git)://|[\w.-]+@[\w.-]+:")


def upstream_now(repo: Repository, plan: Plan) -> str | None:
    """Where the upstream stands; none when the plan has none, or it is not there."""
    if not plan.upstream:
        return None
    try:
        return resolve(repo, plan.upstream)
    except ForsoothError:
        return None


def believed(repo: Repository, plan: Plan, ground: Ground | None) -> str | None:
    """The upstream's commit that is taken at its word."""
    now = upstream_now(repo, plan)
    sealed = ground.upstream if ground else None
    if now is None or now == sealed or plan.upstream is None:
        return now
    url, branch = _origin(repo, plan.upstream)
    if url and _BEYOND.match(url):
        return now
    return now if url and _has(url, branch, now, repo) else sealed


def is_within(repo: Repository, plan: Plan) -> bool:
    """Whether the upstream is a branch of this very repository, which an agent can move."""
    return bool(plan.upstream) and not _origin(repo, plan.upstream or "")[0]


def _origin(repo: Repository, upstream: str) -> tuple[str, str]:
    """Where a reference was fetched from, and the branch there; empty for one of our own."""
    remote, _, branch = upstream.removeprefix("refs/remotes/").partition("/")
    url = config.value(repo.common / "config", f"remote.{remote}.url") if branch else ""
    return url or "", branch


def _has(url: str, branch: str, commit: str, repo: Repository) -> bool:
    """Whether a repository on this machine has a commit on the branch it was fetched from."""
    try:
        place = (repo.root / url.removeprefix("file://")).resolve()
        other = repository_at(place) or Repository(place, place, place)
        there = reference(other, f"refs/heads/{branch}")
        return there is not None and is_ancestor(other, commit, there)
    except ForsoothError:
        return False
