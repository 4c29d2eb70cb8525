"""A strict sandbox that was tried out before, on this very machine since it was started.

Only a trial that went well is kept, so nothing here can lower a tier. Whatever is written in the
file, a sandbox that does not start is tried out again, and then it is an error, never a step down.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.judge.sandbox.cgroup import Home
from forsooth.judge.sandbox.host import SWITCHES, SYSTEM, Host
from forsooth.judge.sandbox.job import Done, Job, Progress, Sandbox
from forsooth.judge.sandbox.strict import Strict

NAME = "sandbox.json"
SPACES = ("mnt", "user")
Tryout = Callable[[Sandbox], str | None]


class Remembered(Strict):
    """Taken at its word until a run does not start."""

    def __init__(
        self, host: Host, homes: tuple[Home, ...] = (), *, folder: Path, tryout: Tryout
    ) -> None:
        super().__init__(host, homes)
        self._folder, self._tryout, self._is_shown = folder, tryout, False

    def run(self, job: Job, *, progress: Progress | None = None) -> Done:
        done = super().run(job, progress=progress)
        is_doubted, self._is_shown = done.ended == "error" and not self._is_shown, True
        if is_doubted and (why := self._tryout(self)):
            forget(self._folder)
            says = f"the sandbox that worked before no longer starts: {why}"
            raise CouldNotVerify(says, hint="run the command again", code="sandbox:lost")
        return done


def known(folder: Path, host: Host) -> bool | None:
    """How a trial that went well made its namespaces: as root, or not; none when none did."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads((folder / NAME).read_bytes())
        if kept["about"] == about(host) and isinstance(kept["direct"], bool):
            return kept["direct"]
    return None


def keep(folder: Path, host: Host, *, direct: bool) -> None:
    """Remember a trial that went well; a disk that takes nothing is no reason to fail."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = folder / f"{NAME}.{os.getpid()}"
        fresh.write_text(json.dumps({"about": about(host), "direct": direct}), encoding="utf-8")
        fresh.replace(folder / NAME)


def forget(folder: Path) -> None:
    """Have the next one tried out anew."""
    with suppress(OSError):
        (folder / NAME).unlink(missing_ok=True)


def about(host: Host) -> str:
    """What a trial rests on: programs, account, kernel and its switches, and where we are in it."""
    programs = [*host.programs.values(), *([host.ip] if host.ip else [])]
    kernel = os.uname()
    rests = [
        [[path, *_stamp(Path(path))] for path in programs],
        [host.uid, host.gid, kernel.release, kernel.version],
        [_read(SYSTEM / name) for name, _, _ in SWITCHES],
        _read(SYSTEM / "kernel/random/boot_id"),
        [_link(Path("/proc/self/ns", name)) for name in SPACES],
        Path(tempfile.gettempdir()).stat().st_dev,
    ]
    return hashlib.sha256(json.dumps(rests).encode()).hexdigest()


def _stamp(path: Path) -> list[int]:
    seen = path.stat()
    return [seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ino]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""
