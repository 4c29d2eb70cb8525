"""Filling a Python layer: third-party packages in a venv, the project itself never among them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from forsooth.judge.environment.locks import packages
from forsooth.judge.environment.prepare.backend import Source
from forsooth.judge.environment.prepare.build import dependencies
from forsooth.judge.environment.prepare.resolve import (
    Manifest,
    blocks,
    compile_packages,
    install,
    make_env,
    refuse_sources,
    resolve,
    versions,
)
from forsooth.judge.environment.prepare.step import Workshop, copied
from forsooth.judge.environment.prepare.uv import uv_offline
from forsooth.judge.environment.recipe import Build, Recipe
from forsooth.judge.environment.requirement import named, pinned, plain
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
    refuse_sources(recipe.wants)
    shop.work.mkdir(parents=True)
    pins = shop.work / "pins.txt"
    if not shop.recall(pins):
        _choose(shop, recipe, pins, python=python)
        shop.keep(pins)
    body = shop.read(pins).decode()
    env = shop.folder / "env"
    make_env(shop, env, python)
    install(shop, env, pins, python=python)
    compile_packages(shop, env, python)
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
        manifest = _manifest(shop, recipe, python) if recipe.metadata else None
        resolve(shop, wants, limits=recipe.pins, pins=pins, python=python, manifest=manifest)
        _with_hashes(shop, recipe, pins)


def _manifest(shop: Workshop, recipe: Recipe, python: Tool) -> Manifest:
    """What only the project's backend knows, as a manifest that says it plainly."""
    own = next((one for one in recipe.projects if one.path == recipe.subproject), None)
    place = shop.source / recipe.subproject
    source = Source(recipe.name, own.build if own else Build(), place)
    lines = dependencies(shop, source, python=python)
    refuse_sources(lines)
    by_extra: dict[str, list[str]] = {extra: [] for extra in ("", *recipe.extras)}
    for line in lines:
        wanted = re.search(r"extra\s*==\s*['\"]([^'\"]+)", line)
        for extra, those in by_extra.items():
            if plain(wanted[1] if wanted else "") == plain(extra):
                those.append(line)
    name = recipe.name if re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", recipe.name) else "project"
    needs = f"dependencies = {json.dumps(by_extra.pop(''))}"
    extras = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in by_extra.items()]
    body = [f'[project]\nname = "{name}"\nversion = "0"', needs]
    body += ["[project.optional-dependencies]", *extras]
    path = shop.work / "answered" / "pyproject.toml"
    path.parent.mkdir()
    shop.write(path, ("\n".join(body) + "\n").encode())
    return Manifest(path, name, recipe.extras)


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
    place = tree / recipe.subproject
    uv_offline(shop, "export", *EXPORT, *names, *where, tools=(python,), cwd=place)
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
