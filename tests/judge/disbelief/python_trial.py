"""A small Python project put through every ward about its runner, as a verdict would."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.core.call import call_of
from forsooth.core.check import TestsParams as Params
from forsooth.judge.checks.recipes import recipe_of
from forsooth.judge.checks.recipes.recipe import Asked, Doubt
from forsooth.judge.checks.trial import Doubted, Flaw, Held, Lacking, Trial
from forsooth.judge.disbelief.audit import audited
from forsooth.judge.disbelief.doubt import believed
from tests.judge.checks.place import written
from tests.judge.disbelief.room import FolderRoom

NONCE = "5eed1e550badcafe"


class Came(NamedTuple):
    """The bare command's status, why the work is refused, and which wards held or said nothing."""

    bare: int | None
    codes: tuple[str, ...]
    held: tuple[str, ...]
    lacking: tuple[str, ...]
    green: Trial
    doubt: Doubt | str | None = None
    doubted: Trial | None = None


def came(
    files: Mapping[str, str],
    folder: Path,
    *,
    argv: str = "python -m pytest -q",
    runner: str = "pytest",
    env: Mapping[str, str] | None = None,
    known: tuple[str, ...] | None = (),
    nonce: str = NONCE,
    bare: bool = True,
) -> Came:
    """The bare command, the green run, and the doubted run where the green one holds.

    Without `known` the seal is taken to have seen what is seen now.
    """
    root = written(files, folder / "tree" / "repo").resolve()
    params = Params(argv=tuple(argv.split()), runner=runner, env=dict(env or {}))
    room = FolderRoom(root, params)
    code = room.bare(room.tree).exit if bare else 0
    green = room.tried(room.tree)
    if green.end or green.told is None:
        return Came(code, (green.end.code if green.end else "",), (), (), green)
    recipe = recipe_of(runner)
    assert recipe
    assert recipe.doubt
    asked = Asked(call_of(params.argv, runner), params.env, room.look(room.tree))
    told = green.told
    audit = audited(told, (*told.patched, *told.inside) if known is None else known)
    seen: list[Doubted] = [audit] if audit else []
    doubt = recipe.doubt(asked, green.told, nonce)
    trial = None
    if isinstance(doubt, Doubt):
        tree = room.edited(room.tree, doubt.edits)
        trial = room.tried(tree, order=doubt.order)
        seen += believed(doubt, trial, green.told)
    return Came(
        code,
        tuple(one.code for one in seen if isinstance(one, Flaw)),
        tuple(one.what for one in seen if isinstance(one, Held)),
        tuple(one.what for one in seen if isinstance(one, Lacking)),
        green,
        doubt,
        trial,
    )


def red(trial: Trial | None) -> set[str]:
    """The tests that failed."""
    assert trial
    assert trial.told
    return {test.id for test in trial.told.red}
