"""Filling a Cargo layer: the registry's sources by lock. `cargo fetch` runs no build script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.locks import packages, versions
from forsooth.judge.environment.prepare.step import Workshop, whole
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import Tree, joined
from forsooth.judge.openat import remove
from forsooth.judge.sandbox.job import Mount


def fill(shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...]) -> dict[str, object]:
    """Fetch the crates a lock names; without one, choose versions and remember them."""
    tree = shop.work / "tree"
    whole(shop.source, tree)
    lock = joined(recipe.members[0], "Cargo.lock")
    made_here = not recipe.lock
    if made_here and not shop.recall(tree / lock):
        _cargo(shop, ("generate-lockfile",), tree / recipe.subproject, tools=tools)
        shop.keep(tree / lock)
    files = Tree([lock], lambda path: shop.read(tree / path))
    for package in packages(files, lock):
        if package.source == "git":
            says = f"{package.name} is named by repository, not by release"
            raise failure("vcs-dependency", says, package=package.name)
    _cargo(shop, ("fetch", "--locked"), tree / recipe.subproject, tools=tools)
    if made_here:
        shop.write(shop.folder / "Cargo.lock", shop.read(tree / lock))
    shop.clear()
    own = sorted({one.name for one in packages(files, lock) if one.source == "local"})
    return {"packages": versions(files, lock), "own": own}


def forget(target: Path, own: Iterable[str]) -> None:
    """Have the tree's own packages built again: cargo tells a changed file by its time alone, and
    a judged copy's times say nothing. Crates of the registry stay built.
    """
    for prints in [path for path in target.rglob(".fingerprint") if not path.is_symlink()]:
        for name in own:
            for path in prints.glob(f"{name}-*"):
                if re.fullmatch(rf"{re.escape(name)}-[0-9a-f]{{16}}", path.name):
                    remove(path)
    for folder in list(target.rglob("incremental")):
        remove(folder)


def _cargo(shop: Workshop, argv: tuple[str, ...], cwd: Path, *, tools: tuple[Tool, ...]) -> None:
    env = {"CARGO_HOME": str(shop.folder / "cargo"), "CARGO_TERM_COLOR": "never"}
    shop.step((str(tools[0].program), *argv), cwd=cwd, env=env, tools=tools)


def mounts(folder: Path, recipe: Recipe, *, root: str) -> tuple[Mount, ...]:
    """The registry as an overlay, because cargo locks it; and the lock when we made it."""
    home = Mount(folder / "cargo", str(folder / "cargo"), "overlay", root=folder)
    lock = folder / "Cargo.lock"
    target = f"{root}/{joined(recipe.members[0], 'Cargo.lock')}"
    return (home, Mount(lock, target, "file", root=folder)) if lock.is_file() else (home,)


def environment(folder: Path) -> Mapping[str, str]:
    """A cargo that has its crates and asks nobody for more."""
    return {"CARGO_HOME": str(folder / "cargo"), "CARGO_NET_OFFLINE": "true"}
