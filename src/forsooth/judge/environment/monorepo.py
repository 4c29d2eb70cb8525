"""Which projects of a repository a change concerns: those it lies in, and those that depend on it.

A project is concerned by a changed path when the path lies in it, when its environment is read from
the path (a lock, a manifest above), or when it depends on a project that is concerned. A project
around another one is concerned when it has tests of its own; one that only holds others together
has nothing to run that they do not. Dependencies are read from manifests, and in Go workspaces from
imports. A project that reaches another one by path alone is not seen to depend on it: it is named
as not run.

>>> places = ("core", "api", "web")
>>> links = {"core": Links("core"), "api": Links("api", frozenset({"core"})), "web": Links("web")}
>>> sorted(dependents({"core"}, graph(places, links)))
['api', 'core']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.judge.environment.detect import KINDS, candidates
from forsooth.judge.environment.kinds.links import Links
from forsooth.judge.environment.tree import ancestors, under

TEST = re.compile(
    r"(^|/)(?:tests?|specs?|__tests__)/|(^|/)tests?[_.][^/]*$|_test\.\w+$|[._-](?:test|spec)\.\w+$|\.rs$"
)
Graph = Mapping[str, frozenset[str]]


class Concerned(NamedTuple):
    """The projects a change concerns, each with the changed paths that do; and all the others.

    The first of them also has what belongs to no project.
    """

    paths: Mapping[str, tuple[str, ...]]
    own: Mapping[str, tuple[str, ...]]
    others: tuple[str, ...] = ()


def concerned(
    files: Mapping[str, bytes],
    changed: Iterable[str],
    *,
    named: tuple[str, ...] = (),
    reads: Mapping[str, Iterable[str]] | None = None,
) -> Concerned:
    """Find whom changed paths concern, among the projects a person named or those found.

    1. Each path is its nearest project's. 2. Whoever reads it is concerned too, and 3. whoever
    depends on one of these. 4. What only holds others together is left to them. 5. Where nothing
    is anybody's, it may be everybody's.
    """
    places = named or candidates(files) or ("",)
    owners = {path: _nearest(path, places) for path in changed}
    depends = graph(places, {place: links(files, place) for place in places})
    touched = {place for place in owners.values() if place is not None}  # 1
    touched |= {p for p, paths in (reads or {}).items() if owners.keys() & set(paths)}  # 2
    touched = dependents(touched, depends)  # 3
    around = {p for p in places if any(_is_in(t, p) for t in touched - {p})}
    bare = {p for p in places if _is_bare(files, p, places)}
    chosen = (touched | around) - bare or touched or set(places)  # 4, 5
    order = sorted(chosen, key=lambda place: (place.count("/") + bool(place), place))
    paths = {p: _paths_for(p, owners, depends) for p in order}
    own = {p: tuple(path for path, owner in owners.items() if owner == p) for p in order}
    held = {path for mine in own.values() for path in mine}
    own[order[0]] += tuple(path for path in owners if path not in held)
    others = tuple(p for p in places if p not in chosen and p not in bare)
    return Concerned(paths, own, others)


def links(files: Mapping[str, bytes], place: str) -> Links:
    """What a project is called and depends on, over every ecosystem it is in."""
    here = under(files, place)
    found: list[Links] = []
    for kind in KINDS:
        with suppress(CouldNotVerify):  # it is reported where that project itself is run
            found += [kind.links(files, place)] if kind.is_here(here) else []
    return Links(
        next((one.name for one in found if one.name), ""),
        frozenset(name for one in found for name in one.names),
        frozenset(path for one in found for path in one.paths),
    )


def graph(places: Iterable[str], known: Mapping[str, Links]) -> Graph:
    """For each project those it depends on."""
    every = tuple(places)

    def is_meant(wanted: Links, other: str) -> bool:
        name = known[other].name
        by_name = any(one == name or one.startswith(f"{name}/") for one in wanted.names)
        return other in wanted.paths or bool(name and by_name)

    return {
        place: frozenset(o for o in every if o != place and is_meant(known[place], o))
        for place in every
    }


def dependents(places: Iterable[str], depends: Graph) -> set[str]:
    """These projects and everything that depends on one of them, however far."""
    found = set(places)
    while more := {p for p, on in depends.items() if p not in found and on & found}:
        found |= more
    return found


def _paths_for(place: str, owners: Mapping[str, str | None], depends: Graph) -> tuple[str, ...]:
    """The changed paths that may decide how a project's tests end."""
    reached, waiting = {place}, [place]
    while waiting:
        new = depends.get(waiting.pop(), frozenset()) - reached
        reached |= new
        waiting += new

    def may(owner: str | None) -> bool:
        return owner is None or owner in reached or _is_in(place, owner) or _is_in(owner, place)

    return tuple(path for path, owner in owners.items() if may(owner))


def _is_bare(files: Mapping[str, bytes], place: str, places: Iterable[str]) -> bool:
    """Whether a project only holds others together, with no tests of its own."""
    below = [other for other in places if other != place and _is_in(other, place)]
    if not below:
        return False
    head = f"{place}/" if place else ""
    mine = (path for path in files if path.startswith(head))
    return not any(
        TEST.search(path) and not any(_is_in(path, other) for other in below) for path in mine
    )


def _nearest(path: str, places: Iterable[str]) -> str | None:
    known = frozenset(places)
    return next((above for above in ancestors(path)[1:] if above in known), None)


def _is_in(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(f"{place}/")
