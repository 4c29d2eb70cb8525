"""Filling a Cargo layer: the registry's sources by lock. `cargo fetch` runs no build script.

Cargo's settings can name programs to run and hosts to ask, so of a repository's own only folders
with vendored sources count while fetching.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.locks import packages, versions
from forsooth.judge.environment.prepare.manifests import hosts
from forsooth.judge.environment.prepare.step import Workshop, whole
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.specifier import numbers
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import Table, Tree, at, joined, rows, table, toml, words
from forsooth.judge.openat import remove
from forsooth.judge.sandbox.job import Mount

# Whatever manifest names a repository, and however a workspace comes to it: cargo asks git for it,
# and git has no way to anywhere.
NO_GIT = {"CARGO_NET_GIT_FETCH_WITH_CLI": "true", "GIT_ALLOW_PROTOCOL": "none"}
WITHOUT_GIT = (1, 70)  # since then the index of crates is no git repository


def fill(shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...]) -> dict[str, object]:
    """Fetch the crates a lock names; without one, choose versions and remember them."""
    tree = shop.work / "tree"
    whole(shop.source, tree)
    _refuse_elsewhere(tree, recipe.reads)
    _keep_settings(shop, tree)
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


def _refuse_elsewhere(tree: Path, manifests: Iterable[str]) -> None:
    """Refuse a manifest, or one it leads to by path, that names a crate by an address."""
    waiting = [tree / path for path in manifests if path.endswith("Cargo.toml")]
    seen: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file in seen or not file.resolve().is_relative_to(tree) or not file.is_file():
            continue
        seen.add(file)
        for name, entry in _entries(toml({"manifest": file.read_bytes()}, "manifest"), ""):
            if {"git", "registry-index"} & entry.keys():
                says = f"{name} is named by an address, not by release"
                raise failure("vcs-dependency", says, package=name)
            waiting += [file.parent / path / "Cargo.toml" for path in words(entry.get("path"))]


def _entries(given: Any, name: str) -> Iterator[tuple[str, Table]]:
    """Every table of a manifest, with the name it has."""
    entry = table(given)
    if entry:
        yield name, entry
    for key, value in entry.items():
        for inner in rows(value) or [value]:
            yield from _entries(inner, key)


def _keep_settings(shop: Workshop, tree: Path) -> None:
    """Leave of cargo's settings where vendored sources lie, and registries that the user has."""
    known = hosts(shop.settings)
    for folder in [path for path in tree.rglob(".cargo") if path.name == ".cargo"]:
        kept: list[str] = []
        for name in ("config.toml", "config"):
            file = folder / name
            if folder.is_symlink() or file.is_symlink() or not file.is_file():
                continue
            data = toml({"config": file.read_bytes()}, "config")
            for section, keys in (("source", ("directory", "replace-with")), ("registries", ())):
                for key, given in at(data, section).items():
                    entry = {word: table(given)[word] for word in keys if word in table(given)}
                    entry |= {
                        word: url
                        for word in ("index", "registry")
                        if urlsplit(url := str(table(given).get(word, ""))).netloc in known and url
                    }
                    lines = [f"{word} = {json.dumps(value)}" for word, value in entry.items()]
                    kept += [f"[{section}.{json.dumps(key)}]", *lines] if lines else []
            break
        remove(folder)
        folder.mkdir()
        (folder / "config.toml").write_text("\n".join(kept) + "\n")


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
    env |= NO_GIT if numbers(tools[0].version) >= WITHOUT_GIT else {}
    shop.fetch((str(tools[0].program), *argv), cwd=cwd, env=env, tools=tools)


def mounts(folder: Path, recipe: Recipe, *, root: str) -> tuple[Mount, ...]:
    """The registry as an overlay, because cargo locks it; and the lock when we made it."""
    home = Mount(folder / "cargo", str(folder / "cargo"), "overlay", root=folder)
    lock = folder / "Cargo.lock"
    target = f"{root}/{joined(recipe.members[0], 'Cargo.lock')}"
    return (home, Mount(lock, target, "file", root=folder)) if lock.is_file() else (home,)


def environment(folder: Path) -> Mapping[str, str]:
    """A cargo that has its crates and asks nobody for more."""
    return {"CARGO_HOME": str(folder / "cargo"), "CARGO_NET_OFFLINE": "true"}
