"""The work as two trees: as it was delivered, and with everything it is judged by as sealed.

What the plan lets change, move or go stays as delivered; a fence permits none of that. New tests
are judged in the delivered tree alone, except where there were none before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from forsooth.core.plan import NO_BASE, Criterion, Goal
from forsooth.git.edit import Put, edited
from forsooth.git.repository import Repository
from forsooth.git.trees import Change, changes
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.disbelief.leave import file_of, last_of, leave_of
from forsooth.judge.loaded import SHADOWED, is_setting, tools
from forsooth.judge.look import Looking
from forsooth.judge.mentions import is_code
from forsooth.judge.moved import is_same
from forsooth.judge.novelty import is_new, named_paths, test_files
from forsooth.judge.oracles import LOOKING, reading_of, runner_of, runs_tests, unsealed
from forsooth.judge.settings import has_settings, is_merged, merged
from forsooth.judge.sides import Sides, is_test
from forsooth.judge.within import as_sealed
from forsooth.judge.words import SHELLS

_GO_TEST = re.compile(rb"^func (Test\w+)\(", re.MULTILINE)
_EMPTY = {"package.json": b"{}"}


class View(NamedTuple):
    """A tree to run in, and how it differs from the delivered one."""

    tree: str
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()


def sealed_view(
    repo: Repository,
    base_tree: str,
    delivered_tree: str,
    *,
    criterion: Criterion,
    goal: Goal | None,
    oracles: Iterable[str],
    within: Collection[str] = (),
    tests: Iterable[str] | None = None,
    kept: Collection[str] = (),
) -> View:
    """The delivered tree with the criterion's oracles as sealed.

    `tests` are the ids known at the seal, none when no list could be had; `kept` are paths taken
    as delivered whatever they are, such as those that came with the upstream. Of files `within`
    which tests lie only those are as sealed.
    """
    if base_tree == delivered_tree:
        return View(delivered_tree)
    found = changes(repo, base_tree, delivered_tree)
    if not found:
        return View(delivered_tree)
    looks = (Looking(repo, tree, base=NO_BASE) for tree in (base_tree, delivered_tree))
    viewing = _Viewing(*looks, criterion=criterion, goal=goal, tests=tests)
    left = [one for one in found if one.path not in kept]
    edits = viewing.edits(left, frozenset(oracles))
    edits.update(viewing.tests_within([one for one in left if one.path in within]))
    if not edits:
        return View(delivered_tree)
    tree = edited(repo, delivered_tree, edits)
    return View(
        tree,
        restored=tuple(path for path, put in edits.items() if put and put.data is None),
        removed=tuple(path for path, put in edits.items() if put is None),
        merged=tuple(path for path, put in edits.items() if put and put.data is not None),
    )


def let_changes(
    repo: Repository,
    trees: tuple[str, str],
    found: Iterable[Change],
    *,
    criterion: Criterion,
    goal: Goal,
    tests: Iterable[str] | None,
    oracles: Collection[str] = (),
) -> dict[str, Put | None]:
    """What a goal may change of a criterion's oracles, as the second of two trees has it.

    Product that a goal may change is none: put back, it would hide what became of it since.
    """
    base, now = (Looking(repo, tree, base=NO_BASE) for tree in trees)
    viewing = _Viewing(base, now, criterion=criterion, goal=goal, tests=tests)
    return {
        one.path: None if one.status == "D" else Put(one.new_mode, id=one.new_id)
        for one in found
        if viewing.is_permitted(one) and (one.path in oracles or viewing.is_test_side(one.path))
    }


class _Viewing:
    """What one criterion makes of the changes between base and delivery."""

    def __init__(
        self,
        base: Looking,
        now: Looking,
        *,
        criterion: Criterion,
        goal: Goal | None,
        tests: Iterable[str] | None,
    ) -> None:
        self._base, self._now, self._criterion = base, now, criterion
        self._leave = leave_of(goal)
        self._touch = goal.fence.touch if goal else ()
        known = None if tests is None else tuple(tests)
        self._tests = known or ()
        self._is_new = is_new(criterion, base, known)
        self._there = frozenset(base.paths())
        self._folders = frozenset(above for path in self._there for above in _above(path))
        self._sides = Sides((*base.paths(), *now.paths()))
        self._named = named_paths(criterion)
        self._reading = reading_of(criterion, base)
        self._tools = tools(self._reading.spoken, runner_of(criterion))

    def edits(self, found: Iterable[Change], oracles: frozenset[str]) -> dict[str, Put | None]:
        """What to edit in the delivered tree, by path.

        1. An oracle comes back, or is merged where it is product as well. 2. What is loaded by
        itself and is new goes. 3. New code among tests goes, unless it is all there is.
        """
        edits: dict[str, Put | None] = {}
        loaded = frozenset(unsealed(self._criterion, self._base, self._now))
        tested = runs_tests(self._criterion, self._base)
        for change in found:
            path, is_added = change.path, change.status == "A"
            if path in oracles and not self._is_let(change):
                edits.update(self._as_sealed(change))  # 1
            elif is_added and path in loaded and not self._may_load(path):
                edits.update(self._without(path))  # 2
            elif is_added and path not in loaded and tested and self._is_new_test(path):
                edits[path] = None  # 3
        return edits

    def tests_within(self, found: Iterable[Change]) -> Iterator[tuple[str, Put]]:
        """Product as delivered with the tests of itself as they were, unless the plan lets them."""
        for change in found:
            path, leave = change.path, self._leave
            sealed, now = self._base.read(path), self._now.read(path)
            is_let = named_in((*leave.change, *leave.move, *leave.remove), path)
            if sealed is not None and now is not None and not is_let:
                made = as_sealed(path, sealed, now)
                if made != now:
                    yield path, Put(change.new_mode, data=made)

    def is_permitted(self, change: Change) -> bool:
        """Whether the plan lets a path change, or names it as one that the goal is to change."""
        path = change.path
        if change.status == "A":
            return named_in(self._leave.change, path) or path in self._arrivals
        return path in self._touch or self._is_let(change)

    def is_test_side(self, path: str) -> bool:
        """Whether a file is a test, stands among tests, or sets how they are run."""
        return self._sides.holds(path) or is_test(path) or is_setting(path, self._tools)

    def _is_let(self, change: Change) -> bool:
        """Whether an oracle may be as it was delivered.

        One that is gone may be where the plan lets it go, or where it cannot stand any more
        because it moved with its subject. One that differs may where the plan lets it change,
        lets tests of it go, or none was sealed.
        """
        path, leave = change.path, self._leave
        if change.status == "D":
            moved = path in self._moves or (self._only_looks and named_in(leave.move, path))
            return moved or any_matches(leave.remove, path) or self._is_emptied(path)
        if named_in(leave.change, path) or named_in(leave.remove, path) or self._lost_a_name(path):
            return True
        return self._is_new and self._sides.holds(path) and not is_setting(path, self._tools)

    @property
    def _only_looks(self) -> bool:
        """Whether a criterion runs no file and looks at what is there: what moved is to be gone."""
        said = self._reading.spoken
        is_text = all(not one.source for one in said)
        return is_text and all(
            one.program in LOOKING or (one.program in SHELLS and "-c" in one.words) for one in said
        )

    def _is_emptied(self, path: str) -> bool:
        """Whether every test of a file may go."""
        held = [id_ for id_ in self._tests if file_of(id_) == path]
        return bool(held) and all(self._leave.may_go(id_) for id_ in held)

    def _lost_a_name(self, path: str) -> bool:
        """Whether a file no longer has a test that the plan names, by name alone, as one to go."""
        names = [name for name in self._leave.remove if "/" not in name and "." not in name]
        was, now = ((look.read(path) or b"").decode("utf-8", "replace") for look in self._looks)
        return any(re.search(rf"\b{re.escape(n)}\b", was) and n not in now for n in names)

    @property
    def _looks(self) -> tuple[Looking, Looking]:
        return self._base, self._now

    def _as_sealed(self, change: Change) -> Iterator[tuple[str, Put | None]]:
        path = change.path
        sealed, now = self._base.read(path), self._now.read(path)
        is_whole = not is_merged(path) or any_matches(self._criterion.oracle, path)
        if change.status != "M" or is_whole or sealed is None or now is None:
            yield path, Put(change.old_mode, id=change.old_id)
        elif not self._is_new or has_settings(path, sealed):
            found = merged(path, sealed, now, wanted=self._reading.wanted)
            if found != now:
                yield path, Put(change.new_mode, data=found)

    def _without(self, path: str) -> Iterator[tuple[str, Put | None]]:
        """A new file without its settings where it is product as well, else none at all."""
        now = self._now.read(path)
        if not is_merged(path) or now is None:
            yield path, None
            return
        empty = _EMPTY.get(path.rpartition("/")[2], b"")
        found = merged(path, empty, now)
        yield path, (Put(self._now.mode(path) or "100644", data=found) if found != empty else None)

    def _may_load(self, path: str) -> bool:
        """Whether a new file that is loaded by itself may stay.

        It may where the plan names it, and settings and tests may where no test was sealed that
        they could bend: at all, or below the folder that they govern and nothing moved to.
        """
        if path in self._touch or named_in(self._leave.change, path) or path in self._arrivals:
            return True
        is_plain = is_setting(path, self._tools) or is_test(path)
        return is_plain and (self._is_new or self._is_in_new_folder(path))

    def _is_in_new_folder(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        is_taken = any(one.startswith(f"{folder}/") for one in self._arrivals)
        return bool(folder) and folder not in self._folders and not is_taken

    def _is_new_test(self, path: str) -> bool:
        """Whether a new file is code on the test side that sealed tests do not ask for."""
        if self._is_new or not self._sides.holds(path) or not (is_code(path) or is_test(path)):
            return False
        if named_in(self._leave.change, path) or path in self._arrivals or self._is_named(path):
            return False
        if path.endswith("__init__.py") and not (self._now.read(path) or b"").strip():
            return False
        return not self._is_awaited(path)

    def _is_named(self, path: str) -> bool:
        """Whether the argv names a new file, or a folder that is new as well."""
        return any(
            path == one or (path.startswith(f"{one}/") and one not in self._folders)
            for one in self._named
        )

    def _is_awaited(self, path: str) -> bool:
        """Whether only files that stay, and could not be loaded or were let change, ask for it."""
        stem = path.rpartition("/")[2].partition(".")[0]
        if stem in self._known_stems:
            return False
        word = re.compile(rf"\b{re.escape(stem)}\b".encode())
        asking = {one for one, text in self._texts.items() if word.search(text)}
        seen = {file_of(id_) for id_ in self._tests}
        return bool(asking) and not any(one in seen and not self._is_free(one) for one in asking)

    @cached_property
    def _known_stems(self) -> frozenset[str]:
        names = {part for path in self._there for part in path.split("/")}
        return frozenset(name.partition(".")[0] for name in names) | SHADOWED

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        """The test files that stay, as delivered where the plan lets them differ."""
        free = {path for path in self._now_paths if self._is_free(path)}
        sealed = set(test_files(self._criterion, self._base)) - free
        return self._base.read_all(sealed) | self._now.read_all(free)

    @cached_property
    def _now_paths(self) -> frozenset[str]:
        return frozenset(self._now.paths())

    def _is_free(self, path: str) -> bool:
        is_let = named_in((*self._leave.change, *self._leave.remove), path)
        return self._sides.holds(path) and (is_let or path in self._arrivals)

    def _moved_to(self, path: str) -> tuple[str, ...]:
        """New files of the test side that hold what a moved one held."""
        names = {last_of(id_).partition("[")[0] for id_ in self._tests if file_of(id_) == path}
        if path.endswith(".go"):
            names |= {name.decode() for name in _GO_TEST.findall(self._base.read(path) or b"")}
        own = path.rpartition("/")[2]
        fresh = [one for one in self._now_paths - self._there if self._sides.holds(one)]
        return tuple(
            one for one in fresh if one.rpartition("/")[2] == own or self._mentions(one, names)
        )

    def _mentions(self, path: str, names: Iterable[str]) -> bool:
        text = (self._now.read(path) or b"").decode("utf-8", "replace")
        return any(name in text for name in names)

    @cached_property
    def _arrivals(self) -> frozenset[str]:
        """Every new file that something went to which cannot stand where it stood."""
        return frozenset(one for found in self._moves.values() for one in found)

    @cached_property
    def _moves(self) -> dict[str, tuple[str, ...]]:
        """Files that moved and are judged where they went, with the places.

        A moved test must still hold where it stood, as sealed: so it cannot be weakened or turned
        on something else by the way. Where its subject moved too it need not, if it went as it was
        or the plan lets it change.
        """
        left = self._there - self._now_paths if self._leave.move else frozenset[str]()
        gone = [path for path in left if named_in(self._leave.move, path)]
        if not any(is_code(path) and not self._sides.holds(path) for path in left):
            gone = [path for path in gone if named_in(self._leave.change, path)]
        found = {path: self._went(path) for path in gone}
        return {path: places for path, places in found.items() if places}

    def _went(self, path: str) -> tuple[str, ...]:
        places = self._moved_to(path)
        if named_in(self._leave.change, path):
            return places
        was, module = self._base.read(path) or b"", self._base.read("go.mod") or b""
        paths = self._there
        return tuple(
            one
            for one in places
            if is_same(path, was, self._now.read(one) or b"", paths=paths, module=module)
        )


def named_in(patterns: Iterable[str], path: str) -> bool:
    """Whether names of files, or of tests in files, name a path."""
    return any_matches((pattern.partition("::")[0] for pattern in patterns), path)


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
