"""Which names bring a Python project's test dependencies: the first place that has some, in order.

Groups, extras, requirement files, tox, the same names with `dev`, then only the project's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from forsooth.judge.environment.kinds.manifest import Manifest
from forsooth.judge.environment.kinds.tox import Tox
from forsooth.judge.environment.requirement import lines, plain
from forsooth.judge.environment.tree import at, table, toml, words

TEST = ("test", "tests", "testing")
DEV = ("dev", "development", "develop")


class Choice(NamedTuple):
    """The dependencies tests need beyond the project's own, and where they were found."""

    wants: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    where: str = ""
    hashed: bool = False
    unclear: tuple[str, ...] = ()


def choose(files: Mapping[str, bytes], manifest: Manifest, tox: Tox) -> Choice:
    """The first place that has test dependencies, with the extras tox names added."""
    chosen = next(_places(files, manifest, tox), Choice())
    if tox.extras and not set(tox.extras) <= set(chosen.extras):
        known = tuple(extra for extra in tox.extras if _key(manifest.extras, extra))
        where = " and ".join(filter(None, (chosen.where, f"extras named in {tox.where}")))
        chosen = chosen._replace(
            extras=tuple(dict.fromkeys(chosen.extras + known)),
            wants=chosen.wants + _of_extras(manifest, known),
            where=where if known else chosen.where,
        )
    return chosen


def _places(files: Mapping[str, bytes], manifest: Manifest, tox: Tox) -> Iterator[Choice]:
    yield from _named(files, manifest, TEST)
    yield from _hatch(files)
    yield from _tox(files, manifest, tox)
    yield from _named(files, manifest, DEV)


def _named(
    files: Mapping[str, bytes], manifest: Manifest, names: tuple[str, ...]
) -> Iterator[Choice]:
    if groups := [name for name in names if manifest.groups.get(name)]:
        wants = tuple(line for name in groups for line in manifest.groups[name])
        yield Choice(wants, groups=tuple(groups), where=f"dependency group {_and(groups)}")
    if extras := [key for name in names if (key := _key(manifest.extras, name))]:
        wants = _of_extras(manifest, tuple(extras))
        yield Choice(wants, extras=tuple(extras), where=f"extra {_and(extras)}")
    for path in _paths(names):
        if path in files:
            yield _of_file(files, path, manifest)


def _and(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _key(extras: Mapping[str, tuple[str, ...]], name: str) -> str:
    return next((key for key in extras if plain(key) == plain(name)), "")


def _of_extras(manifest: Manifest, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for name in names for line in manifest.extras[_key(manifest.extras, name)])


def _paths(names: tuple[str, ...]) -> Iterator[str]:
    for kind in ("txt", "in"):
        for name in sorted(names, key=lambda name: not name.endswith("s")):
            yield f"requirements/{name}.{kind}"
        for name in names:
            for stem in (
                f"requirements-{name}",
                f"requirements_{name}",
                f"{name}-requirements",
                f"{name}_requirements",
                f"{name}/requirements",
            ):
                yield f"{stem}.{kind}"


def _of_file(files: Mapping[str, bytes], path: str, manifest: Manifest) -> Choice:
    found = lines(files, path)
    return Choice(
        found.wants + _of_extras(manifest, _known(manifest, found.extras)),
        found.limits,
        extras=_known(manifest, found.extras),
        reads=found.reads,
        where=path,
        hashed=found.hashed,
        unclear=found.unclear,
    )


def _known(manifest: Manifest, extras: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key for extra in extras if (key := _key(manifest.extras, extra)))


def _hatch(files: Mapping[str, bytes]) -> Iterator[Choice]:
    data = toml(files, "hatch.toml") or at(toml(files, "pyproject.toml"), "tool", "hatch")
    envs = at(data, "envs")
    for name in ("test", "hatch-test", "tests"):
        env = table(envs.get(name))
        wants = words(env.get("dependencies")) + words(env.get("extra-dependencies"))
        if wants:
            yield Choice(wants, where=f"hatch environment `{name}`")


def _tox(files: Mapping[str, bytes], manifest: Manifest, tox: Tox) -> Iterator[Choice]:
    groups = tuple(name for name in tox.groups if manifest.groups.get(name))
    found = [_of_file(files, path, manifest) for path in tox.files if path in files]
    wants = (
        tox.wants
        + tuple(line for name in groups for line in manifest.groups[name])
        + tuple(line for part in found for line in part.wants)
    )
    if wants:
        yield Choice(
            wants,
            tuple(line for part in found for line in part.limits),
            groups=groups,
            reads=(tox.where, *(path for part in found for path in part.reads)),
            where=f"deps of {tox.where}",
            unclear=tox.unclear,
        )
