"""Which tests a suite has, asked of its runner twice so that names made anew each time show."""

from __future__ import annotations

from forsooth.core.call import call_of
from forsooth.core.check import TestsParams
from forsooth.judge.checker import Context
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.recipe import Asked, Recipe
from forsooth.judge.checks.tests import reporting, started
from forsooth.judge.reports.ids import Inventory, inventory_of, placed
from forsooth.judge.reports.report import Problem

_SEEDS = ("0", "1")


def inventory(params: TestsParams, ctx: Context) -> Inventory | Problem:
    """The tests of a suite, folded where names do not last; why there is no list otherwise."""
    recipe = recipe_of(params.runner)
    if recipe is None:
        return Problem("no-report", f"no report of {params.runner} can be read")
    first, second = (_collected(params, ctx, recipe, seed) for seed in _SEEDS)
    if isinstance(first, Problem):
        return first
    return second if isinstance(second, Problem) else inventory_of(first, second)


def _collected(
    params: TestsParams, ctx: Context, recipe: Recipe, seed: str
) -> tuple[str, ...] | Problem:
    seeded = params.but(env={**params.env, "PYTHONHASHSEED": seed})
    names = _listed(seeded, ctx, recipe)
    if isinstance(names, Problem):
        return names
    return tuple(placed(id_, ctx.place.root) for id_ in names)


def _listed(params: TestsParams, ctx: Context, recipe: Recipe) -> tuple[str, ...] | Problem:
    """By the runner's own list; by a run where it has none, gives none, or is out of sight."""
    call = call_of(params.argv, params.runner)
    seconds = params.timeout or ctx.seconds
    if recipe.listing and recipe.listed and call.at is not None:
        order = recipe.listing(Asked(call, params.env, ctx.look))
        names = recipe.listed(started(order, params, ctx.place, seconds=seconds))
        if not isinstance(names, Problem):
            return names
    order = reporting(params, ctx.look, recipe)
    if order is None:
        return Problem("no-report", f"the command does not show where it calls {params.runner}")
    told = recipe.read(started(order, params, ctx.place, seconds=seconds))
    return told if isinstance(told, Problem) else tuple(test.id for test in told.tests)
