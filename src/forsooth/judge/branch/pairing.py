"""Which test of a branch is which test of its base: by name, by a name elsewhere, by its text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from forsooth.judge.branch.shape import shapes
from forsooth.judge.branch.words import Shape
from forsooth.judge.checker import Look
from forsooth.judge.disbelief.leave import file_of, last_of
from forsooth.judge.reports.ids import base_of


class Found(NamedTuple):
    """A test's text, the file it is in and its name there."""

    path: str
    shape: Shape
    name: str = ""


class Texts:
    """The tests in some files of a tree, found by the names runners give them."""

    def __init__(self, look: Look, paths: Iterable[str]) -> None:
        self._files = {path: shapes(path, look.read(path)) for path in paths}

    def of(self, id_: str) -> Found | None:
        """The text of a test; none when its file is not among these or does not show it."""
        file, names = file_of(base_of(id_)), _names(id_)
        fitting = [path for path in self._files if _fits(path, file)] or list(self._files)
        for path in fitting:
            for name in names:
                if shape := self._files[path].get(name):
                    return Found(path, shape, name)
        return None

    def gained(self, before: Texts) -> Counter[str]:
        """What tests and helpers assert that those of the same name did not."""
        was, now = before._by_name(), self._by_name()
        found: Counter[str] = Counter()
        for name, asserted in now.items():
            found += asserted - was.get(name, Counter())
        return found

    def _by_name(self) -> dict[str, Counter[str]]:
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for file in self._files.values():
            for name, shape in file.items():
                found[name].update(one.text for one in shape.assertions)
        return found


def _fits(path: str, file: str) -> bool:
    dotted = path.rpartition(".")[0].replace("/", ".")
    return path == file or path.endswith(f"/{file}") or f".{file}.".startswith(f".{dotted}.")


def _names(id_: str) -> list[str]:
    """What a test may be called in its file, fullest first."""
    base = base_of(id_)
    inside = base.partition("::")[2]
    dotted = base.rpartition(".")
    method = f"{dotted[0].rpartition('.')[2]}::{dotted[2]}" if dotted[0] else ""
    return [name for name in (inside, method, last_of(base), last_of(id_)) if name]


class Pairs(NamedTuple):
    """`same` from old names to new ones; of these some `moved`; what was lost, and what is new.

    `fewer` are tests with parameters that are run with fewer of them: how many were and are.
    """

    same: Mapping[str, str]
    moved: Mapping[str, str]
    gone: tuple[str, ...]
    new: tuple[str, ...]
    fewer: Mapping[str, tuple[int, int]]


def paired(before: Iterable[str], after: Iterable[str], *, old: Texts, new: Texts) -> Pairs:
    """Pair every test that can be found again.

    1. By name. 2. By the same test with other parameters, as long as there are as many. 3. By the
    end of its name elsewhere. 4. By a text that is the same, or asserts exactly the same.
    """
    olds, news = tuple(before), tuple(after)
    same = {id_: id_ for id_ in olds if id_ in set(news)}  # 1
    gone = [id_ for id_ in olds if id_ not in same]
    fresh = [id_ for id_ in news if id_ not in same]
    fewer = _regrouped(olds, news, gone=gone, fresh=fresh, same=same)  # 2
    moved: dict[str, str] = {}
    by_last: defaultdict[str, list[str]] = defaultdict(list)
    for id_ in fresh:
        by_last[last_of(id_)].append(id_)
    for id_ in gone:  # 3
        if others := by_last[last_of(id_)]:
            moved[id_] = others.pop(0)
    left = [id_ for id_ in fresh if id_ not in set(moved.values())]
    for id_ in [one for one in gone if one not in moved]:  # 4
        twin = next((one for one in left if _is_twin(old.of(id_), new.of(one))), None)
        if twin:
            moved[id_] = twin
            left.remove(twin)
    lost = tuple(id_ for id_ in gone if id_ not in moved)
    return Pairs({**same, **moved}, moved, lost, tuple(left), fewer)


def _regrouped(
    olds: tuple[str, ...],
    news: tuple[str, ...],
    *,
    gone: list[str],
    fresh: list[str],
    same: dict[str, str],
) -> dict[str, tuple[int, int]]:
    were, are = Counter(map(base_of, olds)), Counter(map(base_of, news))
    fewer: dict[str, tuple[int, int]] = {}
    for base in dict.fromkeys(base_of(id_) for id_ in gone):
        if not are[base]:
            continue
        mine = [id_ for id_ in gone if base_of(id_) == base]
        theirs = [id_ for id_ in fresh if base_of(id_) == base]
        if are[base] < were[base]:
            fewer[base] = (were[base], are[base])
        for id_ in mine:
            gone.remove(id_)
            if theirs:
                same[id_] = theirs[0]
                fresh.remove(theirs.pop(0))
    return fewer


def _is_twin(was: Found | None, now: Found | None) -> bool:
    if was is None or now is None:
        return False
    mine, theirs = was.shape, now.shape
    return mine.body == theirs.body or (
        bool(mine.weight) and Counter(mine.assertions) == Counter(theirs.assertions)
    )
