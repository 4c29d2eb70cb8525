"""Which files a run wrote over, seen from outside the sandbox in the upper layer of its overlay.

Two folders of the launcher's own namespace are opened before the command begins, and stay readable
when the namespace is gone. A file that was ever opened for writing, replaced, removed or given
other rights lies in the upper layer, whatever its bytes are by then. Nothing is followed here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Literal, Self

Part = Literal["absent", "folder", "covered"]
_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Upper:
    """The overlay that a launcher builds in `folder`: `u` is its upper layer, `m` what is seen."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._opened: tuple[int, int] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._stack.close()

    def open(self, launcher: int) -> None:
        """Take hold of both folders; where that is not allowed nothing will be known."""
        opened: list[int] = []
        for name in ("u", "m"):
            try:
                opened.append(os.open(f"/proc/{launcher}/root{self._folder}/{name}", _FLAGS))
            except OSError:
                return
            self._stack.callback(os.close, opened[-1])
        self._opened = (opened[0], opened[1])

    def written(self, watched: Iterable[str]) -> tuple[str, ...] | None:
        """Those of the watched files that were written; none when it cannot be known."""
        if self._opened is None:
            return None
        layers = _Layers(*self._opened)
        return tuple(path for path in watched if layers.is_written(path))


class _Layers:
    """The upper layer and what is seen, and what every folder above a file was found to be."""

    def __init__(self, upper: int, merged: int) -> None:
        self._upper, self._merged = upper, merged
        self._parts: dict[str, Part] = {"": "folder"}

    def is_written(self, path: str) -> bool:
        """Whether a file lies in the upper layer, under something that does, or is not seen."""
        above = self._part(path.rpartition("/")[0])
        if above != "folder":
            return above == "covered"
        return _mode(path, self._upper) is not None or not _mode(path, self._merged)

    def _part(self, folder: str) -> Part:
        if folder not in self._parts:
            above = self._part(folder.rpartition("/")[0])
            self._parts[folder] = self._found(folder) if above == "folder" else above
        return self._parts[folder]

    def _found(self, folder: str) -> Part:
        """What a folder is in the upper layer.

        One that is not there is as it was, unless the folder above was made anew: that hides all
        that was in it without a trace of each.
        """
        mode = _mode(folder, self._upper)
        if mode is None:
            return "absent" if _mode(folder, self._merged) else "covered"
        return "folder" if stat.S_ISDIR(mode) else "covered"


def _mode(path: str, folder: int) -> int | None:
    """The mode of what lies there, a link's own; 0 where it cannot be seen."""
    try:
        return os.stat(path, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    except OSError:
        return 0
