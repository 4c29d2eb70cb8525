"""One claim of a goal at a time, by a lock that ends with the process that holds it.

Whoever holds it knows that an earlier claim without a verdict has nobody left to judge it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from forsooth.core.ids import is_goal


@contextmanager
def held(folder: Path, goal: str) -> Generator[bool]:
    """Hold the claim of a goal; false when somebody else does, or it cannot be held here."""
    if not is_goal(goal):
        yield False
        return
    try:
        fd = os.open(folder / f"{goal}.claim", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(fd)
