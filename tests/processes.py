"""What is running on this machine, seen from outside, and waiting for it to come or go."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def running(*argv: str) -> list[int]:
    """Every process with exactly these arguments."""
    wanted = [word.encode() for word in argv]
    entries = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [int(entry.name) for entry in entries if _argv(entry) == wanted]


def _argv(entry: Path) -> list[bytes]:
    try:
        return (entry / "cmdline").read_bytes().split(b"\0")[:-1]
    except OSError:
        return []


def until(holds: Callable[[], bool], *, seconds: float = 60) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.05)
