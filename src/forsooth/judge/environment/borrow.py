"""The developer's own packages, copied by content before an agent starts.

Git does not see a patched package, so the live folders are never used: what happens to them after
the copy is invisible here. Hard links would share their bytes, and so are never made.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from forsooth.judge.environment import view
from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.requirement import plain
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import joined
from forsooth.judge.sandbox.job import Mount

VENVS = (".venv", "venv", "env")


def borrow(layers: Layers, recipe: Recipe, *, root: Path) -> Layer:
    """Copy what the work tree has installed; the layer is named by its content."""
    live = _live(recipe, root)
    if not live:
        says = f"there is no installed environment in {root} to borrow"
        raise failure("nothing-to-borrow", says)
    digests = {name: content(path) for name, path in live.items()}
    tools = layers.tools(recipe)
    key = digest({"borrowed": digests, "recipe": recipe.key, "root": str(root)})

    def copy(folder: Path) -> dict[str, Any]:
        for name, path in live.items():
            _copy(path, folder / "kept" / name)
        if recipe.kind == "python":
            _own(folder, root=root, recipe=recipe, python=tools[0])
        return {"digests": digests, "packages": _packages(folder)}

    said = layers.store.obtain(key, copy)
    folder = layers.store.folder(key)
    listed = {name: tuple(found) for name, found in said["packages"].items()}
    mounts, env = _seen(recipe, folder, root, tools, names=tuple(live))
    bound = tuple(mount for one in tools for mount in one.mounts)
    return Layer(key, folder, recipe, (*bound, *mounts), env, "borrowed", tools, {}, (), listed)


def _live(recipe: Recipe, root: Path) -> dict[str, Path]:
    if recipe.kind == "python":
        names = (joined(recipe.subproject, name) for name in VENVS)
        found = ((name, root / name) for name in names if (root / name / "pyvenv.cfg").is_file())
        return dict(list(found)[:1])
    return {path: root / path for path in recipe.keeps if (root / path).is_dir()}


def content(folder: Path) -> str:
    """A digest of every file and link of a folder, by what it holds."""
    whole = hashlib.sha256()
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            held = str(path.readlink()).encode()
        else:
            with path.open("rb") as file:
                held = hashlib.file_digest(file, "sha256").digest()
        whole.update(f"{name}\0".encode(errors="surrogateescape") + held + b"\n")
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        links = [name for name in folders if Path(here, name).is_symlink()]
        for name in sorted([*names, *links]):
            path = Path(here, name)
            if path.is_symlink() or path.is_file():
                yield path


def _copy(live: Path, into: Path) -> None:
    into.parent.mkdir(parents=True, exist_ok=True)
    left = shutil.ignore_patterns("__pycache__", ".cache", ".vite", ".vitest")
    shutil.copytree(live, into, symlinks=True, ignore=left)


def _own(folder: Path, *, root: Path, recipe: Recipe, python: Tool) -> None:
    """Turn a copied venv into a layer like any other: at its own path, without the project."""
    kept = next((folder / "kept").rglob("pyvenv.cfg")).parent
    env = folder / "env"
    site = view.site_of(kept, python.version)
    if not site.is_dir():
        says = f"{kept.name} was made for another Python than {python.version}"
        raise failure("tool-missing", says, package="python")
    was = str(root / kept.relative_to(folder / "kept"))
    target = view.make(env, kept, python=python, at=str(env), was=was)
    shutil.rmtree(target)
    shutil.copytree(site, target, symlinks=True)
    names = {plain(project.name) for project in recipe.projects}
    for entry in list(target.iterdir()):
        if _is_own(entry, names, root):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _is_own(entry: Path, names: set[str], root: Path) -> bool:
    """Whether an entry is the project's own install: its record, or a path into the tree."""
    if entry.suffix in {".dist-info", ".egg-info", ".egg-link"}:
        return plain(entry.name.split("-")[0].removesuffix(entry.suffix)) in names
    if entry.suffix == ".pth":
        text = entry.read_text(errors="replace")
        return str(root) in text or "__editable__" in entry.name
    return entry.name.startswith("__editable__")


def _packages(folder: Path) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for record in folder.glob("env/lib/*/site-packages/*.dist-info"):
        name, _, version = record.stem.rpartition("-")
        found[plain(name)] = (version,)
    return found


def _seen(
    recipe: Recipe, folder: Path, root: Path, tools: tuple[Tool, ...], *, names: tuple[str, ...]
) -> tuple[tuple[Mount, ...], dict[str, str]]:
    if recipe.kind == "python":
        env = folder / "env"
        kept = Mount(folder / "kept", str(folder / "kept"), "ro")
        path = {"PATH": str(env / "bin"), "VIRTUAL_ENV": str(env)}
        return (Mount(env, str(env), "ro"), kept), path
    mounts = tuple(Mount(folder / "kept" / name, str(root / name), "overlay") for name in names)
    places = [f"{root / name}/.bin" for name in names]
    places += [str(one.program.parent) for one in tools]
    return mounts, {"PATH": ":".join(dict.fromkeys(places))}
