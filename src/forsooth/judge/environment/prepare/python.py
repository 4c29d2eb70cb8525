"""Filling a Python layer: third-party packages in a venv, the project itself never among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from forsooth.judge.environment.locks import packages
from forsooth.judge.environment.prepare.resolve import (
    blocks,
    install,
    refuse_vcs,
    resolve,
    versions,
)
from forsooth.judge.environment.prepare.step import Workshop, copied
from forsooth.judge.environment.prepare.uv import uv
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.requirement import named, pinned
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import Tree, at, joined, toml
from forsooth.judge.sandbox.job import Mount

EXPORT = ("--frozen", "--no-emit-workspace", "--no-default-groups", "--no-header", "--no-annotate")


def fill(shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...]) -> dict[str, object]:
    """Fill one layer.

    1. Refuse what no registry can give. 2. Choose versions, or take the lock's.
    3. Make the venv at the path it will keep. 4. Install exactly those versions, compiled.
    """
    python = tools[0]
    refuse_vcs(recipe.wants)
    shop.work.mkdir(parents=True)
    pins = shop.work / "pins.txt"
    if not shop.recall(pins):
        _choose(shop, recipe, pins, python=python)
        refuse_vcs(shop.read(pins).decode().splitlines())
        shop.keep(pins)
    body = shop.read(pins).decode()
    env = shop.folder / "env"
    uv(shop, "venv", "--python", str(python.program), str(env), tools=tools)
    install(shop, env, pins, tools=tools)
    shop.clear()
    return {"packages": versions(body)}


def mounts(folder: Path) -> tuple[Mount, ...]:
    """The layer at its own path, read-only."""
    return (Mount(folder / "env", str(folder / "env"), "ro", root=folder),)


def environment(folder: Path) -> Mapping[str, str]:
    """What makes the layer's interpreter the one a command finds."""
    env = folder / "env"
    return {"PATH": str(env / "bin"), "VIRTUAL_ENV": str(env), "UV_OFFLINE": "1", "UV_NO_SYNC": "1"}


def _choose(shop: Workshop, recipe: Recipe, pins: Path, *, python: Tool) -> None:
    if recipe.manager == "uv":
        _export(shop, recipe, pins, python=python)
        _complete(shop, recipe, pins, python=python)
    elif recipe.manager == "pip" and recipe.lock:
        shop.write(pins, ("\n".join(line for line in recipe.wants if pinned(line)) + "\n").encode())
        _complete(shop, recipe, pins, python=python)
    else:
        wants = [line for line in recipe.wants if named(line) != recipe.name]
        resolve(shop, wants, limits=recipe.pins, pins=pins, python=python, project=recipe)
        _with_hashes(shop, recipe, pins)


def _export(shop: Workshop, recipe: Recipe, pins: Path, *, python: Tool) -> None:
    """The lock's own versions and hashes; uv.lock is read by the tool that wrote it."""
    tree = shop.work / "tree"
    copied(shop.source, tree, recipe.reads)
    names = [word for group in recipe.groups for word in ("--group", group)]
    names += [word for extra in recipe.extras for word in ("--extra", extra)]
    here = Tree(recipe.reads, lambda path: (tree / path).read_bytes())
    manifest = toml(here, joined(recipe.subproject, "pyproject.toml"))
    names += ["--all-packages"] if at(manifest, "tool", "uv", "workspace") else []
    where = ("--python", str(python.program), "-o", str(pins))
    uv(shop, "export", *EXPORT, *names, *where, tools=(python,), cwd=tree / recipe.subproject)
    local = ("-e ", "./", "../")
    kept = [line for line in shop.read(pins).decode().splitlines() if not line.startswith(local)]
    shop.write(pins, ("\n".join(kept) + "\n").encode())


def _complete(shop: Workshop, recipe: Recipe, pins: Path, *, python: Tool) -> None:
    """Add what tests need and the lock does not name, under the lock's own versions."""
    lock = shop.read(pins).decode()
    have = {*versions(lock), *(project.name for project in recipe.projects)}
    missing = [line for line in recipe.wants if named(line) not in have]
    if missing:
        limits = [*(line.rstrip("\\ ") for line in lock.splitlines()), *_elsewhere(shop, recipe)]
        more = shop.work / "more.txt"
        resolve(shop, missing, limits=limits, pins=more, python=python)
        new = [block for block in blocks(shop.read(more).decode()) if named(block) not in have]
        shop.write(pins, ("\n".join([*blocks(lock), *new]) + "\n").encode())


def _elsewhere(shop: Workshop, recipe: Recipe) -> list[str]:
    """What a workspace's lock chose for other members: one version for the whole workspace."""
    if recipe.manager != "uv":
        return []
    tree = Tree([recipe.lock], lambda path: (shop.source / path).read_bytes())
    every = [one for one in packages(tree, recipe.lock) if one.source != "local"]
    count = Counter(one.name for one in every)
    return [f"{one.name}=={one.version}" for one in every if count[one.name] == 1]


def _with_hashes(shop: Workshop, recipe: Recipe, pins: Path) -> None:
    """Put the lock's own hashes in the place of those the registry gave just now."""
    if not recipe.lock:
        return
    tree = Tree([recipe.lock], lambda path: (shop.source / path).read_bytes())
    locked = {(one.name, one.version): one.hashes for one in packages(tree, recipe.lock)}
    found = [_hashed(block, locked) for block in blocks(shop.read(pins).decode())]
    shop.write(pins, ("\n".join(found) + "\n").encode())


def _hashed(block: str, locked: Mapping[tuple[str, str], tuple[str, ...]]) -> str:
    head = block.split("\\\n", maxsplit=1)[0].strip()
    exact = pinned(head)
    known = locked.get(exact, ()) if exact else ()
    return " \\\n    ".join([head, *(f"--hash={value}" for value in known)]) if known else block
