"""Filling a layer by a person's own commands, as forsooth.toml gives them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.prepare.step import Workshop, whole
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.openat import open_folder, remove
from forsooth.judge.sandbox.job import Mount


def fill(
    shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...], *, root: str
) -> dict[str, object]:
    """Run each command in a copy at the repository's own path; keep the folders it names."""
    tree = shop.work / "tree"
    whole(shop.source, tree)
    place = Mount(tree, root, "rw")
    for argv in recipe.prepare:
        cwd = Path(root, recipe.subproject)
        shop.step(argv, cwd=cwd, tools=tools, mounts=(place,), foreign=True)
    remove(shop.folder / "kept")  # a command may have left a link there
    for path in recipe.keeps:
        _keep(tree, path, shop.folder / "kept")
    shop.clear()
    return {"packages": {}}


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
