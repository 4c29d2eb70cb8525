"""Installing the judged project for one run: offline, built apart, added to a throw-away view.

The build sees no layer that tests run in, and its wheel is unpacked by us, not by itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from forsooth.judge.environment import own, view, wheel
from forsooth.judge.environment.failure import failure, plain_text
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.prepare.backend import argv
from forsooth.judge.environment.prepare.step import searched
from forsooth.judge.environment.prepare.uv import ENVIRONMENT
from forsooth.judge.environment.recipe import Project
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import joined
from forsooth.judge.sandbox.job import Done, Job, Limits, Mode, Mount, Sandbox

BUILD = {
    **ENVIRONMENT,
    "PIP_NO_INDEX": "1",
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox, where it is empty
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}
SECONDS = 300.0
AS_IT_WAS = "The project is seen by path: nothing here can build it, so its metadata is as it was."
MOST = 200  # each place is a mount


def install_project(
    layers: Layers,
    layer: Layer,
    *,
    copy: Path,
    root: str,
    into: Path,
    sandbox: Sandbox,
    at: str = "",
    source: Path | None = None,
    extra: Iterable[Mount] = (),
    allow: tuple[str, ...] = (),
) -> Layer:
    """The layer with the judged project installed. `copy` is the judged checkout, mounted at
    `root`; `into` an empty folder for this run; `at` where the environment will be mounted;
    `source` the base checkout that the build layer's questions are asked of.

    1. Show the layer through a new venv.
    2. Build an editable wheel with the build layer; the test layer is not there to be changed.
    3. Read the wheel, refuse what would replace a part of the layer or run before the runner.
    4. Unpack it; hand over new files the build made in the tree, never a changed delivered one.
    """
    if layer.recipe.kind != "python" or not layer.recipe.projects:
        return layer
    python = layer.tools[0]
    env, at = into / "env", at or str(into / "env")
    site = view.make(env, layer.folder / "env", python=python, at=at)  # 1
    seen = (Mount(env, at, "overlay"), *_aliases(layer, env))
    if layer.how == "borrowed" and not own.can_build(layer):
        places = [_source(copy, project) for project in layer.recipe.projects]
        own.install(layer.folder / "own", site, root=root, places=tuple(places))
        return _with(layer, at, mounts=seen, notes=(AS_IT_WAS,))
    notes: list[str] = []
    products: list[Mount] = []
    for number, project in enumerate(layer.recipe.projects):
        out = into / f"build-{number}"
        out.mkdir(parents=True)
        build = (
            layer.folder / "env"
            if layer.how == "borrowed"
            else layers.build_layer(
                project, python, source=source or copy, sandbox=sandbox, allow=allow
            )
        )
        job = _job(project, build, python=python, copy=copy, root=root, out=out, extra=extra)
        said = _built(project, sandbox.run(job), out)  # 2
        found = wheel.read(out / str(said["wheel"]), python=f"{at}/bin/python", roots=(root,))
        _add(found, env, site, base=layer.folder / "env", python=python)  # 3
        notes += found.notes
        notes += [] if said["editable"] else [f"{found.name} is installed by copy, not in place."]
        products += _products(project, said, copy=copy, root=root, out=out)  # 4
    return _with(layer, at, mounts=(*seen, *products), notes=tuple(notes))


def _with(layer: Layer, at: str, *, mounts: tuple[Mount, ...], notes: tuple[str, ...]) -> Layer:
    """The layer as a run sees it: its own environment first, other tools still on the path."""
    others = layer.env["PATH"].split(":")[1:]
    return layer._replace(
        mounts=(*layer.mounts, *mounts),
        env={**layer.env, "PATH": ":".join([f"{at}/bin", *others]), "VIRTUAL_ENV": at},
        notes=(*layer.notes, *notes),
    )


def _aliases(layer: Layer, env: Path) -> tuple[Mount, ...]:
    """The run's own environment wherever a command may name the layer's."""
    rows = layer.aliases.items()
    return tuple(Mount(env / inner, target, "overlay") for target, inner in rows)


def _source(copy: Path, project: Project) -> str:
    inner = joined(project.path, "src")
    return inner if (copy / inner).is_dir() else project.path


def _add(found: wheel.Wheel, env: Path, site: Path, *, base: Path, python: Tool) -> None:
    wheel.refuse_collisions(found, view.site_of(base, python.version), base / "bin")
    for member in found.site:
        view.open_up(site, member)
    wheel.unpack(found, env, site)


def _job(
    project: Project,
    build: Path,
    *,
    python: Tool,
    copy: Path,
    root: str,
    out: Path,
    extra: Iterable[Mount],
) -> Job:
    return Job(
        argv(build / "bin/python", "build", project.build, out),
        cwd="/".join(filter(None, (root, project.path))),
        env={**BUILD, "PATH": f"{build}/bin:{searched((python,))}", "LANG": "C.UTF-8"},
        mounts=(
            *python.mounts,
            Mount(build, str(build), "ro"),
            Mount(copy, root, "overlay"),
            Mount(out, str(out), "rw"),
            *extra,
        ),
        limits=Limits(seconds=SECONDS),
        network="none",
    )


def _built(project: Project, done: Done, out: Path) -> dict[str, Any]:
    answer = out / "answer.json"
    if done.ended != "exit" or done.exit != 0 or not answer.is_file():
        tail = " / ".join(plain_text(done.stderr).strip().splitlines()[-5:])
        why = tail[-600:] or done.why
        raise failure("build-failed", f"{project.name} could not be built: {why}")
    return json.loads(answer.read_text())


def _products(
    project: Project, said: Mapping[str, Any], *, copy: Path, root: str, out: Path
) -> list[Mount]:
    """New files of the tree only: extensions, generated versions, egg-info.

    The list was written by judged code, so every path is taken as a claim.
    """
    found: dict[str, Mount] = {}
    for path in map(str, said["new"]):
        new = _new(copy, joined(project.path, path))
        inner = os.path.relpath(new, project.path or ".") if new else ".."
        made = out / "products" / inner
        if inner.startswith("..") or made.is_symlink() or not made.exists():
            continue
        mode: Mode = "overlay" if made.is_dir() else "file"
        found[new] = Mount(made, f"{root}/{new}", mode)
    if len(found) > MOST:
        says = f"the build of {project.name} left new files in {len(found)} places of the tree"
        raise failure("build-failed", says)
    return list(found.values())


def _new(copy: Path, place: str) -> str:
    """The topmost part of a path that the tree does not have; empty when it has all of it."""
    if place.startswith(("..", "/")):
        return ""
    parts = place.split("/")
    for depth in range(1, len(parts) + 1):
        here = "/".join(parts[:depth])
        if (copy / here).is_symlink():
            return ""
        if not (copy / here).exists():
            return here
    return ""
