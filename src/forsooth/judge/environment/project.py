"""Installing the judged project for one run: offline, built apart, added to a throw-away view.

The build sees no layer that tests run in, and its wheel is unpacked by us, not by itself.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from forsooth.judge.environment import own, view, wheel
from forsooth.judge.environment.failure import failure, plain_text
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.layers import Layers
from forsooth.judge.environment.prepare.backend import ANSWER, COPIED, argv
from forsooth.judge.environment.prepare.step import Checkout, searched
from forsooth.judge.environment.prepare.uv import ENVIRONMENT
from forsooth.judge.environment.recipe import Project
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import folder, joined, text
from forsooth.judge.openat import open_folder, read_file
from forsooth.judge.sandbox import root as sandbox_root
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
MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")  # where programs are stated
LEFT_OUT = (".git", "__pycache__")


def install_project(
    layers: Layers,
    layer: Layer,
    *,
    copy: Path,
    root: str,
    into: Path,
    sandbox: Sandbox,
    at: str = "",
    source: Checkout | None = None,
    origin: Checkout | None = None,
    extra: Iterable[Mount] = (),
    allow: tuple[str, ...] = (),
) -> Layer:
    """The layer with the judged project installed. `copy` is the judged checkout, mounted at
    `root`; `into` an empty folder for this run; `at` where the environment will be mounted;
    `source` gives the checkout that the build layer's questions are asked of, and `origin` the one
    that work began at, where that is not `copy`.

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
    seen = (Mount(env, at, "overlay", root=into), *_aliases(layer, env))
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
                project,
                python,
                source=source or (lambda: copy),
                root=root,
                sandbox=sandbox,
                allow=allow,
            )
        )
        job = _job(project, build, python=python, copy=copy, root=root, out=out, extra=extra)
        made = _built(project, sandbox.run(job), out)  # 2
        found = wheel.read(made, python=f"{at}/bin/python", roots=(root,), root=out)
        _refuse_shadows(found, layer, project, origin or (lambda: copy))  # 3
        _add(found, env, site, base=layer.folder / "env", python=python)
        notes += found.notes
        is_copy = read_file(out, ANSWER, most=len(COPIED)) == COPIED
        notes += [f"{found.name} is installed by copy, not in place."] if is_copy else []
        products += _products(project, copy=copy, root=root, out=out)  # 4
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
    return tuple(Mount(env / inner, target, "overlay", root=env) for target, inner in rows)


def _source(copy: Path, project: Project) -> str:
    inner = joined(project.path, "src")
    return inner if (copy / inner).is_dir() else project.path


def _refuse_shadows(found: wheel.Wheel, layer: Layer, project: Project, origin: Checkout) -> None:
    others = (str(tool.program.parent) for tool in layer.tools if tool.name != "python")

    def is_stated(program: str) -> bool:
        place = folder(origin() / project.path)
        return any(wheel.is_stated(program, text(place, name)) for name in MANIFESTS)

    wheel.refuse_shadows(found, ":".join([sandbox_root.PATH, *others]), is_stated=is_stated)


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


def _built(project: Project, done: Done, out: Path) -> Path:
    """The one wheel a build left, by listing: what a build says of itself is not believed."""
    if done.ended == "exit" and done.exit == 0:
        wheels = list(out.glob("*.whl"))
        if len(wheels) == 1:
            return wheels[0]
        why = f"it left {len(wheels)} wheels"
    else:
        tail = " / ".join(plain_text(done.stderr).strip().splitlines()[-5:])
        why = tail[-600:] or done.why
    raise failure("build-failed", f"{project.name} could not be built: {why}")


def _products(project: Project, *, copy: Path, root: str, out: Path) -> list[Mount]:
    """New files of the tree only: extensions, generated versions, egg-info.

    Judged code filled the folder they lie in, so they are found by listing it beside the copy, both
    by descriptor. What is no plain file or folder is left out.
    """
    found: list[Mount] = []
    with suppress(OSError, RecursionError), ExitStack() as stack:
        made = stack.enter_context(open_folder(out, "products"))
        there = stack.enter_context(open_folder(copy, project.path))
        for path, mode in _new(made, there):
            target = f"{root}/{joined(project.path, path)}"
            found.append(Mount(out / "products" / path, target, mode, root=out))
            if len(found) > MOST:
                says = f"the build of {project.name} left new files in more than {MOST} places"
                raise failure("build-failed", says)
    return found


def _new(made: int, there: int) -> Iterator[tuple[str, Mode]]:
    """The topmost parts of one open folder that another does not have."""
    with os.scandir(made) as listed:
        entries = sorted(
            (entry for entry in listed if entry.name not in LEFT_OUT), key=lambda one: one.name
        )
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        try:
            seen = os.lstat(entry.name, dir_fd=there)
        except FileNotFoundError:
            if is_folder or entry.is_file(follow_symlinks=False):
                mode: Mode = "overlay" if is_folder else "file"
                yield entry.name, mode
            continue
        if is_folder and stat.S_ISDIR(seen.st_mode):
            with _below(made, entry.name) as inner, _below(there, entry.name) as beside:
                for path, kind in _new(inner, beside):
                    yield f"{entry.name}/{path}", kind


@contextmanager
def _below(folder: int, name: str) -> Generator[int]:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    number = os.open(name, flags, dir_fd=folder)
    try:
        yield number
    finally:
        os.close(number)
