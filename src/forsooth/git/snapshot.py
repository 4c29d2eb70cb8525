"""What is delivered, as one tree: a branch, or the work tree as it lies.

The snapshot is taken through a copy of the index into a store of our own: HEAD, the index and the
repository's objects stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git.objects import tree_of
from forsooth.git.references import branch, head, reference
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import private
from forsooth.git.stores import store
from forsooth.git.submodules import submodule
from forsooth.git.taking import Taken, Taking

Fence = Callable[[str], bool]

_TRIES = 3


class Snapshot(NamedTuple):
    """A tree and how it was come by.

    `dirty`: paths that differ from the commit; with a branch delivered, work that is not committed
    and so not in the tree. `untracked`: what is there and not delivered: files the fence does not
    admit, repositories inside this one, and whatever is not committed in a submodule.
    """

    tree: str
    commit: str | None
    dirty: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()


def snapshot(
    repo: Repository,
    *,
    deliver: str = "worktree",
    fence: Fence | None = None,
    excludes: Iterable[Path] = (),
    into: Path | None = None,
) -> Snapshot:
    """Snapshot what is delivered: `worktree`, or `branch NAME`.

    Untracked files are taken when they are not ignored and the fence admits them; `excludes` are
    further files of patterns to ignore, such as the user's own. New objects go to our own store,
    or `into` another.
    """
    if deliver == "worktree":
        return _worktree(repo, fence or _all, into=into or store(repo), excludes=excludes)
    name = deliver.removeprefix("branch ").strip()
    full = name if name.startswith("refs/") else f"refs/heads/{name}"
    commit = reference(repo, full)
    if commit is None:
        says = f"{full} is delivered and does not exist"
        raise CouldNotVerify(says, hint=f"git branch {name}", code="unknown-revision")
    tree = tree_of(repo, commit)
    if branch(repo) != full:
        return Snapshot(tree, commit)
    lying = _worktree(repo, fence or _all, into=None, excludes=excludes)
    return lying._replace(tree=tree)


def _worktree(
    repo: Repository, fence: Fence, *, into: Path | None, excludes: Iterable[Path] = ()
) -> Snapshot:
    """Take the work tree, again if anything moved meanwhile; without a store it only looks."""
    patterns = [bytes_of(path) for path in (repo.common / "info" / "exclude", *excludes)]
    for _ in range(_TRIES):
        commit = head(repo)
        tree = tree_of(repo, commit) if commit else None
        with private(repo, store=into) as git_dir:
            (git_dir / "info").mkdir()
            (git_dir / "info" / "exclude").write_bytes(b"\n".join(patterns))
            taken = Taking(repo, git_dir, tree=tree, is_kept=into is not None).take(fence)
        if taken:
            left = (*taken.left, *_left_in_submodules(repo, taken))
            return Snapshot(taken.tree, commit, taken.dirty, tuple(sorted(left)))
    says = f"files in {repo.root} kept changing while they were read"
    raise CouldNotVerify(says, hint="git status", code="changing")


def _left_in_submodules(repo: Repository, taken: Taken) -> Iterable[str]:
    """Work in a submodule that is not in the commit it stands at."""
    for path in taken.submodules:
        module = submodule(repo, path)
        if module and module.root.is_dir():
            inner = _worktree(module, _none, into=None)
            yield from (f"{path}/{name}" for name in (*inner.dirty, *inner.untracked))


def _all(_: str) -> bool:
    return True


def _none(_: str) -> bool:
    return False
