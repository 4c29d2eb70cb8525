"""What this machine offers for a sandbox: programs by absolute path, account, kernel settings.

Programs are looked for in the system's own folders only, never through the caller's PATH.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.sandbox import runner
from forsooth.judge.sandbox.job import Lack
from forsooth.judge.sandbox.root import Entry, entries

PLACES = ("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin")
NEEDED = ("bwrap", "mkdir", "mount", "sh", "unshare")
OLDEST = (0, 8)  # the first bubblewrap that can forbid further user namespaces
HANDED = ("--bind-fd", "--ro-bind-fd")  # how mounts are handed to it
# A bubblewrap that is setuid and can mount overlays could be steered through ptrace.
STEERED = ((0, 11, 0), (0, 11, 2))
SYSTEM = Path("/proc/sys")
# Root stays root to the kernel's own settings even in a user namespace without capabilities, and
# bubblewrap covers only those it finds writable itself: a core pattern would run outside.
KERNEL = ("acpi", "fs", "scsi", "sys", "sysrq-trigger")
HIDDEN = ("kcore", "keys", "latency_stats", "sched_debug", "timer_list", "timer_stats")
SWITCHES = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "15000"),
)


class Host(NamedTuple):
    """The facts an argv is made from; `ip` is empty where there is none.

    `direct` says that namespaces are made without a user namespace around them, as root can.
    """

    programs: dict[str, str]
    ip: str
    uid: int
    gid: int
    direct: bool
    machine: str
    entries: tuple[Entry, ...]
    kernel: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    @property
    def is_root(self) -> bool:
        return self.uid == 0


def survey(places: tuple[str, ...] = PLACES) -> Host | Lack:
    """The machine's facts, or why it can have no strict sandbox."""
    programs = {name: find(name, places) for name in NEEDED}
    for name, path in programs.items():
        if not path:
            package = {"bwrap": "bubblewrap", "unshare": "util-linux"}.get(name, name)
            return Lack("strict", f"{name} is not installed", f"install {package}")
    says = runner.answer((programs["bwrap"], "--version"))
    wrong = unfit(says, is_setuid=_is_setuid(programs["bwrap"]))
    if wrong:
        return wrong
    is_root = os.getuid() == 0
    return Host(
        programs=programs,
        ip=find("ip", places),
        uid=os.getuid(),
        gid=os.getgid(),
        direct=is_root,
        machine=os.uname().machine,
        entries=entries(),
        kernel=_present(KERNEL) if is_root else (),
        hidden=_present(HIDDEN) if is_root else (),
    )


def unfit(says: str, *, is_setuid: bool) -> Lack | None:
    """Why a bubblewrap that says this version cannot be used."""
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", says)
    version = tuple(int(part or 0) for part in found.groups()) if found else (0,)
    if version < OLDEST:
        return Lack("strict", f"{says or 'bwrap'} is too old", "install bubblewrap 0.8 or newer")
    if is_setuid and STEERED[0] <= version < STEERED[1]:
        why = f"{says} is setuid, and that version can be steered by any account"
        return Lack("strict", why, "install bubblewrap 0.11.2 or newer")
    return None


def unable(bwrap: str) -> Lack | None:
    """Why a bubblewrap cannot be handed what it mounts; none when it can.

    Distributions give old versions this option, so it is asked what it can do, not how old it is.
    """
    options = runner.answer((bwrap, "--help"))
    if all(option in options for option in HANDED):
        return None
    why = "this bubblewrap cannot mount what it is handed as a descriptor"
    return Lack("strict", why, "install bubblewrap 0.10 or newer")


def closed(system: Path = SYSTEM) -> str:
    """The command that would let an ordinary account make user namespaces; empty when it may."""
    for name, shut, open_ in SWITCHES:
        path = system / name
        if path.is_file() and path.read_text(encoding="utf-8").strip() == shut:
            return f"sudo sysctl {name.replace('/', '.')}={open_}"
    return ""


def find(name: str, places: tuple[str, ...] = PLACES) -> str:
    for place in places:
        path = Path(place, name)
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return ""


def _present(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if Path("/proc", name).exists())


def _is_setuid(path: str) -> bool:
    return bool(Path(path).stat().st_mode & stat.S_ISUID)
