"""Settings of a runner inside files that are product as well: the sealed ones win, the rest stays.

A file that cannot be taken apart with certainty comes back as it was sealed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from forsooth.judge.settings import gomod, ini, package, toml


class _How(NamedTuple):
    merged: Callable[[bytes, bytes, tuple[str, ...]], bytes | None]
    has_settings: Callable[[bytes], bool]


_HOW: Mapping[str, _How] = {
    "pyproject.toml": _How(toml.pyproject, toml.has_settings),
    "Cargo.toml": _How(toml.cargo, toml.has_settings),
    "setup.cfg": _How(ini.merged, ini.has_settings),
    "tox.ini": _How(ini.merged, ini.has_settings),
    "go.mod": _How(gomod.merged, gomod.has_settings),
    "package.json": _How(package.merged, package.has_settings),
}


def is_merged(path: str) -> bool:
    """Whether a file holds a runner's settings beside other things."""
    return path.rpartition("/")[2] in _HOW


def has_settings(path: str, data: bytes) -> bool:
    """Whether such a file holds any setting of a runner."""
    return is_merged(path) and _HOW[path.rpartition("/")[2]].has_settings(data)


def merged(path: str, sealed: bytes, now: bytes, *, wanted: Iterable[str] = ()) -> bytes:
    """The delivered file with the runner's own sections as sealed; the sealed file when unsure.

    `wanted` are the scripts of a package that a criterion asks for, whatever they are called.
    """
    if not is_merged(path) or sealed == now:
        return sealed
    found = _HOW[path.rpartition("/")[2]].merged(sealed, now, tuple(wanted))
    return sealed if found is None else found
