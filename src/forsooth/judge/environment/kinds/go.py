"""Go: modules and workspaces; go.sum is the lock and there is no other."""

from __future__ import annotations

import re
from collections.abc import Mapping

from forsooth.judge.environment.kinds.links import Links
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.tree import ancestors, joined, text

BLOCK = re.compile(r"^\s*(require|replace|use)\s*\(([^)]*)\)", re.MULTILINE)
SINGLE = re.compile(r"^\s*(require|replace|use)\s+([^(\n]+)$", re.MULTILINE)

IMPORT = re.compile(r'^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w./~-]+)"\s*$', re.MULTILINE)


def is_here(files: Mapping[str, bytes]) -> bool:
    """Whether this folder is a Go module or workspace."""
    return "go.mod" in files or "go.work" in files


def recognise(tree: Mapping[str, bytes], place: str) -> Recipe | None:
    """The recipe of a Go module or workspace, or nothing when this is none."""
    own = joined(place, "go.mod")
    work = _workspace(tree, place)
    if own not in tree and work is None:
        return None
    members = _used(tree, work) if work is not None else (place,)
    sums = [path for member in members if (path := joined(member, "go.sum")) in tree]
    reads = _reads(tree, work, members)
    body = text(tree, own)
    command = ("go", "test", "./...")
    vendored = joined(place, "vendor/modules.txt") in tree
    name = re.search(r"^module\s+(\S+)", body, re.MULTILINE)
    return Recipe(
        kind="go",
        key=_key(tree, (*reads, *_replacing(tree, work, members))),
        manager="go",
        subproject=place,
        name=name[1] if name else "",
        interpreter=_version(tree, (own, *reads)),
        prepare=(("go", "mod", "download", "all"),) if not vendored else (),
        lock=sums[0] if sums else "",
        hashed=True,  # without sums nothing is downloaded
        reads=reads,
        members=members,
        wants=tuple(_requires(tree, members)),
        test_command=command if own in tree else ("go", "test", *(f"./{m}/..." for m in members)),
        runner="go",
        explains=_explains(
            name[1] if name else place, members, vendored=vendored, locked=bool(sums)
        ),
        missing=_missing(tree, members, vendored=vendored, locked=bool(sums)),
    )


def links(tree: Mapping[str, bytes], place: str) -> Links:
    """The modules a module depends on; in a workspace its imports say it, required or not."""
    body = text(tree, joined(place, "go.mod"))
    name = re.search(r"^module\s+(\S+)", body, re.MULTILINE)
    names = {line.split()[0] for line in _entries(body, "require")}
    if _workspace(tree, place) is not None:
        head = f"{place}/" if place else ""
        sources = (path for path in tree if path.startswith(head) and path.endswith(".go"))
        names.update(one for path in sources for one in IMPORT.findall(text(tree, path)))
    targets = (line.rpartition("=>")[2].split() for line in _entries(body, "replace"))
    paths = {joined(place, target[0]) for target in targets if target and target[0][:1] == "."}
    return Links(name[1] if name else "", frozenset(names), frozenset(paths))


def _workspace(tree: Mapping[str, bytes], place: str) -> str | None:
    return next((above for above in ancestors(place) if joined(above, "go.work") in tree), None)


def _used(tree: Mapping[str, bytes], work: str) -> tuple[str, ...]:
    places = _entries(text(tree, joined(work, "go.work")), "use")
    found = [joined(work, place.strip('"')) for place in places]
    return tuple("" if place == "." else place for place in found)


def _entries(body: str, word: str) -> list[str]:
    """The entries of one directive, written as a block or one a line."""
    clean = re.sub(r"//.*", "", body)
    blocks = [inner for kind, inner in BLOCK.findall(clean) if kind == word]
    singles = [line for kind, line in SINGLE.findall(clean) if kind == word]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in (*lines, *(single.strip() for single in singles)) if line]


def _requires(tree: Mapping[str, bytes], members: tuple[str, ...]) -> list[str]:
    found = [
        line
        for member in members
        for line in _entries(text(tree, joined(member, "go.mod")), "require")
    ]
    return sorted(set(found))


def _reads(
    tree: Mapping[str, bytes], work: str | None, members: tuple[str, ...]
) -> tuple[str, ...]:
    paths = [joined(member, name) for member in members for name in ("go.mod", "go.sum")]
    if work is not None:
        paths += [joined(work, "go.work"), joined(work, "go.work.sum")]
    paths += [joined(member, "vendor/modules.txt") for member in members]
    return tuple(path for path in paths if path in tree)


def _replacing(
    tree: Mapping[str, bytes], work: str | None, members: tuple[str, ...]
) -> tuple[str, ...]:
    """The manifests of folders that stand in for modules: what they require is fetched, too."""
    files = [(member, joined(member, "go.mod")) for member in members]
    files += [(work, joined(work, "go.work"))] if work is not None else []
    found = [
        joined(joined(place, line.rpartition("=>")[2].split()[0].strip('"')), "go.mod")
        for place, path in files
        for line in _entries(text(tree, path), "replace")
        if line.rpartition("=>")[2].strip()
    ]
    return tuple(path for path in dict.fromkeys(found) if path in tree)


def _key(tree: Mapping[str, bytes], reads: tuple[str, ...]) -> str:
    return digest({"kind": "go", **{path: tree[path] for path in reads}})


def _version(tree: Mapping[str, bytes], paths: tuple[str, ...]) -> str:
    """The newest version any file asks for: a toolchain line counts only as advice."""
    bodies = [text(tree, path) for path in paths if path.endswith((".mod", ".work"))]
    found = [re.search(r"^go\s+(\d+(?:\.\d+)*)", body, re.MULTILINE) for body in bodies]
    asked = [tuple(map(int, one[1].split("."))) for one in found if one]
    return f">={'.'.join(map(str, max(asked)))}" if asked else ""


def _explains(
    name: str, members: tuple[str, ...], *, vendored: bool, locked: bool
) -> tuple[str, ...]:
    found = [f"Go module {name}."]
    found += [f"Workspace of {len(members)} modules."] * (len(members) > 1)
    if vendored:
        found.append("Dependencies are in vendor/, nothing is downloaded.")
    elif locked:
        found.append("Versions come from go.mod and are checked against go.sum.")
    return (*found, "Tests run with `go test`.")


def _missing(
    tree: Mapping[str, bytes], members: tuple[str, ...], *, vendored: bool, locked: bool
) -> tuple[str, ...]:
    if vendored or locked or not _requires(tree, members):
        return ()
    return ("go.mod has requirements but there is no go.sum; `go mod tidy` writes it.",)
