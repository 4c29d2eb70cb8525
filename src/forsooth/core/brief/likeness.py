"""Which old goal a story continues, so that its proof and its failures can be followed.

Never by position alone: an id carries attempts, blockers and receipts, and must not pass to work
that has nothing to do with them. When in doubt a story is a new goal.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from forsooth.core.brief.brief import Story
from forsooth.core.brief.draft import Draft
from forsooth.core.canonical import digest_of
from forsooth.core.plan import Criterion, Goal

CONTENT = ("says", "check", "surface", "tags", "paths", "oracle", "guard", "hidden", "mutants")

_WORD = re.compile(r"\w+")
_ALIKE = 0.6
_MOST_PAIRS = 10_000
_MOST_WORDS = 200


def continued(stories: Sequence[Story], goals: Sequence[Goal]) -> dict[int, str]:
    """The old goal each story continues, by its place in the brief.

    1. The same title.
    2. The same objective.
    3. The same criteria, when no other goal has them.
    4. Mostly the same words in title or objective, the most alike first; only goals of the brief.
    """
    names: dict[int, str] = {}
    for same in (_title, _objective):  # 1, 2
        waiting: defaultdict[str, deque[str]] = defaultdict(deque)
        for goal in _left(goals, names):
            waiting[same(goal)].append(goal.id)
        for at, story in enumerate(stories):
            if at not in names and waiting[same(story)]:
                names[at] = waiting[same(story)].popleft()
    names |= _proven_alike(stories, goals, names)  # 3
    return names | _alike(stories, goals, names)  # 4


def content(one: Draft | Criterion) -> str:
    """What a criterion claims and how, as one digest."""
    return digest_of(one.model_dump(mode="json", include=set(CONTENT)))


def _left(goals: Iterable[Goal], names: dict[int, str]) -> list[Goal]:
    named = set(names.values())
    return [goal for goal in goals if goal.id not in named]


def _title(one: Story | Goal) -> str:
    return one.title


def _objective(one: Story | Goal) -> str:
    return one.objective


def _claims(one: Story | Goal) -> str:
    """What proves it, fences left out: many goals share those. Empty when nothing else does."""
    rows = one.drafts if isinstance(one, Story) else (*one.entry, *one.criteria)
    found = sorted(content(row) for row in rows if row.check.kind != "scope")
    return " ".join(found)


def _proven_alike(
    stories: Sequence[Story], goals: Sequence[Goal], names: dict[int, str]
) -> dict[int, str]:
    asked: defaultdict[str, list[int]] = defaultdict(list)
    for at, story in enumerate(stories):
        if at not in names:
            asked[_claims(story)].append(at)
    had: defaultdict[str, list[str]] = defaultdict(list)
    for goal in _left(goals, names):
        had[_claims(goal)].append(goal.id)
    return {
        places[0]: had[claims][0]
        for claims, places in asked.items()
        if claims and len(places) == len(had[claims]) == 1
    }


class _Pair(NamedTuple):
    """How unlike a story and a goal are, where the story stands, and the goal."""

    distance: float
    at: int
    goal: str


def _alike(
    stories: Sequence[Story], goals: Sequence[Goal], names: dict[int, str]
) -> dict[int, str]:
    rest = [at for at in range(len(stories)) if at not in names]
    old = [goal for goal in _left(goals, names) if not goal.is_steered]
    if len(rest) * len(old) > _MOST_PAIRS:
        return {}
    pairs = [
        _Pair(1 - near, at, goal.id)
        for at in rest
        for goal in old
        if (near := _likeness(stories[at], goal)) >= _ALIKE
    ]
    found: dict[int, str] = {}
    for pair in sorted(pairs):
        if pair.at not in found and pair.goal not in found.values():
            found[pair.at] = pair.goal
    return found


def _likeness(story: Story, goal: Goal) -> float:
    """How many of their words two titles, or two objectives, share."""
    asks: tuple[Callable[[Story | Goal], str], ...] = (_title, _objective)
    return max(_shared(ask(story), ask(goal)) for ask in asks)


def _shared(one: str, other: str) -> float:
    mine, theirs = _words(one), _words(other)
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.0


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())[:_MOST_WORDS])
