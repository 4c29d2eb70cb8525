"""Which runner is asked how. A runner that is not here is known by its exit status alone."""

from __future__ import annotations

from collections.abc import Mapping

from forsooth.judge.checks.recipes.compiled import CARGO, GO, NEXTEST
from forsooth.judge.checks.recipes.javascript import JEST, MOCHA, NODE, VITEST
from forsooth.judge.checks.recipes.python import PYTEST, UNITTEST
from forsooth.judge.checks.recipes.recipe import Recipe
from forsooth.judge.checks.recipes.shell import BATS, TAP, junit_recipe

RECIPES: Mapping[str, Recipe] = {
    "pytest": PYTEST,
    "unittest": UNITTEST,
    "vitest": VITEST,
    "jest": JEST,
    "mocha": MOCHA,
    "node": NODE,
    "go": GO,
    "cargo": CARGO,
    "nextest": NEXTEST,
    "bats": BATS,
    "tap": TAP,
    "junit": junit_recipe(""),
    "maven": junit_recipe("**/target/*-reports/TEST-*.xml"),
    "gradle": junit_recipe("**/build/test-results/**/*.xml"),
}


def recipe_of(runner: str) -> Recipe | None:
    """The recipe of a runner; `junit:PATTERN` is anything that writes JUnit XML there."""
    if runner.startswith("junit:"):
        return junit_recipe(runner.partition(":")[2])
    return RECIPES.get(runner)
