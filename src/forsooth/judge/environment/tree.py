"""A tree of files as detection sees it: paths now, contents when asked.

Nothing here follows links, runs anything or trusts a manifest's size.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, cast

from forsooth.errors import CouldNotVerify

MOST = 32 * 1024 * 1024
SKIPPED = {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"}
# what lies in these is kept for tests, examples and readers, and is no project of the repository
ASIDE = {"node_modules", "vendor", "testdata", "fixtures", "examples", "docs", ".venv"}

Table = dict[str, Any]


class Tree(Mapping[str, bytes]):
    """Paths in POSIX form, each read once and only when somebody wants it."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], bytes]) -> None:
        self._paths = dict.fromkeys(sorted(paths))
        self._read = read
        self._seen: dict[str, bytes] = {}

    def __getitem__(self, path: str) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        if path not in self._seen:
            self._seen[path] = self._read(path)
        return self._seen[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, path: object) -> bool:
        return path in self._paths


def folder(root: Path) -> Tree:
    """The files of a checkout, without what tools leave behind there."""
    return Tree(_walk(root), lambda path: (root / path).read_bytes())


def _walk(root: Path) -> Iterator[str]:
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in names:
            path = Path(here, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(root).as_posix()


def under(files: Mapping[str, bytes], place: str) -> Mapping[str, bytes]:
    """The same tree seen from one of its folders."""
    if not place:
        return files
    head = place.rstrip("/") + "/"
    return Tree(
        (path.removeprefix(head) for path in files if path.startswith(head)),
        lambda path: files[head + path],
    )


def ancestors(place: str) -> tuple[str, ...]:
    """The folder itself and every one above it, nearest first; the root is the empty string."""
    if not place:
        return ("",)
    return (place, *(str(p) if str(p) != "." else "" for p in PurePosixPath(place).parents))


def joined(place: str, path: str) -> str:
    """A path below a folder of the tree, with `.` and `..` resolved by text alone."""
    return os.path.normpath(f"{place}/{path}" if place else path).removeprefix("./")


def text(files: Mapping[str, bytes], path: str) -> str:
    """A file's text, empty when there is no such file."""
    if path not in files:
        return ""
    data = files[path]
    if len(data) > MOST:
        raise CouldNotVerify(
            f"{path} is larger than {MOST // 2**20} MiB",
            hint="name your own steps in forsooth.toml: environment.prepare",
            code="environment:unreadable",
        )
    return data.decode("utf-8", errors="replace").removeprefix("\ufeff")


def toml(files: Mapping[str, bytes], path: str) -> Table:
    """A file read as TOML, empty when absent; one that cannot be read is said so."""
    try:
        return tomllib.loads(text(files, path))
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None


def js(files: Mapping[str, bytes], path: str) -> Table:
    """A file read as a JSON object, empty when absent; one that cannot be read is said so."""
    body = text(files, path)
    try:
        return table(json.loads(body)) if body.strip() else {}
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None


def _unreadable(path: str, why: str) -> CouldNotVerify:
    return CouldNotVerify(
        f"{path} cannot be read: {why}",
        hint=f"correct {path}",
        code="environment:unreadable",
    )


def table(value: Any) -> Table:
    """A table out of foreign data; anything else is an empty one."""
    return cast("Table", value) if isinstance(value, dict) else {}


def rows(value: Any) -> list[Any]:
    """A list out of foreign data; anything else is an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def words(value: Any) -> tuple[str, ...]:
    """The strings of a list out of foreign data; one string counts as a list of it."""
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in rows(value) if isinstance(item, str))


def at(data: Table, *keys: str) -> Table:
    """The table found by walking down keys, empty when any step is missing."""
    for key in keys:
        data = table(data.get(key))
    return data
