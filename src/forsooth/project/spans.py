"""What a person means by a range: where the work began, and where it ends.

Both ends are trees. A branch begins where it parted from what it will be merged into, so that
nobody is told about other people's changes.
"""

from __future__ import annotations

from typing import NamedTuple

from forsooth.core.plan import Base
from forsooth.errors import CouldNotVerify, UsageError
from forsooth.git.history import merge_base
from forsooth.git.names import resolve
from forsooth.git.objects import tree_of
from forsooth.git.references import reference, remotes
from forsooth.git.repository import Repository
from forsooth.git.snapshot import snapshot

MAINS = ("main", "master", "trunk", "develop")


class Span(NamedTuple):
    """Two trees; `says` is how a person calls them, `text` what can be typed for them."""

    says: str
    text: str
    base: Base
    tree: str
    commit: str | None
    is_worktree: bool = False
    untracked: tuple[str, ...] = ()


def span(repo: Repository, text: str = "", *, branch: str = "", pr: int = 0) -> Span:
    """The ends of A..B, of A...B, from one commit to the work tree, of a branch, of a request."""
    if sum(map(bool, (text, branch, pr))) > 1:
        raise UsageError("say one of a range, --branch and --pr", hint="forsooth check main..HEAD")
    if pr:
        return _parted(repo, default(repo), _request(repo, pr), says=f"request {pr}")
    if branch:
        return _parted(repo, default(repo), resolve(repo, branch), says=branch)
    before, dots, after = text.partition("..")
    if dots:
        head = resolve(repo, after.removeprefix(".") or "HEAD")
        return _parted(repo, resolve(repo, before or "HEAD"), head, says=text)
    return _lying(repo, text)


def _parted(repo: Repository, onto: str, head: str, *, says: str) -> Span:
    base = _base(repo, onto, head, says=says)
    text = f"{(base.commit or onto)[:12]}..{head[:12]}"
    return Span(says, text, base, tree_of(repo, head), head)


def _lying(repo: Repository, text: str) -> Span:
    """From a commit, or from where this branch parted, to the work tree with what is not added."""
    head = resolve(repo, "HEAD")
    begun = resolve(repo, text) if text else default(repo)
    says = f"{text or begun[:12]} to the work tree"
    found = snapshot(repo)
    base = _base(repo, begun, head, says=says)
    return Span(says, text, base, found.tree, head, is_worktree=True, untracked=found.untracked)


def _base(repo: Repository, onto: str, head: str, *, says: str) -> Base:
    found = merge_base(repo, onto, head)
    if found is None:
        raise CouldNotVerify(f"the two sides of {says} share no commit", code="unrelated")
    return Base(commit=found, tree=tree_of(repo, found))


def default(repo: Repository) -> str:
    """The commit a branch will be merged into: a remote's own choice, else a usual name."""
    names = [f"refs/remotes/{remote}/HEAD" for remote in _first_origin(repo)]
    names += [f"refs/remotes/{r}/{name}" for r in _first_origin(repo) for name in MAINS]
    names += [f"refs/heads/{name}" for name in MAINS]
    found = next((id_ for name in names if (id_ := reference(repo, name))), None)
    return found or resolve(repo, "HEAD")


def _first_origin(repo: Repository) -> list[str]:
    return sorted(remotes(repo), key=lambda name: (name != "origin", name))


def _request(repo: Repository, number: int) -> str:
    remotes_ = _first_origin(repo)
    names = [f"refs/pull/{number}/head", f"refs/merge-requests/{number}/head"]
    names += [f"refs/remotes/{r}/{form}/{number}" for r in remotes_ for form in ("pr", "pull")]
    names += [f"refs/remotes/{r}/pull/{number}/head" for r in remotes_]
    found = next((id_ for name in names if (id_ := reference(repo, name))), None)
    if found is None:
        hint = f"git fetch {(remotes_ or ['origin'])[0]} pull/{number}/head:refs/pull/{number}/head"
        raise CouldNotVerify(f"request {number} is not here", hint=hint, code="unknown-revision")
    return found
