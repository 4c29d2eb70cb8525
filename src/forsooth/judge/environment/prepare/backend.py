"""Asking a Python build backend: a layer of its own, hooks inside a sandbox, answers as JSON.

The layer tests run in is never mounted here, so a build cannot change what judges it.
"""

from __future__ import annotations

import json
from pathlib import Path

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.prepare.resolve import install, refuse_vcs, resolve, versions
from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.prepare.uv import ENVIRONMENT, PRETEND, uv
from forsooth.judge.environment.recipe import Build, Project
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import table, words
from forsooth.judge.openat import read_file
from forsooth.judge.sandbox.job import Mount

# Runs with the build layer's interpreter. The project's folder leaves the path first, so that a
# file of the project named like a module of the standard library is not imported by the hook.
HOOK = """
import sys
sys.path[:] = [p for p in sys.path if p not in ("", ".")]
import importlib, json, os, shutil
what, spec, out = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
root = os.getcwd()
sys.path[:0] = [os.path.join(root, p) for p in spec["path"]]
module, _, attribute = spec["backend"].partition(":")
backend = importlib.import_module(module)
for part in attribute.split(".") if attribute else ():
    backend = getattr(backend, part)

def files():
    for here, folders, names in os.walk(root):
        folders[:] = [n for n in folders if n not in (".git", "__pycache__")]
        for name in names:
            path = os.path.join(here, name)
            found = os.lstat(path)
            yield path, (found.st_mtime_ns, found.st_size, found.st_ino)

if what == "requires":
    hook = getattr(backend, "get_requires_for_build_editable", None)
    hook = hook or getattr(backend, "get_requires_for_build_wheel", None)
    answer = {"requires": list(hook({}) if hook else ())}
else:
    before = dict(files())
    hook = getattr(backend, "build_editable", None)
    editable = hook is not None
    (hook if editable else backend.build_wheel)(out, {})
    new = [p for p, found in files() if before.get(p) != found]
    for path in new:
        target = os.path.join(out, "products", os.path.relpath(path, root))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(path, target, follow_symlinks=False)
    answer = {"editable": editable}
with open(os.path.join(out, "answer.json"), "w") as file:
    json.dump(answer, file)
"""
ANSWER = "answer.json"  # judged code runs before and after it is written: never more than a hint
COPIED = b'{"editable": false}'
LARGEST = 1 << 20


def spec(build: Build) -> str:
    """What the hook needs to know about a backend."""
    return json.dumps({"backend": build.backend, "path": build.path})


def argv(python: Path, what: str, build: Build, out: Path) -> tuple[str, ...]:
    """The hook's command line."""
    return (str(python), "-c", HOOK, what, spec(build), str(out))


def fill(shop: Workshop, project: Project, python: Tool) -> dict[str, object]:
    """Fill a build layer: what the project requires, then what its backend adds when asked."""
    env = shop.folder / "env"
    pins = shop.work / "pins.txt"
    shop.work.mkdir(parents=True)
    uv(shop, "venv", "--python", str(python.program), str(env), tools=(python,))
    if not shop.recall(pins):
        _chosen(shop, env, project.build.requires, pins=pins, python=python)
        extra = _asked(shop, env, project, python)
        if extra:
            requires = (*project.build.requires, *extra)
            _chosen(shop, env, requires, pins=pins, python=python)
        shop.keep(pins)
    else:
        install(shop, env, pins, tools=(python,))
    packages = versions(shop.read(pins).decode())
    shop.clear()
    return {"packages": packages}


def _chosen(
    shop: Workshop, env: Path, requires: tuple[str, ...], *, pins: Path, python: Tool
) -> None:
    refuse_vcs(requires)
    resolve(shop, requires, pins=pins, python=python)
    install(shop, env, pins, tools=(python,))


def _asked(shop: Workshop, env: Path, project: Project, python: Tool) -> tuple[str, ...]:
    """The backend's own answer, from project code that sees no network and no downloads."""
    place = shop.source / project.path
    shop.step(
        argv(env / "bin/python", "requires", project.build, shop.work),
        cwd=place,
        env={**ENVIRONMENT, **PRETEND},
        tools=(python,),
        mounts=(Mount(shop.source, str(shop.source), "overlay"),),
        network="none",
        foreign=True,
    )
    try:
        answer = json.loads(read_file(shop.work, ANSWER, most=LARGEST) or b"")
    except ValueError:
        raise failure("build-failed", f"the backend of {project.name} gave no answer") from None
    return words(table(answer).get("requires"))
