"""Which tests a plan lets go, move or change: named by id, by file, by glob or by name alone.

A runner that tells no file names a test by package or target; there the folder or stem decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from forsooth.core.plan import Goal
from forsooth.judge.checks.globs import matches
from forsooth.judge.reports.ids import base_of


class Leave(NamedTuple):
    """What a goal permits to happen to tests."""

    change: tuple[str, ...] = ()
    move: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def may_go(self, id_: str) -> bool:
        """Whether a test may be gone."""
        return _named(self.remove, id_)

    def may_move(self, id_: str) -> bool:
        """Whether a test may be found elsewhere."""
        return _named(self.move, id_)

    def may_change(self, id_: str) -> bool:
        """Whether a test may be another: also by name, which often holds what it expects."""
        return _named(self.change, id_)

    def may_rest(self, id_: str) -> bool:
        """Whether a test that ran may be skipped: only where it may go altogether."""
        return _named(self.remove, id_)


def leave_of(goal: Goal | None) -> Leave:
    """What a goal permits; nothing without one."""
    return Leave(goal.may_change, goal.may_move, goal.may_remove) if goal else Leave()


def file_of(id_: str) -> str:
    """The part of a name that stands for its file, package or target."""
    return id_.partition(" > ")[0] if " > " in id_ else id_.partition("::")[0]


def group_of(id_: str) -> str:
    """What a test is counted with: its file, package or target, or the module of a dotted name."""
    file = file_of(id_)
    if file != id_:
        return file
    parts = base_of(id_).split(".")
    return ".".join(parts[:-2] or parts[:-1])


def last_of(id_: str) -> str:
    """The last part of a name: the test itself, with its parameters."""
    head, bracket, parameters = id_.partition("[")
    separator = " > " if " > " in head else "::" if "::" in head else "."
    return head.rpartition(separator)[2] + bracket + parameters


def is_held_by(paths: Collection[str], id_: str) -> bool:
    """Whether a test lies in one of these files, as far as its runner tells."""
    file = file_of(id_)
    if file in paths or (file == id_ and any(path in paths for path in _files("", id_))):
        return True
    tested = (path.rpartition("/")[0] for path in paths if path.endswith("_test.go"))
    return any(_is_package(folder, file) for folder in tested)


def _is_package(folder: str, package: str) -> bool:
    """Whether a folder is that of a package of Go."""
    if folder:
        return f"/{package}".endswith(f"/{folder}")
    first, _, rest = package.partition("/")  # of a module's own folder
    return "." in first and "/" not in rest and "." not in rest


def _named(patterns: Iterable[str], id_: str) -> bool:
    return any(_names(pattern.removeprefix("./"), id_) for pattern in patterns)


def _names(pattern: str, id_: str) -> bool:
    base, file = base_of(id_), file_of(id_)
    if pattern in (id_, base) or pattern in (last_of(id_), last_of(base)):
        return True
    if base.startswith((f"{pattern}::", f"{pattern} > ")) or matches(pattern, file):
        return True
    return matches(pattern, id_) or _holds(pattern, base, file)


def _holds(pattern: str, id_: str, file: str) -> bool:
    """Whether a file holds a test whose runner names a package, a target or a module instead."""
    folder, _, name = pattern.rpartition("/")
    if name.endswith("_test.go"):
        return not folder or f"/{file}".endswith(f"/{folder}")
    if name in ("**", "") and folder and "::" in id_:
        return f"/{folder}/" in f"/{file}/"
    if name.endswith(".rs"):
        return file == name.removesuffix(".rs")
    module = pattern.removesuffix(".py").replace("/", ".")
    if pattern.endswith(".py") and f".{id_}".rfind(f".{module}.") >= 0:
        return True
    return file == id_ and any(matches(pattern, path) for path in _files(pattern, id_))


def _files(pattern: str, id_: str) -> Iterator[str]:
    """The files a dotted name may lie in, also when its runner began below the pattern's folder."""
    parts = id_.split(".")
    plain = [part for part in pattern.split("/")[:-1] if not set(part) & set("*?[")]
    for count in range(1, len(parts)):
        path = f"{'/'.join(parts[:count])}.py"
        yield path
        yield "/".join((*plain, path))
