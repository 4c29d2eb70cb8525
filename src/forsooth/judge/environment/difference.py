"""What a change of lock or dependency tables means, package by package, for a person to read."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from forsooth.judge.environment.locks import Versions, versions
from forsooth.judge.environment.recipe import Recipe
from forsooth.judge.environment.requirement import named


def difference(old: Versions, new: Versions) -> tuple[str, ...]:
    """One line for each package that was added, removed or moved."""
    found: list[str] = []
    for name in sorted({*old, *new}):
        before, after = ", ".join(old.get(name, ())), ", ".join(new.get(name, ()))
        if before and not after:
            found.append(f"- {name} {before}")
        elif after and not before:
            found.append(f"+ {name} {after}")
        elif before != after:
            found.append(f"~ {name} {before} → {after}")
    return tuple(found)


def between(
    old: Mapping[str, bytes], new: Mapping[str, bytes], *, before: Recipe, after: Recipe
) -> tuple[str, ...]:
    """The package difference of two trees: that of locks, else that of what is asked for."""
    if before.key == after.key:
        return ()
    found: tuple[str, ...] = ()
    if before.lock or after.lock:
        found = difference(versions(old, before.lock), versions(new, after.lock))
    found = found or difference(_asked(before), _asked(after))
    if not found and (before.metadata or after.metadata):
        found = _computed(old, new)
    tables = () if found else ("dependency tables changed; the same packages result",)
    moved = (f"~ lock {before.lock or 'none'} → {after.lock or 'none'}",)
    return (*(moved if before.lock != after.lock else ()), *found, *tables)


def _asked(recipe: Recipe) -> Versions:
    found: dict[str, tuple[str, ...]] = {}
    for line in recipe.wants:
        name = named(line) or line
        asked = line[len(name) :].strip() or "any version"
        found[name] = (*found.get(name, ()), asked)
    return found


def _computed(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> tuple[str, ...]:
    """Scripts that alone know what a project needs, where they now say something else of it."""
    scripts = sorted(path for path in {*old, *new} if path.rpartition("/")[2] == "setup.py")
    return tuple(
        f"~ {path}, which says what is needed"
        for path in scripts
        if _needs(old.get(path, b"")) != _needs(new.get(path, b""))
    )


def _needs(script: bytes) -> object:
    """What a setup script writes out as needed; the whole script where it works it out."""
    try:
        nodes = [*ast.walk(ast.parse(script))]
    except (SyntaxError, ValueError, RecursionError):
        return script
    calls = (node for node in nodes if isinstance(node, ast.Call))
    told = {
        one.arg: one.value
        for call in calls
        for one in call.keywords
        if one.arg is None or one.arg.endswith(("_requires", "_require"))
    }
    try:
        return {name: ast.literal_eval(value) for name, value in told.items()}
    except (ValueError, TypeError):
        return script
