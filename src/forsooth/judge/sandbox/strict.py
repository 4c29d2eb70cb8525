"""The strict tier: bubblewrap, called directly, in namespaces prepared by a few lines of shell.

The argv is a pure function of the job and the machine, so that it can be read and pinned. Nothing
of judged code runs outside: what comes before bubblewrap are the system's own programs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from forsooth.core.policy import Tier
from forsooth.judge.sandbox import root, runner, seccomp
from forsooth.judge.sandbox.cgroup import Group, Home, in_force
from forsooth.judge.sandbox.host import Host
from forsooth.judge.sandbox.inner import told, wrapped
from forsooth.judge.sandbox.job import Done, Job, Lack, Limits, Progress
from forsooth.judge.sandbox.mounts import (
    WORK,
    Hand,
    MountGate,
    job_words,
    machine_words,
    overlay_lines,
    refuse_links,
)
from forsooth.judge.sandbox.runner import BLOCK, STATUS, Launch
from forsooth.judge.sandbox.upper import Upper

# A non-loopback address on `lo`: without one getaddrinfo(AI_ADDRCONFIG) finds no address at all.
ADDRESSES = ("192.0.2.2/32", "fd00::2/128")
# What root has on its own machine and tests rely on; held over its own files only.
CAPABILITIES = ("CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER")


class Strict:
    """Namespaces, an allow-listed root, a system call filter, and limits."""

    tier: Tier = "strict"
    overlays = True

    def __init__(self, host: Host, homes: tuple[Home, ...] = ()) -> None:
        self.host, self.homes = host, homes
        self.lacks: tuple[Lack, ...] = ()
        self.etc = Path(tempfile.mkdtemp(prefix="forsooth-etc-")).resolve()
        weakref.finalize(self, _remove, self.etc, os.getpid())
        self.etc.chmod(0o755)
        root.furnish(self.etc, host.entries, uid=host.uid, gid=host.gid)

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            f"root with {', '.join(CAPABILITIES)}" if self.host.is_root else "own account",
            in_force(self.homes, Limits()),
            "loopback: two addresses" if self.host.ip else "loopback: one address, ip is missing",
        )

    def run(self, job: Job, *, progress: Progress | None = None) -> Done:
        refuse_links(job.mounts)
        group = Group.make(self.homes, job.limits)
        with ExitStack() as stack:
            if group:
                stack.callback(group.close)
            upper = stack.enter_context(Upper(f"{WORK}/0"))
            gate = stack.enter_context(MountGate())
            joins = group.joins if group else ()
            argv = plan(job, self.host, etc=self.etc, hand=gate.hand, joins=joins)
            launch = Launch(
                argv=argv,
                data={"seccomp": seccomp.program(self.host.machine, job.profile)},
                descriptors=tuple(gate.descriptors),
                group=group,
                meet=upper.open if job.watched else None,
                fills=tuple(mount.source for mount in job.mounts if mount.mode == "rw"),
            )
            ran = runner.run(launch, job.limits, progress=progress)
            done = ran.done._replace(written=upper.written(job.watched))
        why = told(ran.told, job.argv, before=job.before)
        if why and done.ended in ("exit", "error"):
            return done._replace(exit=None, signal=None, ended="error", why=why)
        return done


def _remove(folder: Path, owner: int) -> None:
    """Remove a folder of ours, but not from a fork that has a copy of us."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def plan(
    job: Job, host: Host, *, etc: Path, hand: Hand, joins: Iterable[str] = ()
) -> tuple[str, ...]:
    """The whole argv; `hand` names a source as bubblewrap will know it.

    1. `unshare` makes the mount and network namespaces; an ordinary account needs a user one too.
    2. The shell joins the control groups, sets limits, mounts the overlays, brings up loopback.
    3. bubblewrap makes the rest, drops everything, and becomes the inner shell.
    """
    flags = "m" if host.direct else "Urm"
    if job.network == "none" or (job.network == "loopback" and host.ip):
        flags += "n"
    programs = host.programs
    script = "\n".join(_script(job, host, joins))
    outer = (programs["unshare"], f"-{flags}", programs["sh"], "-c", script, "sh")
    return outer + tuple(_bubblewrap(job, host, etc, hand=hand))


def _script(job: Job, host: Host, joins: Iterable[str]) -> Iterable[str]:
    yield "set -e; umask 022; ulimit -c 0"
    for file in joins:
        yield f"echo $$ >{shlex.quote(file)}"
    if not host.is_root:  # the kernel does not count root's; elsewhere -p and -u mean the same
        tasks = job.limits.processes
        yield f"ulimit -u {tasks} 2>/dev/null || ulimit -p {tasks}"
    if any(mount.mode == "rw" for mount in job.mounts):
        yield f"ulimit -f {max(1, job.limits.disk // 512)}"
    yield from overlay_lines(job, host)
    if job.network == "loopback" and host.ip:
        v4, v6 = ADDRESSES
        yield f"{host.ip} -force -batch - >/dev/null 2>&1 <<. || :"
        yield f"link set lo up\naddr add {v4} dev lo\naddr add {v6} dev lo nodad\n."
    yield 'cd /; exec "$@"'


def _bubblewrap(job: Job, host: Host, etc: Path, *, hand: Hand) -> Iterable[str]:
    uid, gid = _identity(job, host)
    yield host.programs["bwrap"]
    yield from "--unshare-user --unshare-pid --unshare-ipc --unshare-uts".split()
    yield from "--unshare-cgroup-try --die-with-parent --new-session".split()
    if job.network == "loopback" and not host.ip:
        yield "--unshare-net"
    if job.profile == "default":
        yield "--disable-userns"
    yield from ("--uid", str(uid), "--gid", str(gid), "--hostname", "forsooth")
    yield from ("--cap-drop", "ALL")
    if uid == 0:
        yield from (word for name in CAPABILITIES for word in ("--cap-add", name))
    yield from machine_words(job, host, etc, hand=hand)
    yield from job_words(job, hand=hand)
    yield from ("--remount-ro", "/", "--chdir", job.cwd, "--clearenv")
    for name, value in sorted((root.environment(uid) | dict(job.env)).items()):
        yield from ("--setenv", name, value)
    if job.watched:
        yield from ("--block-fd", BLOCK)
    yield from ("--json-status-fd", STATUS, "--seccomp", "{seccomp}", "--")
    yield from wrapped(job.argv, job.before)


def _identity(job: Job, host: Host) -> tuple[int, int]:
    # a browser refuses to run as root, and so do the services that tests are run beside
    if host.is_root and (job.profile == "browser" or job.before):
        return root.JUDGE, root.JUDGE
    return host.uid, host.gid
