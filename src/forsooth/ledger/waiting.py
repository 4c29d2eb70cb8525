"""Waiting for a lock somebody else holds, and saying so when it takes long."""

from __future__ import annotations

import fcntl
import logging
from threading import Timer

PATIENCE = 2.0

_log = logging.getLogger("forsooth")


def wait(fd: int, how: int, what: str) -> None:
    """Take a lock of that kind; `what` is being waited for, as a person would say it."""
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        timer = Timer(PATIENCE, _log.warning, (f"forsooth: waiting for {what}",))
        timer.daemon = True
        timer.start()
        try:
            fcntl.flock(fd, how)
        finally:
            timer.cancel()
