"""Node: package manager by its lock, workspaces, and the one script that runs the tests."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from forsooth.judge.environment.kinds.links import Links
from forsooth.judge.environment.kinds.script import Script, chosen
from forsooth.judge.environment.locks import is_hashed
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.tree import Table, ancestors, at, joined, js, table, text, words

LOCKS = {
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}
TABLES = (
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
    "pnpm",
    "engines",
    "packageManager",
    "workspaces",
    "bundledDependencies",
    "bundleDependencies",
    "peerDependenciesMeta",
    "dependenciesMeta",
    "name",  # of a workspace: what is linked under it, and which programs that has
    "bin",
    "directories",
    "os",
    "cpu",
    "libc",
)
COMMANDS = {
    "npm": ("npm", "ci", "--ignore-scripts"),
    "pnpm": ("pnpm", "install", "--frozen-lockfile", "--ignore-scripts"),
    "yarn": ("yarn", "install", "--frozen-lockfile", "--ignore-scripts"),
    "bun": ("bun", "install", "--frozen-lockfile", "--ignore-scripts"),
}
SETTINGS = (".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml")


class Home(NamedTuple):
    """The folder whose lock and node_modules serve this sub-project."""

    place: str
    manager: str
    lock: str
    members: tuple[str, ...]


def is_here(files: Mapping[str, bytes]) -> bool:
    """Whether this folder has a package.json."""
    return "package.json" in files


def recognise(tree: Mapping[str, bytes], place: str) -> Recipe | None:
    """The recipe of a Node sub-project, or nothing when this is none."""
    manifest = js(tree, joined(place, "package.json"))
    if joined(place, "package.json") not in tree:
        return None
    home = _home(tree, place)
    scripts = {
        name: body for name, body in at(manifest, "scripts").items() if isinstance(body, str)
    }
    script = chosen(scripts) or _bare(manifest)
    reads = _reads(tree, home)
    return Recipe(
        kind="node",
        key=_key(tree, home, reads),
        manager=home.manager,
        subproject=place,
        name=str(manifest.get("name", "")),
        interpreter=_interpreter(tree, place, manifest),
        prepare=(_shown(home),),
        lock=home.lock,
        hashed=is_hashed(tree, home.lock),
        reads=reads,
        keeps=tuple(joined(path, "node_modules") for path in (home.place, *home.members)),
        members=(home.place, *home.members),
        test_command=script.argv if script else None,
        runner=script.runner if script else None,
        hints=tuple(f"package.json: {name}: {scripts[name]}" for name in scripts if "test" in name),
        explains=_explains(manifest, home, script),
        missing=_missing(manifest, script),
    )


def links(tree: Mapping[str, bytes], place: str) -> Links:
    """The names and paths a package depends on, tests included."""
    manifest = js(tree, joined(place, "package.json"))
    wants = {name: given for key in TABLES[:4] for name, given in at(manifest, key).items()}
    local = (re.match(r"(?:file|link|portal):(.+)", str(given)) for given in wants.values())
    paths = (joined(place, one[1].rstrip("/")) for one in local if one)
    return Links(str(manifest.get("name", "")), frozenset(wants), frozenset(paths))


def _home(tree: Mapping[str, bytes], place: str) -> Home:
    """The nearest folder with a lock, if this sub-project is one of its workspaces."""
    for above in ancestors(place):
        members = _members(tree, above)
        lock = next((name for name in LOCKS if joined(above, name) in tree), "")
        if (above == place or place in members) and (lock or members):
            return Home(above, _manager(tree, above, lock), lock and joined(above, lock), members)
    return Home(place, _manager(tree, place, ""), "", ())


def _manager(tree: Mapping[str, bytes], place: str, lock: str) -> str:
    named = str(js(tree, joined(place, "package.json")).get("packageManager", ""))
    return LOCKS.get(lock) or named.partition("@")[0] or "npm"


def _members(tree: Mapping[str, bytes], place: str) -> tuple[str, ...]:
    given: Any = js(tree, joined(place, "package.json")).get("workspaces")
    patterns = list(words(table(given).get("packages") if isinstance(given, dict) else given))
    listed = re.search(
        r"^packages:\s*\n((?:\s*(?:-.*|#.*)?\n?)+)",
        text(tree, joined(place, "pnpm-workspace.yaml")),
        re.MULTILINE,
    )
    if listed:
        patterns += re.findall(
            r"^\s*-\s*['\"]?([^'\"#\n]+?)['\"]?\s*(?:#.*)?$", listed[1], re.MULTILINE
        )
    head = f"{place}/" if place else ""
    folders = [
        path.removeprefix(head).rpartition("/")[0]
        for path in tree
        if path.startswith(head) and path.endswith("/package.json") and "node_modules/" not in path
    ]
    return tuple(joined(place, f) for f in sorted(set(folders)) if f and _is_member(f, patterns))


def _is_member(folder: str, patterns: list[str]) -> bool:
    found = False
    for pattern in patterns:
        wanted = pattern.removeprefix("!").removeprefix("./").rstrip("/")
        deep = "**" in wanted or folder.count("/") == wanted.count("/")
        if deep and fnmatch.fnmatch(folder, wanted):
            found = not pattern.startswith("!")
    return found


def _reads(tree: Mapping[str, bytes], home: Home) -> tuple[str, ...]:
    places = (home.place, *home.members)
    paths = [joined(place, name) for place in places for name in ("package.json", ".npmrc")]
    paths += [joined(home.place, name) for name in SETTINGS]
    paths += [path for path in tree if path.startswith(joined(home.place, "patches") + "/")]
    paths += [path for path in tree if path.startswith(joined(home.place, ".yarn") + "/")]
    paths += [home.lock] if home.lock else []
    return tuple(dict.fromkeys(path for path in paths if path in tree))


def _key(tree: Mapping[str, bytes], home: Home, reads: tuple[str, ...]) -> str:
    tables: dict[str, Any] = {}
    for path in reads:
        if path.endswith("package.json"):
            data = js(tree, path)
            tables[path] = {name: data[name] for name in TABLES if name in data}
        elif path != home.lock:
            tables[path] = digest({"file": tree[path]})
    lock = tree[home.lock] if home.lock else b""
    return digest({"kind": "node", "manager": home.manager, "lock": lock, "tables": tables})


def _interpreter(tree: Mapping[str, bytes], place: str, manifest: Table) -> str:
    for name in (".nvmrc", ".node-version"):
        for above in ancestors(place):
            found = re.match(r"^v?(\d+)", text(tree, joined(above, name)).strip())
            if found:
                return f"{found[1]}.*"
    return str(at(manifest, "volta").get("node") or at(manifest, "engines").get("node") or "")


def _bare(manifest: Table) -> Script | None:
    """A runner among the dependencies when no script calls one."""
    wanted = {**at(manifest, "dependencies"), **at(manifest, "devDependencies")}
    for runner, argv in (("vitest", ("vitest", "run")), ("jest", ("jest",)), ("mocha", ("mocha",))):
        if runner in wanted:
            return Script(runner, argv, "devDependencies", whole=True)
    return None


def _shown(home: Home) -> tuple[str, ...]:
    if home.lock:
        return COMMANDS.get(home.manager, COMMANDS["npm"])
    return ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")


def _explains(manifest: Table, home: Home, script: Script | None) -> tuple[str, ...]:
    found = [
        f"Node package {manifest.get('name', '(unnamed)')}, installed with {home.manager}.",
        f"Versions come from {home.lock}."
        if home.lock
        else "No lock file: versions are resolved once and kept with the layer.",
    ]
    if home.members:
        found.append(f"Workspace of {len(home.members)} packages in {home.place or 'the root'}.")
    if script:
        part = "" if script.whole else f", the part of script `{script.where}` that runs tests"
        found.append(f"Tests run with `{' '.join(script.argv)}`{part}.")
    return tuple(found)


def _missing(manifest: Table, script: Script | None) -> tuple[str, ...]:
    gone = [] if script else ["No script of package.json calls a test runner that is known."]
    scripts = at(manifest, "scripts")
    names = [
        name for name in ("preinstall", "install", "postinstall", "prepare") if name in scripts
    ]
    gone += [f"Its own script `{name}` is not run." for name in names]
    return tuple(gone)
