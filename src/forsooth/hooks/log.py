"""One line for each hold, each letting go, and each time a hook gave way because it could not work.

`doctor` reads it. It is bounded, and a line that cannot be written is nobody's trouble.
"""

from __future__ import annotations

import os

from forsooth.hooks.notation import written
from forsooth.hooks.ownership import open_own

LARGEST = 1 << 16
HELD, LET_GO, FAILED = "held", "let go", "failed open"


def record(folder: str, line: dict[str, str]) -> None:
    """Add a line; a file that has grown keeps its later half."""
    path = os.path.join(folder, "hooks.log")
    try:
        fd = open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            size = os.fstat(fd).st_size
            if size > LARGEST:
                _halve(fd, size)
            os.write(fd, written(line).encode() + b"\n")
        finally:
            os.close(fd)
    except OSError:
        pass


def _halve(fd: int, size: int) -> None:
    kept = os.pread(fd, LARGEST // 2, max(0, size - LARGEST // 2)).partition(b"\n")[2]
    os.ftruncate(fd, 0)
    os.write(fd, kept)
