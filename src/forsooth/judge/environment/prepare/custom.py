"""Filling a layer by the commands of forsooth.toml, offline unless the user allows more."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path, PurePosixPath

from forsooth.core.policy import YOURS
from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.prepare.step import Workshop, whole
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import joined
from forsooth.judge.openat import open_folder, remove
from forsooth.judge.sandbox.job import Mount, Network

ONLINE = f"if it must download, allow that in {YOURS}: [policy] prepare_network = true"


def fill(
    shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...], *, root: str
) -> dict[str, object]:
    """Run each command in a copy at the repository's own path; keep the folders it names.

    The copy is the base's. Only files that `reads` names are as they were delivered, and then there
    is no network; a script that a command runs is the base's in any case.
    """
    tree = shop.work / "tree"
    base = shop.base() if shop.base else shop.source
    whole(base, tree)
    scripts = {word for argv in recipe.prepare for word in _scripts(argv, recipe.subproject)}
    new = [path for path in recipe.reads if path not in scripts and _differs(path, base, shop)]
    for path in new:
        remove(tree / path)
        if (shop.source / path).is_file() and not (shop.source / path).is_symlink():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(shop.source / path, tree / path)
    shop = shop._replace(online=shop.online and not new)
    place = Mount(tree, root, "rw")
    for argv in recipe.prepare:
        cwd = Path(root, recipe.subproject)
        _run(shop, argv, cwd=cwd, tools=tools, place=place)
    remove(shop.folder / "kept")  # a command may have left a link there
    for path in recipe.keeps:
        _keep(tree, path, shop.folder / "kept")
    shop.clear()
    return {"packages": {}}


def _scripts(argv: tuple[str, ...], place: str) -> tuple[str, ...]:
    """The files that a command runs: its program, or what an interpreter is given first.

    >>> _scripts(("sh", "-e", "tools/setup.sh", "x"), "")
    ('sh', 'tools/setup.sh')
    """
    first = next((word for word in argv[1:] if not word.startswith("-")), "")
    return tuple(joined(place, str(PurePosixPath(word))) for word in (argv[0], first) if word)


def _differs(path: str, base: Path, shop: Workshop) -> bool:
    def content(file: Path) -> bytes | None:
        return file.read_bytes() if file.is_file() and not file.is_symlink() else None

    return base != shop.source and content(base / path) != content(shop.source / path)


def _run(
    shop: Workshop, argv: tuple[str, ...], *, cwd: Path, tools: tuple[Tool, ...], place: Mount
) -> None:
    """One command: without a network, unless the user's own settings give it one."""
    network: Network = "host" if shop.online else "none"
    try:
        shop.run_offline(argv, cwd=cwd, tools=tools, mounts=(place,), network=network)
    except CouldNotVerify as error:
        if shop.online:
            raise
        says = f"`prepare` failed; it runs without a network: {error.message}"
        raise failure("needs-network", says, remedy=ONLINE) from None


def _keep(tree: Path, path: str, kept: Path) -> None:
    """Move what a command made out of its tree; a link on the way would lead to other files."""
    above, name = os.path.split(path.rstrip("/"))
    try:
        with open_folder(tree, above) as folder:
            mode = os.lstat(name, dir_fd=folder).st_mode
            if not stat.S_ISDIR(mode):
                raise OSError(errno.ENOTDIR, "it is a link" if stat.S_ISLNK(mode) else "no folder")
            (kept / path).parent.mkdir(parents=True, exist_ok=True)
            os.rename(name, kept / path, src_dir_fd=folder)
    except FileNotFoundError:
        says = f"`prepare` made no {path}, which `keeps` names"
        raise failure("install-failed", says, remedy="correct `keeps` in forsooth.toml") from None
    except OSError as error:
        says = f"{path}, which `keeps` names, cannot be kept: {error.strerror}"
        remedy = "name folders that lie in the repository, behind no link"
        raise failure("install-failed", says, remedy=remedy) from None


def mounts(folder: Path, recipe: Recipe, *, root: str) -> tuple[Mount, ...]:
    """What was kept, at its place in the repository."""
    return tuple(
        Mount(folder / "kept" / path, f"{root}/{path}", "overlay", root=folder)
        for path in recipe.keeps
    )
