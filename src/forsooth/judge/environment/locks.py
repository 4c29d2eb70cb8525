"""Lock files of every ecosystem as one table: package to the versions it holds.

Read for pins and for differences only; the installer reads the file itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from forsooth.judge.environment.requirement import HASH, lines, pinned, plain
from forsooth.judge.environment.tree import Table, at, js, rows, table, text, toml, words

Versions = dict[str, tuple[str, ...]]


class Locked(NamedTuple):
    """One package of a lock: where it comes from matters when no registry has it."""

    name: str
    version: str
    hashes: tuple[str, ...] = ()
    source: str = ""


def versions(files: Mapping[str, bytes], path: str) -> Versions:
    """Every package a lock names, with all its versions; empty for a file that is no lock."""
    found: dict[str, set[str]] = {}
    for package in packages(files, path):
        found.setdefault(package.name, set()).add(package.version)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def packages(files: Mapping[str, bytes], path: str) -> tuple[Locked, ...]:
    """The packages of one lock file, in its order."""
    if path not in files:
        return ()
    name = PurePosixPath(path).name
    reader = READERS.get(name) or (_requirements if name.endswith((".txt", ".in")) else None)
    return tuple(reader(files, path)) if reader else ()


def is_hashed(files: Mapping[str, bytes], path: str) -> bool:
    """Whether a lock gives a digest of every package that a registry has."""
    return path in files and all(
        package.hashes for package in packages(files, path) if package.source != "local"
    )


def _toml_packages(files: Mapping[str, bytes], path: str) -> Iterator[Locked]:
    data = toml(files, path)
    for row in rows(data.get("package")) + rows(data.get("packages")):
        entry = table(row)
        if "name" in entry and "version" in entry:
            yield Locked(
                plain(str(entry["name"])),
                str(entry["version"]),
                tuple(_hashes(entry)) + tuple(_older_hashes(data, str(entry["name"]))),
                _source(entry),
            )


def _hashes(entry: Table) -> Iterator[str]:
    listed = rows(entry.get("files")) + rows(entry.get("wheels")) + [entry.get("sdist")]
    for row in listed:
        given = table(row)
        if isinstance(given.get("hash"), str):
            yield given["hash"]
        yield from (f"{kind}:{value}" for kind, value in at(given, "hashes").items())


def _older_hashes(data: Table, name: str) -> Iterator[str]:
    for row in rows(at(data, "metadata", "files").get(name)):
        if isinstance(table(row).get("hash"), str):
            yield table(row)["hash"]


def _source(entry: Table) -> str:
    source = table(entry.get("source"))
    kind = str(source.get("type", ""))
    if "git" in source or kind == "git" or "git" in entry or "vcs" in entry:
        return "git"
    local = {"virtual", "editable", "directory", "path"}
    if local & source.keys() or kind in {"directory", "file"} or "path" in entry:
        return "local"
    return ""


def _cargo(files: Mapping[str, bytes], path: str) -> Iterator[Locked]:
    for row in rows(toml(files, path).get("package")):
        entry = table(row)
        source = str(entry.get("source", "local"))
        kind = "git" if source.startswith("git+") else "local" if source == "local" else ""
        hashes = words(entry.get("checksum"))
        yield Locked(str(entry.get("name")), str(entry.get("version")), hashes, kind)


def _pipfile(files: Mapping[str, bytes], path: str) -> Iterator[Locked]:
    data = js(files, path)
    for section in ("default", "develop"):
        for name, entry in at(data, section).items():
            version = str(table(entry).get("version", "")).removeprefix("==")
            hashes = tuple(map(str, rows(table(entry).get("hashes"))))
            yield Locked(plain(name), version, hashes, "git" if "git" in table(entry) else "")


def _requirements(files: Mapping[str, bytes], path: str) -> Iterator[Locked]:
    for line in lines(files, path).wants:
        if exact := pinned(line):
            yield Locked(*exact, tuple(HASH.findall(line)))


def _npm(files: Mapping[str, bytes], path: str) -> Iterator[Locked]:
    data = js(files, path)
    for place, row in at(data, "packages").items():
        entry = table(row)
        name = str(entry.get("name") or place.rpartition("node_modules/")[2])
        if place and not entry.get("link") and "node_modules/" in place:
            resolved = str(entry.get("resolved", ""))
            source = "local" if entry.get("inBundle") else _npm_source(resolved)
            hashes = words(entry.get("integrity"))
            yield Locked(name, str(entry.get("version", "")), hashes, source)
    if "packages" not in data:
        yield from _npm_nested(at(data, "dependencies"))


def _npm_source(resolved: str) -> str:
    return "git" if resolved.startswith(("git+", "git:", "git@")) else ""


def _npm_nested(entries: Table) -> Iterator[Locked]:
    for name, row in entries.items():
        entry = table(row)
        source = "local" if entry.get("bundled") else ""
        yield Locked(name, str(entry.get("version", "")), words(entry.get("integrity")), source)
        yield from _npm_nested(at(entry, "dependencies"))


def _pnpm(files: Mapping[str, bytes], path: str) -> Iterator[Locked]:
    key = re.compile(
        r"^  '?/?((?:@[^/@'\s]+/)?[^/@'\s]+)[@/]([^('\s:]+)(?:\(.*\))?'?:"
        r"(?:\s+resolution: \{[^}]*integrity: ([^,}\s]+))?",
        re.MULTILINE,
    )
    body = text(files, path)
    start = re.search(r"^packages:\s*$", body, re.MULTILINE)
    if start:
        rest = body[start.end() :]
        stop = re.search(r"^\S", rest, re.MULTILINE)
        for found in key.finditer(rest[: stop.start()] if stop else rest):
            yield Locked(found[1], found[2], (found[3],) if found[3] else ())


def _yarn(files: Mapping[str, bytes], path: str) -> Iterator[Locked]:
    pattern = re.compile(
        r'^"?((?:@[^/@"]+/)?[^@"\s]+)@(.*):[ \t]*\n[ ]+version:?[ ]+"?([^"\s]+)"?((?:\n[ ]+.*)*)',
        re.MULTILINE,
    )
    digest = re.compile(r"^\s+(?:integrity|checksum):? (\S+)", re.MULTILINE)
    for name, wanted, version, rest in pattern.findall(text(files, path)):
        local = "workspace:" in wanted
        source = "local" if local else "git" if "git" in wanted else ""
        yield Locked(name, version, tuple(digest.findall(rest)), source)


def _go(files: Mapping[str, bytes], path: str) -> Iterator[Locked]:
    for line in text(files, path).splitlines():
        parts = line.split()
        if len(parts) == 3 and not parts[1].endswith("/go.mod"):  # noqa: PLR2004
            yield Locked(parts[0], parts[1], (parts[2],))


Reader = Callable[[Mapping[str, bytes], str], Iterator[Any]]
READERS: dict[str, Reader] = {
    "uv.lock": _toml_packages,
    "poetry.lock": _toml_packages,
    "pdm.lock": _toml_packages,
    "pylock.toml": _toml_packages,
    "Pipfile.lock": _pipfile,
    "package-lock.json": _npm,
    "npm-shrinkwrap.json": _npm,
    "pnpm-lock.yaml": _pnpm,
    "yarn.lock": _yarn,
    "go.sum": _go,
    "Cargo.lock": _cargo,
}
