"""A hold on a process that somebody else started: to wait for it, and to end it for certain.

Unlike its number, a descriptor is never given to another process. Nothing is started here.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def descriptor(pid: int) -> int | None:
    """A descriptor for a process; none where it is gone or the system has no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def is_in(pid: int, namespace: int) -> bool:
    """Whether a process is in a pid namespace, by the namespace's own number."""
    try:
        return Path(f"/proc/{pid}/ns/pid").stat().st_ino == namespace
    except OSError:
        return False


def end(descriptor: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)


def end_group(pid: int, *, how: signal.Signals = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, how)
