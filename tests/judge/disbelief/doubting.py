"""A small project put through the green run and the doubted run, as a verdict would."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.core.call import call_of
from forsooth.core.check import TestsParams as Params
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.recipe import Asked
from forsooth.judge.checks.trial import Flaw, Held, Lacking
from forsooth.judge.disbelief.doubt import believed
from tests.judge.checks.npm import modules
from tests.judge.checks.place import written
from tests.judge.disbelief.room import FolderRoom
from tests.tools import require

PACKAGED = ("vitest", "jest", "mocha", "bats")
NONCE = "5eed1"


class Came(NamedTuple):
    """What the bare command exits with, why the project is refused, which wards held."""

    bare: int | None
    codes: tuple[str, ...]
    held: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()


def room(files: Mapping[str, str], folder: Path, *, argv: str, runner: str) -> FolderRoom:
    """The project in a folder with its runner; a skip where the runner is not to be had."""
    root = written(files, folder / "tree" / "repo").resolve()
    if runner in PACKAGED:
        if not (root / "node_modules").exists():
            (root / "node_modules").symlink_to(modules())
    else:
        require(runner)
    return FolderRoom(root, Params(argv=tuple(argv.split()), runner=runner))


def came(
    files: Mapping[str, str], folder: Path, *, argv: str, runner: str, bare: bool = True
) -> Came:
    """The bare command, the green run and the doubted run, one after another."""
    there = room(files, folder, argv=argv, runner=runner)
    code = there.bare(there.tree).exit if bare else 0
    green = there.tried(there.tree)
    if green.end or green.told is None:
        return Came(code, (green.end.code if green.end else "",))
    recipe = recipe_of(runner)
    assert recipe
    assert recipe.doubt
    params = there.params
    asked = Asked(call_of(params.argv, runner), params.env, there.look(there.tree))
    doubt = recipe.doubt(asked, green.told, NONCE)
    ids = tuple(test.id for test in green.told.tests)
    if isinstance(doubt, str):
        return Came(code, (), lacking=(doubt,), ids=ids, inside=green.told.inside)
    trial = there.tried(there.edited(there.tree, doubt.edits), order=doubt.order)
    found = believed(doubt, trial, green.told)
    return Came(
        code,
        tuple(one.code for one in found if isinstance(one, Flaw)),
        tuple(one.what for one in found if isinstance(one, Held)),
        (*doubt.lacking, *(one.why for one in found if isinstance(one, Lacking))),
        ids,
        green.told.inside,
    )
