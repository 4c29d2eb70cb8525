"""The tier `none`: limits and a clean environment, and no fence at all.

It exists so that a machine without sandboxes can still be told something; a verdict records it.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from forsooth.core.policy import Tier
from forsooth.judge.sandbox import confine, runner, seccomp
from forsooth.judge.sandbox.inner import told, wrapped
from forsooth.judge.sandbox.job import Done, Job, Lack, Progress
from forsooth.judge.sandbox.layout import Placed, placed
from forsooth.judge.sandbox.mounts import MountGate, refuse_links
from forsooth.judge.sandbox.runner import STATUS, Launch


class Bare:
    """The command in a session of its own; what it leaves behind is ended."""

    tier: Tier = "none"
    overlays = False

    def __init__(self, *, python: str = sys.executable) -> None:
        self.python = python
        self.lacks: tuple[Lack, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        return ("nothing is closed: files, network and processes are the account's own",)

    def run(self, job: Job, *, progress: Progress | None = None) -> Done:
        refuse_links(job.mounts)
        with (
            tempfile.TemporaryDirectory(prefix="forsooth-", ignore_cleanup_errors=True) as name,
            MountGate() as gate,
        ):
            at = placed(job, Path(name).resolve(), uid=os.getuid(), gate=gate)
            fills = tuple(mount.source for mount in job.mounts if mount.mode == "rw")
            launch = Launch(self._argv(), data={"config": self._config(at)}, fills=fills)
            before = at.stamps()
            ran = runner.run(launch, job.limits, progress=progress)
            after = at.stamps()
        written = tuple(path for path, seen in before.items() if after[path] != seen)
        done = ran.done._replace(written=written)
        why = told(ran.told, job.argv, before=job.before)
        if why and done.ended in ("exit", "error"):
            return done._replace(exit=None, signal=None, ended="error", why=why)
        return done

    def fence(self, at: Placed) -> dict[str, Any] | None:
        """What the command is held to; none here."""
        del at
        return None

    def _argv(self) -> tuple[str, ...]:
        return (self.python, "-I", "-S", str(Path(confine.__file__)), "{config}", STATUS)

    def _config(self, at: Placed) -> bytes:
        fence, job = self.fence(at), at.job
        filter_ = b""
        if fence is not None:
            name = "offline" if job.network == "none" else job.profile
            filter_ = seccomp.program(os.uname().machine, name)
        told = {
            "argv": wrapped(job.argv, job.before),
            "cwd": job.cwd,
            "disk": job.limits.disk,
            "env": dict(job.env),
            "fence": fence,
            "filter": base64.b64encode(filter_).decode(),
        }
        return json.dumps(told).encode()
