"""What runs are furnished with, by digest: so that a claim is judged with the tools of the seal.

Interpreters under a home, and the layers of our own cache, can be written by whoever works under
the same account: a changed `unittest/case.py` lets every test pass. So the seal signs one digest of
every tool and of the layer, and the claim compares.

Two digests a thing. `quick` is over names, modes, sizes, inodes and change times, none of which can
be set back by hand: where it is the same, no file is read. `content` is over what the files hold,
and is read only where `quick` differs; a toolchain that was copied or restored keeps it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from forsooth.core.ground import ContentPin
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.store import MARKER
from forsooth.judge.environment.toolchain import Tool

# What of a tool's prefix runs, or is compiled into what runs.
_PARTS = {
    "python": ("lib/python{minor}", "lib/libpython{minor}.so.1.0"),
    "node": ("lib/node_modules",),
    "go": ("bin", "pkg", "src"),
    "cargo": ("bin", "lib"),
    "java": ("bin", "lib"),
    "mvn": ("bin", "boot", "conf", "lib"),
}
# What is passed over. A Python's own packages do not run, since the layer has its own, and nor do
# the tests of its standard library. Of a layer everything runs but the note of its store.
_APART = {"python": frozenset({"site-packages", "dist-packages", "test"})}
_NOTES = frozenset({MARKER, f"{MARKER}.new"})


class Thing(NamedTuple):
    """Something that runs are furnished with: its places, less entries of some names."""

    name: str
    places: tuple[Path, ...]
    apart: frozenset[str] = frozenset()


def pins(layer: Layer, cache: Path) -> tuple[ContentPin, ...]:
    """The digests of everything a layer furnishes; `cache` keeps those that were read before."""
    found: list[ContentPin] = []
    for thing in _things(layer):
        quick = _quick(thing)
        kept = cache / quick
        try:
            content = kept.read_text()
        except OSError:
            content = _content(thing)
            cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            kept.write_text(content)
        found.append(ContentPin(name=thing.name, quick=quick, content=content))
    return tuple(found)


def replaced(pinned: tuple[ContentPin, ...], layer: Layer) -> tuple[str, ...]:
    """What is not as it was at the seal; a layer that holds other dependencies is another thing."""
    there = {thing.name: thing for thing in _things(layer)}
    rows = ((one, there[one.name]) for one in pinned if one.name in there)
    return tuple(
        one.name
        for one, thing in rows
        if one.quick != _quick(thing) and one.content != _content(thing)
    )


def _things(layer: Layer) -> Iterator[Thing]:
    for tool in layer.tools:
        yield Thing(tool.name, tuple(_parts(tool)), _APART.get(tool.name, frozenset()))
    if layer.how in ("prepared", "borrowed"):
        yield Thing(f"layer {layer.key[:12]}", (layer.folder,), _NOTES)


def _parts(tool: Tool) -> Iterator[Path]:
    yield tool.program.resolve()
    minor = ".".join(tool.version.split(".")[:2])
    for part in _PARTS.get(tool.name, ()):
        yield tool.prefix / part.format(minor=minor)


def _quick(thing: Thing) -> str:
    whole = hashlib.sha256()
    for path, seen in _every(thing):
        row = (seen.st_mode, seen.st_size, seen.st_ino, seen.st_ctime_ns)
        whole.update(b"%s\0%d %d %d %d\n" % (os.fsencode(path), *row))
    return whole.hexdigest()


def _content(thing: Thing) -> str:
    whole = hashlib.sha256()
    for path, seen in _every(thing):
        whole.update(b"%s\0%d\0%s\n" % (os.fsencode(path), seen.st_mode, _held(path, seen)))
    return whole.hexdigest()


def _held(path: str, seen: os.stat_result) -> bytes:
    if stat.S_ISLNK(seen.st_mode):
        return os.fsencode(Path(path).readlink())
    if not stat.S_ISREG(seen.st_mode):
        return b""
    try:
        with Path(path).open("rb", buffering=0) as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return b"?"


def _every(thing: Thing) -> Iterator[tuple[str, os.stat_result]]:
    """Every file below some places in one order; what is not there is passed over."""
    for place in thing.places:
        try:
            seen = os.lstat(place)
        except OSError:
            continue
        if stat.S_ISDIR(seen.st_mode) or stat.S_ISLNK(seen.st_mode):
            yield from _below(str(place), thing.apart)
        else:
            yield str(place), seen


def _below(folder: str, apart: frozenset[str]) -> Iterator[tuple[str, os.stat_result]]:
    try:
        with os.scandir(folder) as rows:
            entries = sorted(rows, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name in apart:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, apart)
        else:
            yield entry.path, entry.stat(follow_symlinks=False)
