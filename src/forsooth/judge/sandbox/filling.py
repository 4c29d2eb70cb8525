"""How much a run adds to folders on disk that it may write, since no quota of the kernel's does.

A look at the file system's free space costs nothing; only where that went down is it asked whose
bytes those are. What was there before the run is not counted.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

SLACK = 2.0  # seconds by which a file system's clock may lag behind


class Filling:
    """Some folders, and how many bytes they may grow by."""

    def __init__(self, folders: tuple[Path, ...], most: int) -> None:
        self._folders, self._most = folders, most
        self._since = _now() - SLACK
        self._free = self._left()

    def is_over(self) -> bool:
        """Whether they have grown by more."""
        if not self._folders or self._free - self._left() <= self._most // 2:
            return False
        return sum(self._grown(folder) for folder in self._folders) > self._most

    def _left(self) -> int:
        """The free bytes of the fullest file system."""
        free = [0]
        for folder in self._folders:
            try:
                found = os.statvfs(folder)
            except OSError:
                continue
            free.append(found.f_bavail * found.f_frsize)
        return min(free[1:], default=0)

    def _grown(self, folder: Path) -> int:
        """The bytes of what was written below a folder during the run; links are not followed."""
        grown = 0
        for top, _, names in os.walk(folder):
            for name in names:
                try:
                    found = Path(top, name).lstat()
                except OSError:
                    continue
                if found.st_ctime >= self._since:
                    grown += found.st_blocks * 512
            if grown > self._most:
                break
        return grown


def _now() -> float:
    """The time as the kernel writes it to files, which is what it is compared with."""
    with tempfile.TemporaryFile() as file:
        return os.fstat(file.fileno()).st_ctime
