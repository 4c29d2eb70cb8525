"""Build caches that only runs of the base fill; every other run sees them and changes nothing.

A cache a judged run could write would let one attempt decide what the next one compiles. The run
that fills it runs code of the repository, which can leave there whatever it likes under the name of
a genuine result. So a cache belongs to one repository and one base tree, its owner, and no other
ever sees a byte of it. What all share is the floor, compiled from the judge's own words.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from forsooth.judge.environment.layer import Layer
from forsooth.judge.environment.store import Store
from forsooth.judge.openat import remove
from forsooth.judge.sandbox.job import Mount


class Warm:
    """Warm caches: `<root>/<layer>/<owner>/<name>` is what a finished base run left."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def mounts(self, layer: Layer) -> tuple[Mount, ...]:
        """Each cache at its place, as an overlay: of the floor until a base run fills it."""
        empty = self.root / "empty"
        empty.mkdir(parents=True, exist_ok=True, mode=0o700)
        home, floor = self._home(layer), layer.floor or empty
        with suppress(OSError):
            os.utime(home)
        return tuple(
            Mount(home / name, target, "overlay", root=home)
            if (home / name).is_dir()
            else Mount(floor, target, "overlay")
            for name, target in layer.warm.items()
        )

    def is_warm(self, layer: Layer) -> bool:
        """Whether a base run has filled every cache of this layer."""
        return all((self._home(layer) / name).is_dir() for name in layer.warm)

    def _home(self, layer: Layer) -> Path:
        return self.root / layer.key / (layer.owner or "nobody")

    def seen(self, layer: Layer) -> Layer:
        """The layer with its caches as they are by now."""
        now = {mount.target: mount for mount in self.mounts(layer)}
        rest = (mount for mount in layer.mounts if mount.target not in now)
        return layer._replace(mounts=(*rest, *now.values()))

    @contextmanager
    def filling(
        self, layer: Layer, *, tidy: Callable[[Path], None] = lambda _: None
    ) -> Generator[Layer]:
        """The layer for a run of the base: its caches are new folders, kept when the run ends well.

        They begin with a copy of the floor, for a run may write in them. Whoever first ends with
        something in them is kept, once tidied; an exception keeps nothing.
        """
        if not layer.warm or self.is_warm(layer):
            yield self.seen(layer)
            return
        home = self._home(layer)
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = {name: Path(tempfile.mkdtemp(prefix=".", dir=home)) for name in layer.warm}
        for folder in made.values() if layer.floor else ():
            shutil.copytree(layer.floor or folder, folder, dirs_exist_ok=True)
        targets = {target: made[name] for name, target in layer.warm.items()}
        mounts = tuple(
            Mount(targets[mount.target], mount.target, "rw") if mount.target in targets else mount
            for mount in layer.mounts
        )
        try:
            yield layer._replace(mounts=mounts)
            for folder in made.values() if layer.owner else ():
                tidy(folder)
            self._keep(home, made if layer.owner else {})
        finally:
            for folder in made.values():
                remove(folder)

    def _keep(self, home: Path, made: Mapping[str, Path]) -> None:
        descriptor = os.open(home / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            for name, folder in made.items():
                if not (home / name).is_dir() and any(folder.iterdir()):
                    folder.rename(home / name)
        finally:
            os.close(descriptor)

    def gc(self, store: Store) -> None:
        """Drop caches whose layer is gone."""
        if not self.root.is_dir():
            return
        alive = {layer.key for layer in store.kept()}
        for folder in self.root.iterdir():
            if folder.name not in {*alive, "empty"}:
                remove(folder)
