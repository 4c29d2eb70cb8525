"""From the files of a tree to the recipe of its environment; pure, so a listing tests it."""

from __future__ import annotations

from collections.abc import Mapping

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.kinds import cargo, go, maven, node, python
from forsooth.judge.environment.recipe import Recipe, digest
from forsooth.judge.environment.tree import ASIDE, under

MANIFESTS = {
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "package.json",
    "go.mod",
    "Cargo.toml",
    "pom.xml",
}
KINDS = (python, node, go, cargo, maven)
NONE = "Nothing was recognised: no manifest of Python, Node, Go, Cargo or Maven."


def detect(files: Mapping[str, bytes], *, subproject: str = "") -> Recipe:
    """The recipe of one sub-project; where ecosystems meet, the one with tests and a lock."""
    found = options(files, subproject=subproject)
    if not found:
        return Recipe(
            kind="none",
            key=digest({"kind": "none"}),
            subproject=subproject,
            explains=(NONE,),
            missing=("If tests need more, name it in forsooth.toml: environment.prepare.",),
        )
    best = min(found, key=_rank)
    others = tuple(f"Also here: {other.kind}." for other in found if other is not best)
    return best.but(explains=best.explains + others)


def options(files: Mapping[str, bytes], *, subproject: str = "") -> tuple[Recipe, ...]:
    """Every ecosystem that recognises this folder."""
    found = (kind.recognise(files, subproject) for kind in KINDS)
    return tuple(recipe for recipe in found if recipe)


def _rank(recipe: Recipe) -> tuple[bool, bool, bool]:
    """Runnable first, then a real project over a folder that only looks like one."""
    bare = recipe.kind == "python" and not recipe.projects and not recipe.reads
    return recipe.test_command is None, bare, not (recipe.lock or recipe.kind != "node")


def candidates(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The sub-projects of a tree, the root first when it is one."""
    places = {
        path.rpartition("/")[0]
        for path in files
        if path.rpartition("/")[2] in MANIFESTS and not ASIDE & set(path.split("/")[:-1])
    }
    real = (place for place in places if _is_project(files, place))
    return tuple(sorted(real, key=lambda place: (place.count("/") + bool(place), place)))


def _is_project(files: Mapping[str, bytes], place: str) -> bool:
    inside = under(files, place)
    try:
        return any(kind.is_here(inside) for kind in KINDS)
    except CouldNotVerify:  # a manifest that cannot be read still marks a project
        return True
