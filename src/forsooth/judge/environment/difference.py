"""What a change of lock or dependency tables means, package by package, for a person to read."""

from __future__ import annotations

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
    """The package difference of two trees; without locks, that of what is asked for."""
    if before.key == after.key:
        return ()
    if before.lock or after.lock:
        found = difference(versions(old, before.lock), versions(new, after.lock))
    else:
        found = difference(_asked(before), _asked(after))
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
