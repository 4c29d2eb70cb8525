"""Asking a Python build backend: hooks inside a sandbox without a network, answers as JSON.

The layer tests run in is never mounted here, so a build cannot change what judges it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.judge.environment.failure import failure
from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.prepare.uv import ENVIRONMENT, PRETEND
from forsooth.judge.environment.recipe import Build
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import table
from forsooth.judge.openat import read_file, remove
from forsooth.judge.sandbox.job import Mount

# Runs with the build layer's interpreter. The project's folder leaves the path first, so that a
# file of the project named like a module of the standard library is not imported by the hook.
HOOK = """
import sys
sys.path[:] = [p for p in sys.path if p not in ("", ".")]
import email, importlib, json, os, shutil, zipfile
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

def requirements(body):
    return email.message_from_string(body).get_all("Requires-Dist") or []

if what == "requires":
    hook = getattr(backend, "get_requires_for_build_editable", None)
    hook = hook or getattr(backend, "get_requires_for_build_wheel", None)
    answer = {"requires": list(hook({}) if hook else ())}
elif what == "metadata" and hasattr(backend, "prepare_metadata_for_build_wheel"):
    name = backend.prepare_metadata_for_build_wheel(out, {})
    with open(os.path.join(out, name, "METADATA"), encoding="utf-8") as file:
        answer = {"requires": requirements(file.read())}
elif what in ("metadata", "wheel"):
    with zipfile.ZipFile(os.path.join(out, backend.build_wheel(out, {}))) as wheel:
        name = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
        answer = {"requires": requirements(wheel.read(name).decode())}
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


class Source(NamedTuple):
    """Something that can be built: what it is called, how it is built, and where it lies."""

    name: str
    build: Build
    place: Path


def ask(
    shop: Workshop, env: Path, source: Source, what: str, *, python: Tool, out: Path | None = None
) -> Mapping[str, Any]:
    """A backend's answer. It runs without a network, and writes into `out` alone."""
    out = out or shop.work / "answer"
    remove(out)
    out.mkdir(parents=True)
    inside = source.place.is_relative_to(shop.folder)
    seen = () if inside else (Mount(shop.source, str(shop.source), "overlay"),)
    shop.run_offline(
        argv(env / "bin/python", what, source.build, out),
        cwd=source.place,
        env={**ENVIRONMENT, **PRETEND, "PIP_NO_INDEX": "1"},
        tools=(python,),
        mounts=seen,
        writes=(out,),
    )
    try:
        return table(json.loads(read_file(out, ANSWER, most=LARGEST) or b""))
    except ValueError:
        raise failure("build-failed", f"the backend of {source.name} gave no answer") from None
