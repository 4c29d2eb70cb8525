"""Filling a Node layer: node_modules from the lock, install scripts off unless allowed by name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from forsooth.judge.environment.failure import OWN_STEPS, failure
from forsooth.judge.environment.locks import packages, versions
from forsooth.judge.environment.prepare.step import Workshop, copied
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import Tree, joined
from forsooth.judge.sandbox.job import Mount

QUIET = ("--no-audit", "--no-fund", "--loglevel=error")
BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")
PNPM = {"9": "9", "6": "8", "5": "7"}  # lockfile generations and the first major that reads them


def fill(shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...]) -> dict[str, object]:
    """Fill one layer from manifests alone: none of the project's code is there to run.

    1. Refuse what no registry can give. 2. Install with scripts off.
    3. Run the scripts of packages allowed by name. 4. Remember the lock when we made it.
    """
    tree = shop.folder / "tree"
    copied(shop.source, tree, recipe.reads)
    home = tree / recipe.members[0]
    lock = recipe.lock or joined(recipe.members[0], "package-lock.json")
    _refuse_git(shop, tree, lock)
    (home / "node_modules").mkdir(parents=True, exist_ok=True)
    recalled = not recipe.lock and shop.recall(tree / lock)
    _run(shop, _install(recipe, home, made_here=recalled), cwd=home, tools=tools)
    if shop.allow:
        names = () if "*" in shop.allow else shop.allow
        _run(shop, ("npm", "rebuild", *names), cwd=home, tools=tools, foreign=True)
    if not recipe.lock:
        shop.keep(tree / lock)
    shop.clear()
    return {"packages": versions(_one(shop, tree, lock), lock)}


def _one(shop: Workshop, tree: Path, lock: str) -> Tree:
    there = [lock] if (tree / lock).is_file() else []
    return Tree(there, lambda path: shop.read(tree / path))


def _refuse_git(shop: Workshop, tree: Path, lock: str) -> None:
    for package in packages(_one(shop, tree, lock), lock):
        if package.source == "git":
            says = f"{package.name} is named by repository, not by release"
            raise failure("vcs-dependency", says, package=package.name)


def _install(recipe: Recipe, home: Path, *, made_here: bool) -> tuple[str, ...]:
    match recipe.manager:
        case "pnpm":
            options = ("--frozen-lockfile", "--ignore-scripts", "--package-import-method", "copy")
            return (*_manager("pnpm", home), "install", *options)
        case "yarn" if _is_berry(home):
            return (*_manager("yarn", home), "install", "--immutable", "--mode=skip-build")
        case "yarn":
            options = ("--frozen-lockfile", "--ignore-scripts", "--non-interactive")
            return (*_manager("yarn", home), "install", *options)
        case "npm":
            clean = bool(recipe.lock) and not made_here
            return ("npm", "ci" if clean else "install", "--ignore-scripts", *QUIET)
        case other:
            says = f"{other} is not supported; npm, pnpm and yarn are"
            raise failure("tool-missing", says, package=other, remedy=OWN_STEPS)


def _is_berry(home: Path) -> bool:
    lock = home / "yarn.lock"
    return lock.is_file() and "__metadata:" in lock.read_text(errors="replace")


def _manager(name: str, home: Path) -> tuple[str, ...]:
    """The package manager in the version the project names, else one that reads its lock."""
    named = str(json.loads((home / "package.json").read_text()).get("packageManager", ""))
    version = named.partition("@")[2].partition("+")[0] or _reads(name, home)
    berry = name == "yarn" and not version.startswith("1")
    package = f"{'@yarnpkg/cli-dist' if berry else name}@{version}"
    return ("npm", "exec", "--yes", "--ignore-scripts", f"--package={package}", "--", name)


def _reads(name: str, home: Path) -> str:
    if name == "yarn":
        return "4" if _is_berry(home) else "1.22.22"
    lock = home / "pnpm-lock.yaml"
    found = re.search(r"^lockfileVersion:\s*'?(\d+)", lock.read_text() if lock.is_file() else "")
    return PNPM.get(found[1] if found else "", "10")


def _run(
    shop: Workshop,
    argv: tuple[str, ...],
    *,
    cwd: Path,
    tools: tuple[Tool, ...],
    foreign: bool = False,
) -> None:
    downloads = shop.cache(foreign=foreign)
    shop.work.mkdir(parents=True, exist_ok=True)
    env = {
        "NPM_CONFIG_CACHE": str(downloads / "npm"),
        "NPM_CONFIG_USERCONFIG": "/dev/null",
        "NPM_CONFIG_FETCH_RETRIES": "1",
        "NPM_CONFIG_FETCH_RETRY_MINTIMEOUT": "1000",
        "YARN_CACHE_FOLDER": str(downloads / "yarn"),
        "YARN_ENABLE_GLOBAL_CACHE": "0",
        "YARN_NODE_LINKER": "node-modules",
        "YARN_ENABLE_SCRIPTS": "0",
        "YARN_ENABLE_TELEMETRY": "0",
        "npm_config_store_dir": str(shop.work / "pnpm"),
        "CI": "1",
        "HUSKY": "0",
    }
    bundle = next((path for path in BUNDLES if Path(path).is_file()), "")
    env |= {"NODE_EXTRA_CA_CERTS": bundle} if bundle else {}
    shop.step(argv, cwd=cwd, env=env, tools=tools, foreign=foreign)


def mounts(folder: Path, recipe: Recipe, *, root: str) -> tuple[Mount, ...]:
    """Each node_modules at its place in the repository; tools write there, so it is an overlay.

    Where nothing was installed, the repository's own is seen, if it has one.
    """
    places = ((folder / "tree" / path, f"{root}/{path}") for path in recipe.keeps)
    filled = ((here, there) for here, there in places if _is_filled(here))
    return tuple(Mount(here, there, "overlay", root=folder) for here, there in filled)


def _is_filled(modules: Path) -> bool:
    """Whether a folder has packages, and not only what an installer notes there."""
    return modules.is_dir() and any(not one.name.startswith(".") for one in modules.iterdir())


def environment(recipe: Recipe, *, root: str) -> Mapping[str, str]:
    """Programs of the packages on the path, and nothing that would look for a registry."""
    places = dict.fromkeys(
        joined(path, "node_modules/.bin") for path in (recipe.subproject, recipe.members[0])
    )
    path = ":".join(f"{root}/{place}" for place in places)
    return {"PATH": path, "NPM_CONFIG_OFFLINE": "true", "NPM_CONFIG_UPDATE_NOTIFIER": "false"}
