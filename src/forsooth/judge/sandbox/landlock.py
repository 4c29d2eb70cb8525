"""The tier `landlock`: the kernel's own fence around files, TCP and signals, without namespaces.

For machines where user namespaces are closed. It cannot move or cover a path and knows nothing of
UDP, so it is less than `strict` and says so.
"""

from __future__ import annotations

import sys
from typing import Any

from forsooth.core.policy import Tier
from forsooth.judge.sandbox import confine
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.layout import Placed
from forsooth.judge.sandbox.root import Entry

DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "shm", "pts", "ptmx")


class Landlock(Bare):
    """Reads and writes only what the job names; the copy is not at the repository's own path."""

    tier: Tier = "landlock"

    def __init__(
        self, entries: tuple[Entry, ...], version: int, *, python: str = sys.executable
    ) -> None:
        super().__init__(python=python)
        self.entries, self.version = entries, version

    @property
    def notes(self) -> tuple[str, ...]:
        said = [f"Landlock version {self.version}", "processes of other accounts can be seen"]
        said.append("network is open to a job that asks for loopback")
        said.append("sockets in the file system are open to who may write them")
        said.append("a path written into an editable install still leads to the work tree")
        if self.version < confine.SCOPES_SINCE:
            said.append("signals and abstract sockets are open: the kernel is too old")
        return tuple(said)

    def fence(self, at: Placed) -> dict[str, Any] | None:
        """Programs, settings and the job's own places; of devices the harmless ones."""
        shown = [entry.source for entry in self.entries if entry.kind != "link"]
        shown += [entry.target for entry in self.entries if entry.kind == "link"]
        if at.job.network == "host":
            shown += ["/etc/hosts", "/etc/resolv.conf"]
        accounts = ["/etc/passwd", "/etc/group"]
        return {
            "read": [*shown, *accounts, "/proc", *at.read],
            "write": [*(f"/dev/{name}" for name in DEVICES), *at.write],
            "nodes": dict(at.nodes),
            "offline": at.job.network == "none",
        }
