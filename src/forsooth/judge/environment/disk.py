"""What the judge keeps on disk, as parts that can go: least recently used first, none in use.

A part is removed under the lock its users hold, so that nothing disappears under a run. Copies of a
developer's environment go last: nothing can make them again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.environment.store import Store
from forsooth.judge.environment.warm import Warm
from forsooth.judge.openat import remove


class Part(NamedTuple):
    """Something that can go by itself; `remove` says whether it went."""

    kind: str
    bytes: int
    used: float
    remove: Callable[[], bool]
    lasting: bool = False


class Freed(NamedTuple):
    """Bytes by kind before and after, and how many parts went."""

    before: Mapping[str, int]
    after: Mapping[str, int]
    removed: int


def free(parts: Iterable[Part], *, most: int) -> Freed:
    """Let parts go until all take at most this many bytes."""
    every = sorted(parts, key=lambda part: (part.lasting, part.used))
    before: Counter[str] = Counter()
    for part in every:
        before[part.kind] += part.bytes
    after, removed = before.copy(), 0
    for part in every:
        if after.total() <= most:
            break
        if part.remove():
            after[part.kind] -= part.bytes
            removed += 1
    return Freed(dict(before), dict(after), removed)


def layers(store: Store, warm: Warm, *, needs: Callable[[str], bool]) -> Iterator[Part]:
    """Every layer and each of its build caches; rubble of crashes is cleared on the way.

    A copy of an environment stays while the work tree it was copied from `needs` it.
    """
    store.gc(most=1 << 62)
    warm.gc(store)
    for layer in store.kept():
        folder = warm.root / layer.key
        size = layer.bytes
        for owned in [path for path in folder.glob("*") if path.is_dir()]:
            left = partial(store.run_alone, layer.key, partial(remove, owned))
            yield Part("layers", size_of(owned), owned.lstat().st_mtime, left)
        lasting = "aliases" in store.said(layer.key) or "kept" in store.said(layer.key)

        source = str(store.said(layer.key).get("root", ""))
        gone: Callable[[], bool] = partial(store.drop, layer.key, also=partial(remove, folder))
        if lasting and source and needs(source):
            gone = _stays
        yield Part("layers", size, layer.used, gone, lasting)


def _stays() -> bool:
    return False


def files(kind: str, folder: Path, pattern: str, *, lasting: bool = False) -> Iterator[Part]:
    """Files that a reader can do without."""
    for path in folder.glob(pattern):
        with contextlib.suppress(OSError):
            found = path.lstat()
            gone = partial(_unlinked, path)
            yield Part(kind, found.st_blocks * 512, found.st_mtime, gone, lasting)


def downloads(folder: Path) -> Iterator[Part]:
    """What installers fetched, by installer; not while one is at work."""
    for path in folder.iterdir() if folder.is_dir() else ():
        gone = partial(_removed_alone, folder, path)
        yield Part("downloads", size_of(path), path.lstat().st_mtime, gone)


def _removed_alone(folder: Path, path: Path) -> bool:
    """Remove a folder of downloads when no step of a preparation uses any."""
    with held(folder, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        if alone:
            remove(path)
        return alone


@contextlib.contextmanager
def held(folder: Path, how: int) -> Generator[bool]:
    """Hold a folder's lock; false when it is not to be had."""
    descriptor = os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def size_of(folder: Path) -> int:
    """What a folder takes on disk; of a link, the link alone."""
    if folder.is_symlink():
        return 0
    return sum(
        Path(top, name).lstat().st_blocks * 512
        for top, folders, names in os.walk(folder)
        for name in (*folders, *names)
    )


def _unlinked(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True
