"""Filling a Node layer: node_modules from the lock, install scripts off unless allowed by name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.failure import OWN_STEPS, failure
from forsooth.judge.environment.locks import packages, versions
from forsooth.judge.environment.prepare.manifests import write_all
from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import Tree, joined
from forsooth.judge.sandbox.job import Mount

QUIET = ("--no-audit", "--no-fund", "--loglevel=error")
BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")
PNPM = {"9": "9", "6": "8", "5": "7"}  # lockfile generations and the first major that reads them


def fill(shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...]) -> dict[str, object]:
    """Fill one layer from manifests alone: none of the project's code is there to run.

    1. Refuse what no registry can give, and write what an installer may see.
    2. Install with scripts off. 3. Run the scripts of packages allowed by name, offline.
    4. Remember the lock when we made it.
    """
    tree = shop.folder / "tree"
    shop.work.mkdir(parents=True)
    lock = recipe.lock or joined(recipe.members[0], "package-lock.json")
    _refuse_git(shop, lock)
    ask = cache(lambda: _registry(shop, tools))
    write_all(shop, recipe.reads, tree, registry=ask)  # 1
    home = tree / recipe.members[0]
    (home / "node_modules").mkdir(parents=True, exist_ok=True)
    recalled = not recipe.lock and shop.recall(tree / lock)
    manager = _manager(shop.source / recipe.members[0], recipe.manager)
    argv = _install(recipe, home, manager, made_here=recalled)
    shop.fetch(argv, cwd=home, env=_environment(shop), tools=tools)  # 2
    if shop.allow:
        names = () if "*" in shop.allow else shop.allow
        _rebuild(shop, ("npm", "rebuild", *names), tree, cwd=home, tools=tools)  # 3
    if not recipe.lock:
        shop.keep(tree / lock)  # 4
    shop.clear()
    return {"packages": versions(_one(shop, tree, lock), lock)}


def _registry(shop: Workshop, tools: tuple[Tool, ...]) -> str:
    """The registry that npm would ask with the user's settings alone."""
    if given := shop.settings.get("NPM_CONFIG_REGISTRY"):
        return given
    argv = ("npm", "config", "get", "registry")
    env = {"NPM_CONFIG_USERCONFIG": "/dev/null"}
    said = shop.run_offline(argv, cwd=shop.work, env=env, tools=tools).stdout.decode().strip()
    if not re.fullmatch(r"https?://\S+", said):
        raise failure("tool-missing", "npm does not say which registry it asks", package="npm")
    return said


def _one(shop: Workshop, tree: Path, lock: str) -> Tree:
    there = [lock] if (tree / lock).is_file() else []
    return Tree(there, lambda path: shop.read(tree / path))


def _refuse_git(shop: Workshop, lock: str) -> None:
    there = [lock] if (shop.source / lock).is_file() else []
    files = Tree(there, lambda path: (shop.source / path).read_bytes())
    for package in packages(files, lock):
        if package.source == "git":
            says = f"{package.name} is named by repository, not by release"
            raise failure("vcs-dependency", says, package=package.name)


def _install(
    recipe: Recipe, home: Path, manager: tuple[str, ...], *, made_here: bool
) -> tuple[str, ...]:
    match recipe.manager:
        case "pnpm":
            options = ("--frozen-lockfile", "--ignore-scripts", "--ignore-pnpmfile")
            return (*manager, "install", *options, "--package-import-method", "copy")
        case "yarn" if _is_berry(home):
            return (*manager, "install", "--immutable", "--mode=skip-build")
        case "yarn":
            options = ("--frozen-lockfile", "--ignore-scripts", "--non-interactive")
            return (*manager, "install", *options)
        case "npm":
            clean = bool(recipe.lock) and not made_here
            return ("npm", "ci" if clean else "install", "--ignore-scripts", *QUIET)
        case other:
            says = f"{other} is not supported; npm, pnpm and yarn are"
            raise failure("tool-missing", says, package=other, remedy=OWN_STEPS)


def _is_berry(home: Path) -> bool:
    lock = home / "yarn.lock"
    return lock.is_file() and "__metadata:" in lock.read_text(errors="replace")


def _manager(home: Path, name: str) -> tuple[str, ...]:
    """The package manager in the version the project names, else one that reads its lock."""
    named = str(json.loads((home / "package.json").read_text()).get("packageManager", ""))
    version = named.partition("@")[2].partition("+")[0]
    if not re.fullmatch(r"\d+(\.\d+){0,2}(-[\w.]+)?", version):
        version = _reads(name, home)
    berry = name == "yarn" and not version.startswith("1")
    package = f"{'@yarnpkg/cli-dist' if berry else name}@{version}"
    return ("npm", "exec", "--yes", "--ignore-scripts", f"--package={package}", "--", name)


def _reads(name: str, home: Path) -> str:
    if name == "yarn":
        return "4" if _is_berry(home) else "1.22.22"
    lock = home / "pnpm-lock.yaml"
    found = re.search(r"^lockfileVersion:\s*'?(\d+)", lock.read_text() if lock.is_file() else "")
    return PNPM.get(found[1] if found else "", "10")


def _environment(shop: Workshop) -> dict[str, str]:
    """The surroundings of an installer: our caches and settings, none of the repository's."""
    env = {
        "NPM_CONFIG_CACHE": str(shop.downloads / "npm"),
        "NPM_CONFIG_USERCONFIG": "/dev/null",
        "NPM_CONFIG_FETCH_RETRIES": "1",
        "NPM_CONFIG_FETCH_RETRY_MINTIMEOUT": "1000",
        "YARN_CACHE_FOLDER": str(shop.downloads / "yarn"),
        "YARN_ENABLE_GLOBAL_CACHE": "0",
        "YARN_NODE_LINKER": "node-modules",
        "YARN_ENABLE_SCRIPTS": "0",
        "YARN_ENABLE_TELEMETRY": "0",
        "YARN_IGNORE_PATH": "1",
        "npm_config_store_dir": str(shop.work / "pnpm"),
        "npm_config_manage_package_manager_versions": "false",
        "CI": "1",
        "HUSKY": "0",
    }
    if given := shop.settings.get("NPM_CONFIG_REGISTRY"):
        env |= {"YARN_REGISTRY": given, "YARN_NPM_REGISTRY_SERVER": given}
    bundle = next((path for path in BUNDLES if Path(path).is_file()), "")
    return env | ({"NODE_EXTRA_CA_CERTS": bundle} if bundle else {})


def _rebuild(
    shop: Workshop, argv: tuple[str, ...], tree: Path, *, cwd: Path, tools: tuple[Tool, ...]
) -> None:
    """Run install scripts of packages without a network; they write into their own packages."""
    env = {
        "NPM_CONFIG_CACHE": "/tmp/npm",  # noqa: S108 - inside the sandbox, where it is empty
        "NPM_CONFIG_USERCONFIG": "/dev/null",
        "NPM_CONFIG_OFFLINE": "true",
        "HUSKY": "0",
    }
    headers = next((one.prefix for one in tools if (one.prefix / "include/node").is_dir()), None)
    env |= {"npm_config_nodedir": str(headers)} if headers else {}
    try:
        shop.run_offline(argv, cwd=cwd, env=env, tools=tools, writes=(tree,))
    except CouldNotVerify as error:
        says = f"an install script failed; it has no network while it runs: {error.message}"
        raise failure("needs-network", says) from None


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
