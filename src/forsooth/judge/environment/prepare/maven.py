"""Filling a Maven layer: a local repository with everything `mvn test` resolves.

Some plug-ins are chosen only while tests start, so a test run that selects no method is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from forsooth.judge.environment.prepare.step import Workshop, whole
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.toolchain import Tool
from forsooth.judge.sandbox.job import Mount

NOTHING = (
    "-Dtest=*#forsoothSelectsNothing",
    "-DfailIfNoTests=false",
    "-Dsurefire.failIfNoSpecifiedTests=false",
)


def fill(shop: Workshop, recipe: Recipe, tools: tuple[Tool, ...]) -> dict[str, object]:
    """Resolve by doing everything but the tests, in a copy that is thrown away."""
    tree = shop.work / "tree"
    whole(shop.source, tree)
    repository = shop.folder / "m2"
    maven, java = tools
    shop.step(
        (str(maven.program), "-B", "-q", f"-Dmaven.repo.local={repository}", *NOTHING, "test"),
        cwd=tree / recipe.members[0],
        env={"JAVA_HOME": str(java.prefix)},
        tools=tools,
    )
    shop.clear()
    return {"packages": versions(repository)}


def versions(repository: Path) -> dict[str, tuple[str, ...]]:
    """What a local repository holds, as group:artifact to versions."""
    found: dict[str, set[str]] = {}
    for path in repository.rglob("*.pom"):
        group = ".".join(path.relative_to(repository).parts[:-3])
        found.setdefault(f"{group}:{path.parts[-3]}", set()).add(path.parts[-2])
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def mounts(folder: Path) -> tuple[Mount, ...]:
    """The local repository as an overlay, because Maven notes there what it looked at."""
    return (Mount(folder / "m2", str(folder / "m2"), "overlay", root=folder),)


def environment(folder: Path, *, java: Path) -> Mapping[str, str]:
    """A Maven that has its repository."""
    return {"MAVEN_OPTS": f"-Dmaven.repo.local={folder / 'm2'}", "JAVA_HOME": str(java)}
