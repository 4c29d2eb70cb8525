"""Names of tests that mean the same tomorrow: no path of one machine, no value made anew each run.

A parametrised test whose names differ from one collection to the next is pinned by its number.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from forsooth.judge.reports.report import Report, numbered

_TEMPORARY = re.compile(r"/(?:private/)?(?:var/)?tmp/[^\s\]'\",:>]+")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")


class Folded(NamedTuple):
    """A test with parameters that have no lasting names, and how many there are."""

    base: str
    many: int

    def __str__(self) -> str:
        return f"{self.base}[*] × {self.many}"


class Inventory(NamedTuple):
    """The tests there are: those with lasting names, folded ones, and those seen only once."""

    ids: tuple[str, ...]
    folded: tuple[Folded, ...] = ()
    unstable: tuple[str, ...] = ()


def placed(id_: str, root: str) -> str:
    """A name with placeholders for the repository, for temporary paths and for addresses."""
    if root:
        id_ = id_.removeprefix(f"{root}/").replace(root, "<root>")
    return _ADDRESS.sub("<address>", _TEMPORARY.sub("<tmp>", id_))


def anywhere(report: Report, root: str) -> Report:
    """A report whose names do not say where it was made."""
    tests = numbered(test._replace(id=placed(test.id, root)) for test in report.tests)
    inside = tuple(
        name.removeprefix(f"{root}/")
        for name in report.inside
        if not name.startswith("/") or name.startswith(f"{root}/")
    )
    return report._replace(tests=tests, inside=inside)


def base_of(id_: str) -> str:
    """The test without its parameters: `a::b[1-x]` is `a::b`, `pkg::TestA/x` is `pkg::TestA`."""
    if id_.endswith("]") and "[" in id_:
        head, _, tail = id_.partition("::")
        return f"{head}::{tail.partition('[')[0]}" if tail else id_.partition("[")[0]
    package, _, name = id_.rpartition("::")
    return f"{package}::{name.partition('/')[0]}" if package and "/" in name else id_


def inventory_of(first: Iterable[str], second: Iterable[str]) -> Inventory:
    """What two collections of one tree agree on.

    1. A name in both is kept. 2. Names that differ are folded when their base has as many in
    each. 3. What is left was there only once, and nothing can be asked of it.
    """
    one, other = tuple(first), tuple(second)
    both = set(one) & set(other)
    left, right = _by_base(one, both), _by_base(other, both)
    folded: list[Folded] = []
    unstable: list[str] = []
    for base in sorted(left.keys() | right.keys()):
        same = len(left[base]) == len(right[base])
        if same and all(id_ != base for id_ in left[base]):
            folded.append(Folded(base, len(left[base])))
        else:
            unstable += sorted({*left[base], *right[base]})
    return Inventory(tuple(sorted(both)), tuple(folded), tuple(unstable))


def _by_base(ids: Sequence[str], both: set[str]) -> defaultdict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for id_ in ids:
        if id_ not in both:
            found[base_of(id_)].append(id_)
    return found


def missing(sealed: Inventory, now: Iterable[str]) -> tuple[str, ...]:
    """Every sealed test that is no longer there, folded ones by number."""
    there = set(now)
    bases = Counter(base_of(id_) for id_ in there - set(sealed.ids))
    gone = [id_ for id_ in sealed.ids if id_ not in there]
    gone += [str(one) for one in sealed.folded if bases[one.base] < one.many]
    return tuple(gone)
