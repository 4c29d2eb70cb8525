"""The developer's own packages, copied by content before an agent starts.

Git does not see a patched package, so the live folders are never used: what happens to them after
the copy is invisible here. Hard links would share their bytes, and so are never made.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.judge.environment import own, view
from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.interpreter import Installed, candidates
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.requirement import plain
from forsooth.judge.environment.store import Store
from forsooth.judge.environment.toolchain import Search, Tool, machine, mounts_of
from forsooth.judge.sandbox.job import Job, Limits, Mount, Sandbox

LEFT = ("__pycache__", ".cache", ".vite", ".vitest")
SECONDS = 60.0
SHEBANG = re.compile(rb"^#!\s*(?P<python>\S*/python[\d.]*)")


class Lending(NamedTuple):
    """Who lends: the repository's work tree, where tools are, and who may run a compiler."""

    store: Store
    search: Search
    sandbox: Sandbox
    root: Path


def python(lending: Lending, recipe: Recipe, modules: tuple[str, ...]) -> Installed:
    """The first Python of the developer that has these modules."""
    seen: list[str] = []
    choices = candidates(
        lending.search, root=lending.root, subproject=recipe.subproject, wanted=recipe.interpreter
    )
    for found in choices:
        if found.has(modules):
            return found
        seen.append(str(found.prefix))
    lacking = " and ".join(modules) or f"Python {recipe.interpreter}".strip()
    places = f" (looked in {', '.join(seen)})" if seen else ""
    says = f"no Python on this machine has {lacking}{places}"
    remedy = f"python -m pip install {' '.join(modules)}" if modules else ""
    raise failure("nothing-to-borrow", says, remedy=remedy)


def lend_python(
    lending: Lending,
    found: Installed,
    *,
    names: frozenset[str],
    entries: tuple[Path, ...] | None = None,
) -> str:
    """Copy one Python's packages; the key of the copy, which covers its content.

    1. These entries, else all of every folder it looks in; the first of a name counts.
    2. Its programs, with the copy's interpreter in their first line.
    3. The project's own install out of the way: it is installed anew for each run.
    4. Compiled by us: bytecode that lay there could say anything.
    """
    if entries is None:
        entries = tuple(path for site in found.sites for path in sorted(site.iterdir()))
    inside = _places(found, lending.search)
    entries = tuple(path for path in entries if _stays(path, inside))
    digests = [(path.name, content(path)) for path in entries if path.name not in LEFT]
    parts = {"borrowed": digests, "prefix": str(found.prefix), "root": str(lending.root)}
    made = (found.python.version, str(found.python.program))
    key = digest({**parts, "python": made, "machine": machine(), "names": sorted(names)})

    def copy(folder: Path) -> dict[str, Any]:
        env = folder / "env"
        site = view.bare(env, found.python)
        _merge(entries, site, inside=inside)  # 1
        _programs(found, env, inside=inside)  # 2
        notes = own.set_aside(site, folder / "own", root=lending.root, names=names)  # 3
        _compile(lending.sandbox, found.python, env)  # 4
        return {
            "python": [*made, str(found.python.prefix)],
            "packages": packages(site),
            "aliases": aliases(found),
            "hidden": [str(path) for path in found.sites[1:]] if not found.is_venv else [],
            "prefix": str(found.prefix),
            "root": str(lending.root),
            "notes": notes,
        }

    lending.store.obtain(key, copy)
    return key


def lend_node(lending: Lending, recipe: Recipe) -> str:
    """Copy every node_modules of a work tree, links as links; the key of the copy."""
    every = {path: lending.root / path for path in recipe.keeps}
    # a work tree may share another's by a link, but not call any folder so
    live = {name: path for name, path in every.items() if path.is_dir() and _is_modules(path)}
    if not live:
        says = f"there is no node_modules in {lending.root}"
        raise failure("nothing-to-borrow", says)
    digests = {name: content(path) for name, path in live.items()}
    key = digest({"borrowed": digests, "root": str(lending.root), "machine": machine()})

    def copy(folder: Path) -> dict[str, Any]:
        for name, path in live.items():
            target = folder / "kept" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(path, target, symlinks=True, ignore=shutil.ignore_patterns(*LEFT))
        root = str(lending.root)
        return {"kept": list(live), "packages": {}, "prefix": root, "root": root}

    lending.store.obtain(key, copy)
    return key


def python_layer(store: Store, key: str, recipe: Recipe) -> Layer:
    """The layer of a Python copied before, from the copy alone."""
    said, folder = store.said(key), store.folder(key)
    version, program, prefix = said["python"]
    tool = Tool("python", version, Path(program), Path(prefix), mounts_of("python", Path(prefix)))
    env = folder / "env"
    mounts = [*tool.mounts, Mount(env, str(env), "ro", root=folder)]
    mounts += [Mount(None, path, "tmpfs") for path in said["hidden"]]
    mounts += [
        Mount(env / inner, target, "ro", root=folder) for target, inner in said["aliases"].items()
    ]
    listed = {name: tuple(found) for name, found in said["packages"].items()}
    return Layer(
        key=key,
        folder=folder,
        recipe=recipe,
        mounts=tuple(mounts),
        env={"PATH": str(env / "bin"), "VIRTUAL_ENV": str(env)},
        how="borrowed",
        tools=(tool,),
        packages=listed,
        notes=tuple(said["notes"]),
        aliases=said["aliases"],
    )


def node_layer(
    store: Store, key: str, recipe: Recipe, *, root: str, tools: tuple[Tool, ...]
) -> Layer:
    """The layer of node_modules copied before, each at its place in the repository."""
    said, folder = store.said(key), store.folder(key)
    mounts = tuple(
        Mount(folder / "kept" / name, f"{root}/{name}", "overlay", root=folder)
        for name in said["kept"]
    )
    places = [f"{root}/{name}/.bin" for name in said["kept"]]
    places += [str(one.program.parent) for one in tools]
    bound = tuple(mount for one in tools for mount in one.mounts)
    env = {"PATH": ":".join(dict.fromkeys(places))}
    return Layer(key, folder, recipe, (*bound, *mounts), env, "borrowed", tools)


def aliases(found: Installed) -> dict[str, str]:
    """Where a command may name this Python by path, and what of the copy belongs there."""
    if found.is_venv:
        return {str(found.prefix): "."}
    inner = view.site_of(Path(), found.python.version)
    return {str(found.sites[0]): str(inner)} if found.sites else {}


def content(folder: Path) -> str:
    """A digest of a file, or of every file and link of a folder, by what it holds."""
    whole = hashlib.sha256()
    for path in _files(folder) if folder.is_dir() else [folder] if folder.is_file() else []:
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


def packages(site: Path) -> Mapping[str, tuple[str, ...]]:
    """Name and version of what is installed, by its records."""
    found: dict[str, tuple[str, ...]] = {}
    for record in site.glob("*.dist-info"):
        name, _, version = record.stem.rpartition("-")
        found[plain(name)] = (version,)
    return found


def _is_modules(path: Path) -> bool:
    return path.resolve().name == "node_modules"


def _places(found: Installed, search: Search) -> tuple[Path, ...]:
    """Where packages of a Python lie, and what a link among them may lead to."""
    places = [*found.sites, found.python.prefix / "lib", search.home / ".cache/uv"]
    places += [found.prefix] if found.is_venv else []
    return tuple(path.resolve() for path in places)


def _stays(path: Path, inside: tuple[Path, ...]) -> bool:
    """Whether an entry leads to no other folder of the machine, nor to nothing at all.

    A repository may bring its own venv, with links to whatever it wants to read.
    """
    if not path.is_symlink():
        return True
    real = path.resolve()
    return real.exists() and any(map(real.is_relative_to, (*inside, Path("/usr"))))


def _merge(entries: Iterable[Path], site: Path, *, inside: tuple[Path, ...]) -> None:
    """Copy what is not there yet, by content; a link to other folders of the machine is left."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        return {one for one in names if one in LEFT or not _stays(Path(folder, one), inside)}

    for entry in entries:
        target = site / entry.name
        if entry.name in LEFT or target.exists() or not entry.exists():
            continue
        if entry.is_dir():
            shutil.copytree(entry, target, ignore=left_out)
        elif entry.is_file():
            shutil.copy2(entry, target)


def _programs(found: Installed, env: Path, *, inside: tuple[Path, ...]) -> None:
    """The programs installed beside a Python: its scripts, and in a venv any other file."""
    system = found.prefix.is_relative_to("/usr")
    for entry in sorted((found.prefix / "bin").iterdir()):
        target = env / "bin" / entry.name
        if target.exists() or entry.name.startswith("activate") or not entry.is_file():
            continue
        if not _stays(entry, inside):
            continue
        if re.fullmatch(r"(python|pip|idle|pydoc|2to3)[\d.-]*(config)?", entry.name):
            continue
        with entry.open("rb") as file:
            head = SHEBANG.match(file.read(256))
        if head and Path(os.fsdecode(head["python"])).parent == entry.parent:
            body = entry.read_bytes()[head.end() :]
            target.write_bytes(f"#!{env}/bin/python".encode() + body)
            target.chmod(0o755)
        elif not system and head is None:
            shutil.copy2(entry, target)


def _compile(sandbox: Sandbox, tool: Tool, env: Path) -> None:
    """Compile in a sandbox; what does not compile or takes too long stays source."""
    site = view.site_of(env, tool.version)
    argv = (str(tool.program), "-I", "-S", "-m", "compileall", "-q", "-j0", str(site))
    mounts = (*tool.mounts, Mount(env, str(env), "rw"))
    limits = Limits(seconds=SECONDS)
    sandbox.run(Job(argv, cwd=str(env), mounts=mounts, limits=limits, network="none"))
