"""Which commits come before which, walked over commits whose names were checked.

Git's own walk would believe grafts, replacements, a commit graph and objects put there by hand.
The walk is git's: newest first, painting what each side reaches, until both sides agree.
A clone that ends before the answer does is an error, never an answer.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection

from forsooth.git.commit import Commit, parsed
from forsooth.git.reader import Reader, absent, reading
from forsooth.git.repository import Repository

_OURS, _THEIRS, _PAST = 1, 2, 4  # past: reached through a commit both sides have
_BOTH = _OURS | _THEIRS


def commits(repo: Repository, base: str | None, head: str) -> tuple[Commit, ...]:
    """What head has and base has not, parents before children."""
    with reading(repo) as reader:
        walk = _Walk(reader, head, base)
        walk.run()
        own = {id_ for id_, paint in walk.paint.items() if paint == _OURS}
        return tuple(walk.known(id_) for id_ in _parents_first(walk, own, head))


def is_ancestor(repo: Repository, before: str, after: str) -> bool:
    """Whether a commit is another one or comes before it."""
    with reading(repo) as reader:
        walk = _Walk(reader, before, after)
        walk.run(until=before)
        return bool(walk.paint[before] & _THEIRS)


def merge_base(repo: Repository, one: str, other: str) -> str | None:
    """The newest commit that both have; none when they share no history."""
    with reading(repo) as reader:
        walk = _Walk(reader, one, other)
        walk.run()
        return next((id_ for id_ in walk.common if not walk.paint[id_] & _PAST), None)


class _Walk:
    """Paints every commit by which of two sides reaches it."""

    def __init__(self, reader: Reader, ours: str, theirs: str | None) -> None:
        self._reader = reader
        self._queue: list[tuple[int, int, str]] = []
        self._open: set[str] = set()
        self._known: dict[str, Commit | None] = {}
        self._oldest: int | None = None
        self.paint: dict[str, int] = {}
        self.common: list[str] = []
        for id_, paint in ((ours, _OURS), (theirs, _THEIRS)):
            if id_:
                self.known(id_)
                self._reach(id_, paint)

    def known(self, id_: str) -> Commit:
        """A commit that must be there."""
        found = self._find(id_)
        if found is None:
            raise absent(self._reader.repo, id_)
        return found

    def run(self, until: str = "") -> None:
        """Walk until nothing new can be painted, or a commit is reached from both sides."""
        while self._queue and (self._open or self._may_repaint()):
            if until and self.paint[until] & _BOTH == _BOTH:
                return
            id_ = heapq.heappop(self._queue)[2]
            if id_ in self._open or self._find(id_):
                self._visit(self.known(id_))

    def _visit(self, commit: Commit) -> None:
        self._open.discard(commit.id)
        paint = self.paint[commit.id]
        if paint == _BOTH:
            self.common.append(commit.id)
            paint |= _PAST
        if paint == _OURS:
            self._oldest = min(self._oldest or commit.commit_time, commit.commit_time)
        for parent in commit.parents:
            self._reach(parent, paint)

    def _reach(self, id_: str, paint: int) -> None:
        before = self.paint.get(id_, 0)
        self.paint[id_] = before | paint
        if self.paint[id_] == before:
            return
        (self._open.discard if self.paint[id_] & _PAST else self._open.add)(id_)
        found = self._find(id_)  # what a clone lacks comes last, when no other answer is left
        when = found.commit_time if found else 0
        heapq.heappush(self._queue, (-when, len(self._queue), id_))

    def _may_repaint(self) -> bool:
        """Whether a shared commit in the queue is newer than one that only we reach.

        Clocks differ: it may still come before that one. Without this the answer would only be
        longer than it should.
        """
        return self._oldest is not None and -self._queue[0][0] >= self._oldest

    def _find(self, id_: str) -> Commit | None:
        if id_ not in self._known:
            found = self._reader.find(id_)
            self._known[id_] = parsed(found) if found else None
        return self._known[id_]


def _parents_first(walk: _Walk, own: Collection[str], head: str) -> list[str]:
    """Ours in an order that no forged date can change."""
    order: list[str] = []
    seen: set[str] = set()
    stack = [(head, False)]
    while stack:
        id_, is_left = stack.pop()
        if is_left:
            order.append(id_)
        elif id_ in own and id_ not in seen:
            seen.add(id_)
            stack.append((id_, True))
            stack += [(parent, False) for parent in reversed(walk.known(id_).parents)]
    return order
