"""Layers on disk: built once by one builder, kept until room is needed.

A venv knows its own path, so a layer is built where it stays. The marker written last is what a
rename would be: a folder without one is rubble of a crash, and the next builder clears it away.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from forsooth.judge.openat import read_file, remove, write_file

MARKER = "complete.json"
LARGEST = 64 << 20


class Kept(NamedTuple):
    """One complete layer, for listing and clearing."""

    key: str
    bytes: int
    used: float


class Store:
    """A folder of layers by key. As a context, it holds what it handed out until its end."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._held: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of every layer handed out."""
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()

    def folder(self, key: str) -> Path:
        """Where a layer lies, whether or not it exists."""
        return self.root / key

    def obtain(self, key: str, build: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
        """What a complete layer's marker says; whoever comes first builds, the others wait.

        1. Hold the layer shared: with a marker, and unchanged since, it is ready.
        2. Else hold it alone, look again, clear rubble away, build, then write the marker.
        3. Go back to holding it shared until this store is closed.
        """
        if key in self._held:
            return self._marker(key) or {}
        descriptor = self._lock(key, fcntl.LOCK_SH)
        self._held[key] = descriptor
        if (ready := self._ready(key)) is not None:
            return ready
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            ready = self._ready(key)
            ready = self._built(key, build) if ready is None else ready
        except BaseException:
            os.close(self._held.pop(key))
            raise
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return ready

    def held(self, key: str) -> bool:
        """Hold a layer that was built before; false when it is gone or was touched."""
        if key in self._held:
            return True
        descriptor = self._lock(key, fcntl.LOCK_SH)
        if self._ready(key) is None:
            os.close(descriptor)
            return False
        self._held[key] = descriptor
        return True

    def said(self, key: str) -> dict[str, Any]:
        """What a layer's marker says; empty when there is no such layer."""
        return self._marker(key) or {}

    def is_intact(self, key: str) -> bool:
        """Whether nothing in a complete layer was touched since it was built."""
        marker = self._marker(key)
        return marker is not None and marker.get("seal") == seal(self.folder(key)).digest

    def kept(self) -> list[Kept]:
        """Complete layers, the one unused for longest first."""
        found: list[Kept] = []
        for path in self.root.glob(f"*/{MARKER}"):
            with contextlib.suppress(OSError, ValueError):
                said = json.loads(path.read_bytes())
                found.append(Kept(path.parent.name, said["bytes"], path.stat().st_mtime))
        return sorted(found, key=lambda layer: layer.used)

    def gc(self, most: int) -> tuple[str, ...]:
        """Remove rubble, then layers, least recently used first, until `most` bytes are left."""
        layers = self.kept()
        total = sum(layer.bytes for layer in layers)
        gone: list[str] = []
        self._clear_rubble({layer.key for layer in layers})
        for layer in layers:
            if total <= most:
                break
            if self.drop(layer.key):
                total -= layer.bytes
                gone.append(layer.key)
        return tuple(gone)

    def drop(self, key: str, *, also: Callable[[], None] = lambda: None) -> bool:
        """Remove a layer nobody holds, and what belongs to it; false when somebody does."""

        def clear() -> None:
            (self.folder(key) / MARKER).unlink(missing_ok=True)
            remove(self.folder(key))
            also()

        return self.run_alone(key, clear)

    def run_alone(self, key: str, act: Callable[[], None]) -> bool:
        """Do something to a layer nobody holds; false when somebody does."""
        try:
            descriptor = self._lock(key, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        try:
            act()
        finally:
            os.close(descriptor)
        return True

    def _lock(self, key: str, how: int) -> int:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(
            self.root / f"{key}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(descriptor, how)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def _marker(self, key: str) -> dict[str, Any] | None:
        try:
            return json.loads(read_file(self.folder(key), MARKER, most=LARGEST) or b"")
        except ValueError:
            return None

    def _ready(self, key: str) -> dict[str, Any] | None:
        if not self.is_intact(key):
            return None
        path = self.folder(key) / MARKER
        with contextlib.suppress(OSError):
            os.utime(path)
        return self._marker(key)

    def _built(self, key: str, build: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
        folder = self.folder(key)
        remove(folder)
        folder.mkdir(mode=0o700)
        try:
            said = build(folder)
        except BaseException:
            remove(folder)
            raise
        sealed = seal(folder)
        marker = {**said, "seal": sealed.digest, "bytes": sealed.bytes}
        write_file(folder, f"{MARKER}.new", json.dumps(marker, sort_keys=True).encode())
        (folder / f"{MARKER}.new").replace(folder / MARKER)
        return marker

    def _clear_rubble(self, complete: set[str]) -> None:
        if self.root.is_dir():
            for path in list(self.root.iterdir()):
                if path.is_dir() and path.name not in complete:
                    self.drop(path.name)


class Seal(NamedTuple):
    """What a folder looks like from outside: enough to see a change, cheap enough for every run."""

    digest: str
    bytes: int


def seal(folder: Path) -> Seal:
    """Names, modes, sizes and change times; a change time cannot be set back by hand."""
    whole = hashlib.sha256()
    total = 0
    for path, found in _entries(str(folder), ""):
        whole.update(
            f"{path}\0{found.st_mode}\0{found.st_size}\0{found.st_ctime_ns}\n".encode(
                errors="surrogateescape"
            )
        )
        total += found.st_blocks * 512
    return Seal(whole.hexdigest(), total)


def _entries(folder: str, head: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        path = head + entry.name
        if path in {MARKER, f"{MARKER}.new"}:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, f"{path}/")
        else:
            yield path, entry.stat(follow_symlinks=False)
