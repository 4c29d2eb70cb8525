"""One temporary folder a process, so that what a killed process left behind is known for dead.

A process makes everything temporary inside a folder of its own that it keeps locked, and removes it
when it ends. One that was killed cannot. So whoever starts next looks for such folders: one whose
lock nobody holds belongs to a process that is gone, and is removed. Links are not followed.

Programs that are started to end with this process have the folder's name in their environment. The
name is never used twice, so one that outlived its process is known by it, and is ended. What judged
code runs has an environment of its own, but ends with the sandbox whose first process has the name.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import re
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

LOCK = "lock"
MARK = "FORSOOTH_SCRATCH"  # in the environment of what must end with this process
PROC = Path("/proc")
_NAME = re.compile(r"forsooth-(\d+)-\w+")
_HELD: list[int] = []  # the lock's descriptor, open as long as this process is


def enter() -> None:
    """Sweep what dead processes left, and have this one's temporary files in its own folder."""
    place = Path(tempfile.gettempdir())
    sweep(place)
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"forsooth-{os.getpid()}-", dir=place))
        _HELD.append(os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        fcntl.flock(_HELD[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # where nothing can be written nothing is left behind either
        return
    tempfile.tempdir = str(folder)
    atexit.register(_leave, folder, os.getpid())


def mark() -> dict[str, str]:
    """The variable by which what this process starts is known once this process is gone."""
    return {MARK: Path(tempfile.gettempdir()).name} if _HELD else {}


def sweep(place: Path) -> None:
    """Remove the temporary folders of this account whose processes are gone.

    What those processes started and could not end is ended first, and its mounts with it.
    """
    dead: list[Path] = []
    with suppress(OSError):
        for path in place.iterdir():
            named = _NAME.fullmatch(path.name)
            if named and _is_ours(path) and _is_dead(path, int(named[1])):
                dead.append(path)
    if dead:
        _end_marked({f"{MARK}={path.name}".encode() for path in dead})
    for path in dead:
        shutil.rmtree(path, ignore_errors=True)


def _end_marked(marks: set[bytes]) -> None:
    """End every process of this account that has one of these in its environment."""
    for entry in PROC.glob("[0-9]*"):
        with suppress(OSError):
            process = os.pidfd_open(int(entry.name))  # so that its number is no other's by then
            try:
                if marks & set((entry / "environ").read_bytes().split(b"\0")):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
            finally:
                os.close(process)


def _is_ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.geteuid() and path.is_dir() and not path.is_symlink()
    except OSError:
        return False


def _is_dead(folder: Path, process: int) -> bool:
    """Whether nobody holds a folder's lock; one killed before it had a lock is known by number."""
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return not is_alive(process)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def is_alive(process: int) -> bool:
    """Whether a process of that number is there."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _leave(folder: Path, owner: int) -> None:
    """Remove the folder, but not from a fork that has a copy of us."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
