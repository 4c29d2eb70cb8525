"""Which commit broke something: bisection between the last pass and now, bounded in runs and time.

A commit that cannot be run says nothing, and is stepped over as git's own bisection does. Where
such commits lie next to the answer, all that may be it are named, and no single one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from forsooth.git.commit import Commit
from forsooth.git.objects import tree_of
from forsooth.git.repository import Repository
from forsooth.git.trees import changes

MOST = 8
SECONDS = 600.0

IsRed = Callable[[str], "bool | None"]


class Culprit(NamedTuple):
    """The commit that broke it, or the run of commits among which it is; `last` is the newest."""

    commits: tuple[str, ...]
    runs: int

    @property
    def is_sure(self) -> bool:
        """Whether it is one commit."""
        return len(self.commits) == 1

    @property
    def last(self) -> str:
        """The newest that may be it: red was seen here or right after."""
        return self.commits[-1]


class Blame(NamedTuple):
    """A culprit as a person reads it."""

    says: str
    files: tuple[str, ...]


def culprit(
    commits: Sequence[str],
    is_red: IsRed,
    *,
    most: int = MOST,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Culprit | None:
    """The commit that turned green to red; none when there is none to name.

    `commits` come after the last pass, oldest first, and the last of them is known to be red.
    1. Before the first all is green, at the last it is red. 2. Ask the one in the middle, or the
    nearest that can be run. 3. Narrow. 4. When the runs or the time are spent, name what is left.
    """
    if not commits:
        return None
    green, red = -1, len(commits) - 1  # 1
    unknown: set[int] = set()
    runs, until = 0, clock() + seconds
    while runs < most and clock() < until:
        left = [at for at in range(green + 1, red) if at not in unknown]
        if not left:
            break
        middle = (green + red) // 2
        at = min(left, key=lambda one: (abs(one - middle), one))  # 2
        runs += 1
        answer = is_red(commits[at])
        if answer is None:
            unknown.add(at)
        elif answer:
            red = at  # 3
        else:
            green = at
    return Culprit(tuple(commits[green + 1 : red + 1]), runs)  # 4


def blamed(repo: Repository, found: Culprit, known: Sequence[Commit]) -> Blame:
    """What to tell about a culprit: its commit and subject, and the files it changed."""
    by_id = {commit.id: commit for commit in known}
    last = by_id[found.last]
    subject = (last.message.splitlines() or [""])[0]
    first = by_id[found.commits[0]]
    before = tree_of(repo, first.parents[0]) if first.parents else None
    files = tuple(change.path for change in changes(repo, before, last.tree))
    if found.is_sure:
        return Blame(f"broke in {last.id[:7]} ({subject})", files)
    return Blame(f"broke in one of {len(found.commits)} commits up to {last.id[:7]}", files)
