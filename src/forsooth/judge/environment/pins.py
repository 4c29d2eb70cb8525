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

from forsooth.core.ground import ContentPin
from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.store import MARKER
from forsooth.judge.environment.toolchain import Tool

# What of a tool's prefix runs, or is compiled into what runs. A Python's `site-packages` is none
# of it, since the layer has its own, nor are the tests of its standard library.
_PARTS = {
    "python": ("lib/python{minor}",),
    "go": ("bin", "pkg", "src"),
    "cargo": ("bin", "lib"),
    "java": ("bin", "lib"),
    "mvn": ("bin", "boot", "conf", "lib"),
}
_APART = frozenset({"site-packages", "dist-packages", "test", MARKER, f"{MARKER}.new"})


def pins(layer: Layer, cache: Path) -> tuple[ContentPin, ...]:
    """The digests of everything a layer furnishes; `cache` keeps those that were read before."""
    found: list[ContentPin] = []
    for name, places in _things(layer):
        quick = _quick(places)
        kept = cache / quick
        try:
            content = kept.read_text()
        except OSError:
            content = _content(places)
            cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            kept.write_text(content)
        found.append(ContentPin(name=name, quick=quick, content=content))
    return tuple(found)


def replaced(pinned: tuple[ContentPin, ...], layer: Layer) -> tuple[str, ...]:
    """What is not as it was at the seal; a layer that holds other dependencies is another thing."""
    there = dict(_things(layer))
    rows = ((one, there[one.name]) for one in pinned if one.name in there)
    return tuple(
        one.name
        for one, places in rows
        if one.quick != _quick(places) and one.content != _content(places)
    )


def _things(layer: Layer) -> Iterator[tuple[str, tuple[Path, ...]]]:
    for tool in layer.tools:
        yield tool.name, tuple(_parts(tool))
    if layer.how in ("prepared", "borrowed"):
        yield f"layer {layer.key[:12]}", (layer.folder,)


def _parts(tool: Tool) -> Iterator[Path]:
    yield tool.program.resolve()
    minor = ".".join(tool.version.split(".")[:2])
    for part in _PARTS.get(tool.name, ()):
        yield tool.prefix / part.format(minor=minor)


def _quick(places: tuple[Path, ...]) -> str:
    whole = hashlib.sha256()
    for path, seen in _every(places):
        row = (seen.st_mode, seen.st_size, seen.st_ino, seen.st_ctime_ns)
        whole.update(b"%s\0%d %d %d %d\n" % (os.fsencode(path), *row))
    return whole.hexdigest()


def _content(places: tuple[Path, ...]) -> str:
    whole = hashlib.sha256()
    for path, seen in _every(places):
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


def _every(places: tuple[Path, ...]) -> Iterator[tuple[str, os.stat_result]]:
    """Every file below some places in one order; what is not there is passed over."""
    for place in places:
        try:
            seen = os.lstat(place)
        except OSError:
            continue
        if stat.S_ISDIR(seen.st_mode) or stat.S_ISLNK(seen.st_mode):
            yield from _below(str(place))
        else:
            yield str(place), seen


def _below(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    try:
        with os.scandir(folder) as rows:
            entries = sorted(rows, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name in _APART:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)
        else:
            yield entry.path, entry.stat(follow_symlinks=False)
