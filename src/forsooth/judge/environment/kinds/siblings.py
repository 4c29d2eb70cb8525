"""Python projects of one repository that depend on each other: which are installed from the tree.

A dependency is local when uv or poetry says where it is (`path`, `workspace`), when a requirement
is a path (`-e ../core`), when it is a member of the workspace whose root is asked for, or when no
lock says otherwise and another project of the repository has its name. What a local project needs
is then needed here too, because no index can say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatch
from typing import Any

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.kinds.links import Links
from forsooth.judge.environment.kinds.manifest import Manifest, manifest
from forsooth.judge.environment.requirement import lines, named, plain
from forsooth.judge.environment.tree import (
    ASIDE,
    Table,
    at,
    joined,
    rows,
    table,
    toml,
    under,
    words,
)

MANIFESTS = {"pyproject.toml", "setup.py", "setup.cfg"}
EXTRAS = re.compile(r"^[^\[;@\s]+\s*\[([^\]]*)\]")
PATH = re.compile(r"^(?:-e\s*|--editable[ =])?(?:file:)?(\.{1,2}/[^\s\[;#]+)")


def links(tree: Mapping[str, bytes], place: str) -> Links:
    """The names and paths a Python project depends on, tests and extras included."""
    files = under(tree, place)
    said = manifest(files)
    listed = [path for path in files if re.fullmatch(r"requirements[^/]*\.(txt|in)", path)]
    several = [said.needs, *said.extras.values(), *said.groups.values()]
    several += [lines(files, path).wants for path in listed]
    wants = [line for part in several for line in part]
    paths = {*_stated(tree, place, _projects(tree)), *_paths(wants, place)}
    return Links(said.name, frozenset(map(named, wants)), frozenset(paths))


def local_projects(
    tree: Mapping[str, bytes], place: str, *, wants: Iterable[str], locked: bool
) -> dict[str, Manifest]:
    """The project itself and those of its tree that it depends on, by path."""
    every = _projects(tree)
    found: dict[str, Manifest] = {}
    waiting = [place, *_paths(wants, place)]
    while waiting:
        here = waiting.pop(0)
        if here not in found:
            found[here] = said = every.get(here) or manifest(under(tree, here))
            waiting += _stated(tree, here, every)
            if not locked:
                needed = {named(line) for line in said.needs}
                waiting += [path for path, one in every.items() if one.name in needed - {""}]
    return found


def local_needs(wants: Iterable[str], local: Mapping[str, Manifest], *, own: str) -> Iterator[str]:
    """Requirements with those on local projects replaced by what these need themselves."""
    others = {said.name: said for said in local.values() if said.name != own}
    met: set[tuple[str, str]] = set()
    waiting = [line for line in wants if not PATH.match(line)]
    waiting += [line for said in others.values() for line in said.needs]
    while waiting:
        line = waiting.pop(0)
        said = others.get(named(line))
        if said is None:
            yield line
            continue
        extras = EXTRAS.match(line)
        asked = {plain(one.strip()) for one in (extras[1].split(",") if extras else ())}
        for key, more in said.extras.items():
            if plain(key) in asked and (said.name, key) not in met:
                met.add((said.name, key))
                waiting += more


def _paths(wants: Iterable[str], place: str) -> list[str]:
    found = (PATH.match(line.strip()) for line in wants)
    return [joined(place, one[1].rstrip("/")) for one in found if one]


def _stated(tree: Mapping[str, bytes], place: str, every: Mapping[str, Manifest]) -> list[str]:
    """The folders that a project's own settings name."""
    data = toml(tree, joined(place, "pyproject.toml"))
    found: list[str] = []
    for name, source in at(data, "tool", "uv", "sources").items():
        for entry in map(table, rows(source) or [source]):
            found += [joined(place, path) for path in words(entry.get("path"))]
            if entry.get("workspace"):
                found += [path for path, said in every.items() if said.name == plain(name)]
    poetry = at(data, "tool", "poetry")
    for section in (poetry, *map(table, at(poetry, "group").values())):
        for key in ("dependencies", "dev-dependencies"):
            for entry in map(table, at(section, key).values()):
                found += [joined(place, path) for path in words(entry.get("path"))]
    found += _members(place, at(data, "tool", "uv", "workspace"), every)
    return ["" if path == "." else path for path in found]


def _members(place: str, workspace: Table, every: Iterable[str]) -> list[str]:
    """The members of a uv workspace."""

    def is_in(folder: str, patterns: Any) -> bool:
        given = (joined(place, pattern) for pattern in words(patterns))
        return any(folder.count("/") == one.count("/") and fnmatch(folder, one) for one in given)

    inside = [folder for folder in every if is_in(folder, workspace.get("members"))]
    return [folder for folder in inside if not is_in(folder, workspace.get("exclude"))]


def _projects(tree: Mapping[str, bytes]) -> dict[str, Manifest]:
    """Every Python project of the tree, but for what is kept only for tests and examples."""
    folders = {path.rpartition("/")[0] for path in tree if path.rpartition("/")[2] in MANIFESTS}
    real = sorted(folder for folder in folders if not ASIDE & set(folder.split("/")))
    found: dict[str, Manifest] = {}
    for folder in real:
        with suppress(CouldNotVerify):  # it is reported where that project itself is run
            found[folder] = manifest(under(tree, folder))
    return found
