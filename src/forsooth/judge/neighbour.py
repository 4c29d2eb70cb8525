"""The other goals of a plan, whose work lies in the same tree as the work that is judged.

A plan is proven goal by goal, in one tree or in several that are merged. So a judging must know
which differences from the base are not the work of its own goal:

- A **proven** goal has a receipt, and the receipt names a tree. A file that is as that tree has it
  is that goal's accepted work: it is neither outside of anyone's allowed paths, nor a changed test
  where the proven goal had permission to change it.
- A goal that is **open**, in force and not proven, may have changed what the plan names for it: its
  allowed paths and its permissions. For allowed paths, and for what was green before any work, that
  is taken as it is, whether or not anyone began the goal: its own claim decides about it. A
  criterion that was red is judged without it.
- Where an open goal may go anywhere, nothing is named. It explains a change outside of another
  goal's allowed paths only once it was **begun**, and the finding says so.

A proven tree holds more than its goal's work. What is in it by the permission of another goal is
neither the proven goal's nor frozen by its receipt: it stays that other goal's, open or proven.
What a proven goal had permission to change is frozen: a file that differs from its tree again was
changed by someone else, and is judged as that goal left it.

What this does not see: who wrote a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from forsooth.core.plan import Goal
from forsooth.git.history import is_ancestor
from forsooth.git.objects import tree_of
from forsooth.git.repository import Repository
from forsooth.git.trees import Change, changes, listing

State = Mapping[str, tuple[str, str]]  # mode and id by path


class Neighbour(NamedTuple):
    """Another goal: the tree and commit of its last receipt, and how far it is.

    `is_open` says that it is in force and not proven, `begun` that it is open and had an attempt.
    `is_local` says that the receipt was made in the very work tree that is judged. `changed` is how
    the receipt's tree differs from the base, `same` which of these paths the judged tree has as it
    left them, and `is_here` whether its work is in the judged tree at all: it may have been proven
    in another work tree that was not merged yet.
    """

    goal: Goal
    tree: str | None = None
    commit: str | None = None
    is_open: bool = False
    begun: bool = False
    is_local: bool = False
    changed: tuple[Change, ...] = ()
    same: frozenset[str] = frozenset()
    is_here: bool = False


def compared(
    neighbours: Iterable[Neighbour],
    repo: Repository,
    *,
    base: str | None,
    tree: str,
    commit: str | None = None,
) -> tuple[Neighbour, ...]:
    """Neighbours, in the order of their receipts, with what there is of their work in a tree."""
    rows = tuple(neighbours)
    if not any(one.tree for one in rows):
        return rows
    now = {entry.path: (entry.mode, entry.id) for entry in listing(repo, tree)}
    moved = frozenset(change.path for change in changes(repo, base, tree))
    found, earlier = list[Neighbour](), set[Change]()
    for one in rows:
        if one.tree is None:
            found.append(one)
            continue
        changed = changes(repo, base, one.tree)
        own = [change for change in changed if change not in earlier] or changed
        earlier.update(changed)
        is_here = any(is_as_left(change, now) for change in own) or _is_merged(one, repo, commit)
        is_here = is_here or (one.is_local and any(change.path in moved for change in own))
        same = frozenset(change.path for change in changed if is_as_left(change, now))
        found.append(one._replace(changed=changed, same=same, is_here=is_here))
    return tuple(found)


def is_as_left(change: Change, now: State) -> bool:
    """Whether a path is what a change made of it."""
    found = now.get(change.path)
    return found is None if change.status == "D" else found == (change.new_mode, change.new_id)


def _is_merged(one: Neighbour, repo: Repository, commit: str | None) -> bool:
    """Whether the history holds the very commit that a goal was proven at."""
    if one.commit is None or commit is None or tree_of(repo, one.commit) != one.tree:
        return False
    return is_ancestor(repo, one.commit, commit)
