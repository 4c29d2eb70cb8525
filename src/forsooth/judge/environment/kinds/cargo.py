"""Cargo: packages and workspaces, with the lock at the workspace's root."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from typing import Any

from forsooth.judge.environment.kinds.links import Links
from forsooth.judge.environment.locks import is_hashed
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.tree import Table, ancestors, at, joined, table, text, toml, words

TABLES = ("dependencies", "dev-dependencies", "build-dependencies", "features", "patch", "replace")
SETTINGS = (".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain")


def is_here(files: Mapping[str, bytes]) -> bool:
    """Whether this folder is a Cargo package or workspace."""
    return "Cargo.toml" in files


def recognise(tree: Mapping[str, bytes], place: str) -> Recipe | None:
    """The recipe of a Cargo package or workspace, or nothing when this is none."""
    path = joined(place, "Cargo.toml")
    if path not in tree:
        return None
    data = toml(tree, path)
    home = _home(tree, place)
    members = _members(tree, home)
    lock = joined(home, "Cargo.lock") if joined(home, "Cargo.lock") in tree else ""
    reads = _reads(tree, home, (place, *members))
    nextest = joined(home, ".config/nextest.toml") in tree
    return Recipe(
        kind="cargo",
        key=_key(tree, reads, lock),
        manager="cargo",
        subproject=place,
        name=str(at(data, "package").get("name", "")),
        interpreter=_version(tree, home, data),
        prepare=(("cargo", "fetch", *(("--locked",) if lock else ())),),
        lock=lock,
        hashed=is_hashed(tree, lock),
        reads=reads,
        members=(home, *members),
        test_command=("cargo", "test", *(("--locked",) if lock else ()), "--no-fail-fast"),
        runner="cargo",
        hints=("nextest is configured (.config/nextest.toml)",) if nextest else (),
        explains=_explains(data, home, members, lock),
        missing=(),
    )


def links(tree: Mapping[str, bytes], place: str) -> Links:
    """The crates a package depends on, those of its tests and of its workspace's table included."""
    data = toml(tree, joined(place, "Cargo.toml"))
    home = _home(tree, place)
    shared = at(toml(tree, joined(home, "Cargo.toml")), "workspace", "dependencies")
    names: set[str] = set()
    paths: set[str] = set()
    for section in (data, *map(table, at(data, "target").values())):
        for key in TABLES[:3]:
            for name, given in at(section, key).items():
                entry, above = table(given), table(shared.get(name))
                names.add(str(entry.get("package") or above.get("package") or name))
                paths.update(joined(place, path) for path in words(entry.get("path")))
                if entry.get("workspace"):
                    paths.update(joined(home, path) for path in words(above.get("path")))
    return Links(str(at(data, "package").get("name", "")), frozenset(names), frozenset(paths))


def _home(tree: Mapping[str, bytes], place: str) -> str:
    """The workspace this package belongs to, or the package itself."""
    for above in ancestors(place):
        data = toml(tree, joined(above, "Cargo.toml"))
        if "workspace" in data and (above == place or place in _members(tree, above)):
            return above
    return place


def _members(tree: Mapping[str, bytes], home: str) -> tuple[str, ...]:
    workspace = at(toml(tree, joined(home, "Cargo.toml")), "workspace")
    wanted = [joined(home, pattern) for pattern in words(workspace.get("members"))]
    barred = [joined(home, pattern) for pattern in words(workspace.get("exclude"))]
    folders = [path.removesuffix("/Cargo.toml") for path in tree if path.endswith("/Cargo.toml")]
    return tuple(
        folder
        for folder in folders
        if any(_fits(folder, pattern) for pattern in wanted)
        and not any(_fits(folder, pattern) for pattern in barred)
    )


def _fits(folder: str, pattern: str) -> bool:
    return folder.count("/") == pattern.count("/") and fnmatch(folder, pattern)


def _reads(tree: Mapping[str, bytes], home: str, members: tuple[str, ...]) -> tuple[str, ...]:
    paths = [joined(place, "Cargo.toml") for place in (home, *members)]
    paths += [joined(home, name) for name in ("Cargo.lock", *SETTINGS)]
    return tuple(dict.fromkeys(path for path in paths if path in tree))


def _key(tree: Mapping[str, bytes], reads: tuple[str, ...], lock: str) -> str:
    tables = {path: list(_tables(tree, path)) for path in reads if path != lock}
    return digest({"kind": "cargo", "lock": tree[lock] if lock else b"", "tables": tables})


def _tables(tree: Mapping[str, bytes], path: str) -> Iterator[Any]:
    if not path.endswith("Cargo.toml"):
        yield digest({"file": tree[path]})
        return
    data = toml(tree, path)
    yield {name: data[name] for name in TABLES if name in data}
    yield at(data, "workspace", "dependencies")
    for name, target in at(data, "target").items():
        yield name, {key: table(target)[key] for key in TABLES if key in table(target)}


def _version(tree: Mapping[str, bytes], home: str, data: Table) -> str:
    for name in ("rust-toolchain.toml", "rust-toolchain"):
        found = re.search(r"(\d+\.\d+(?:\.\d+)?)", text(tree, joined(home, name)))
        if found:
            return f"=={found[1]}.*"
    wanted = at(data, "package").get("rust-version")
    return f">={wanted}" if isinstance(wanted, str) else ""


def _explains(data: Table, home: str, members: tuple[str, ...], lock: str) -> tuple[str, ...]:
    found = [f"Cargo package {at(data, 'package').get('name', '(a workspace)')}."]
    found += [f"Workspace of {len(members)} packages in {home or 'the root'}."] * bool(members)
    found.append(
        f"Versions come from {lock}."
        if lock
        else "No Cargo.lock: versions are resolved once and kept with the layer."
    )
    return (*found, "Tests run with `cargo test`.")
