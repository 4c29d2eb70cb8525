"""A process of ours that outlives the hook: a host waits for its hooks, and a seal takes longer."""

from __future__ import annotations

import os
import sys


def start(arguments: list[str], folder: str, output: str) -> None:
    """Run the command line in a folder, apart from the host; what it prints is kept beside."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    actions: list[tuple[object, ...]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, output, flags, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    argv = [sys.executable, "-I", "-m", "forsooth", *arguments]
    os.chdir(folder)
    os.posix_spawn(sys.executable, argv, os.environ, file_actions=actions, setsid=True)
