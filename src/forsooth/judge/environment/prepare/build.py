"""The environment a Python project is built in, and what its backend alone knows about it."""

from __future__ import annotations

from forsooth.judge.environment.prepare.backend import Source, ask
from forsooth.judge.environment.prepare.resolve import (
    compile_packages,
    furnish,
    install,
    make_env,
    versions,
)
from forsooth.judge.environment.prepare.step import Workshop
from forsooth.judge.environment.recipe import Project
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.environment.tree import words


def fill(shop: Workshop, project: Project, python: Tool) -> dict[str, object]:
    """Fill a build layer: what the project requires, then what its backend adds when asked."""
    shop.work.mkdir(parents=True)
    pins = shop.work / "pins.txt"
    env = shop.folder / "env"
    source = Source(project.name, project.build, shop.source / project.path)
    if shop.recall(pins):
        make_env(shop, env, python)
        install(shop, env, pins, python=python)
    else:
        furnish(shop, env, source, pins=pins, python=python)
        shop.keep(pins)
    compile_packages(shop, env, python)
    packages = versions(shop.read(pins).decode())
    shop.clear()
    return {"packages": packages}


def dependencies(shop: Workshop, source: Source, *, python: Tool) -> tuple[str, ...]:
    """The dependencies of a project that only its backend knows, computed without a network."""
    env = shop.work / "asked"
    furnish(shop, env, source, pins=shop.work / "asked.txt", python=python)
    return words(ask(shop, env, source, "metadata", python=python).get("requires"))
