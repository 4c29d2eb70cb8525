"""Filling a layer by a person's own commands, as forsooth.toml gives them."""

from __future__ import annotations

import shutil
from pathlib import Path

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.prepare.step import Workshop, whole
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.sandbox.job import Mount


def fill(
    shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...], *, root: str
) -> dict[str, object]:
    """Run each command in a copy at the repository's own path; keep the folders it names."""
    tree = shop.work / "tree"
    whole(shop.source, tree)
    place = Mount(tree, root, "rw")
    for argv in recipe.prepare:
        cwd = Path(root, recipe.subproject)
        shop.step(argv, cwd=cwd, tools=tools, mounts=(place,), foreign=True)
    for path in recipe.keeps:
        if not (tree / path).exists():
            says = f"`prepare` made no {path}, which `keeps` names"
            raise failure("install-failed", says, remedy="correct `keeps` in forsooth.toml")
        (shop.folder / "kept" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(tree / path, shop.folder / "kept" / path)
    shop.clear()
    return {"packages": {}}


def mounts(folder: Path, recipe: Recipe, *, root: str) -> tuple[Mount, ...]:
    """What was kept, at its place in the repository."""
    return tuple(
        Mount(folder / "kept" / path, f"{root}/{path}", "overlay") for path in recipe.keeps
    )
