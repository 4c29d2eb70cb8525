"""A criterion seen again in every way that it can be: what differs from run to run is luck."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from forsooth.core.call import call_of
from forsooth.core.check import TestsParams
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.flips.choice import shuffled
from forsooth.judge.checks.recipes.recipe import Asked, Order, once_more, twice
from forsooth.judge.checks.tests import reporting
from forsooth.judge.checks.trial import Doubted, Lacking, Trial
from forsooth.judge.court import Court
from forsooth.judge.disbelief.chance import is_chancy
from forsooth.judge.disbelief.repeat import repeated, rounds_for, times_for
from forsooth.judge.ground import Record
from forsooth.judge.rooms import Trying


def seen_again(
    record: Record, court: Court, room: Trying, last: Trial, spare: float
) -> Iterator[Doubted]:
    """As often as the time allows; in another order or one copy only where the base bore it."""
    tree, look, params = court.tree, room.look(court.tree), room.params
    before = room.look(court.base) if court.base else None
    wanted = times_for(last.ran.took, spare, chancy=is_chancy(look.changes, look, before))
    if wanted.lacking:
        yield wanted.lacking
    recipe = recipe_of(params.runner) if isinstance(params, TestsParams) else None
    order: Order | None = Order(params.argv)
    turned = rounds = None
    if recipe and isinstance(params, TestsParams):
        order = reporting(params, look, recipe)
        asked = Asked(call_of(params.argv, params.runner), params.env, look)
        if recipe.turned and "another order" in record.withstands:
            turned = partial(_turned, recipe.turned, asked, _once_red(record))
        if recipe.rounds and (times := rounds_for(last.told)):
            rounds = partial(room.tried, tree, order=recipe.rounds(asked, times))
    again = order if order and "one copy twice" in record.withstands else None
    over = twice if recipe else once_more
    if not again:
        yield Lacking("same-copy", "the base was not, or fails so")
    yield repeated(
        room,
        tree,
        first=last,
        times=wanted.times,
        order=order,
        shuffled=turned,
        same_copy=(lambda: (room.tried(tree, order=over(again)),)) if again else None,
        rounds=rounds,
        each=court.rooms.runs.each,
    )


def _once_red(record: Record) -> list[str]:
    """Tests that were red on the base: what they hold now may be owed to those before them."""
    if record.tests is None:
        return []
    ended = record.tests.tests.items()
    return shuffled([id_ for id_, out in ended if out in ("failed", "error")], secrets.token_hex(8))


def _turned(
    order: Callable[[Asked, int], Order], asked: Asked, once_red: Sequence[str], number: int
) -> Order:
    """Last to first, but for one of those that were red, another each time."""
    first = once_red[number % len(once_red)] if once_red else ""
    return order(asked._replace(first=first), number)
