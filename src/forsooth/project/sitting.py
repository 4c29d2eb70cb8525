"""A judge at work, for hooks to see: nobody is held while a verdict is on its way."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from forsooth.ledger.waiting import wait

NAME = "judging"


@contextmanager
def sitting(folder: Path) -> Generator[None]:
    """Show it by a lock that several judges can share and that ends with the process."""
    try:
        fd = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:  # where nothing can be written nothing needs to be shown
        yield
        return
    try:
        wait(fd, fcntl.LOCK_SH, f"{folder / NAME}, which another process has locked")
        yield
    finally:
        os.close(fd)
