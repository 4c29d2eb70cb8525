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
from pathlib import Path, PurePosixPath

from forsooth.core.policy import Tier
from forsooth.errors import CouldNotVerify
from forsooth.judge.sandbox import root, runner, seccomp
from forsooth.judge.sandbox.cgroup import Group, Home
from forsooth.judge.sandbox.host import Host
from forsooth.judge.sandbox.inner import told, wrapped
from forsooth.judge.sandbox.job import GIB, MIB, Done, Job, Lack, Mount, Progress
from forsooth.judge.sandbox.runner import BLOCK, STATUS, Launch
from forsooth.judge.sandbox.upper import Upper

# Where overlays are built: a folder every Linux has and no mount comes from. Our mount namespace
# is private, so nobody else sees it covered.
WORK = "/sys"
SHM = GIB
RUN = 64 * MIB
PAGE = 4096
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
        self.etc = Path(tempfile.mkdtemp(prefix="forsooth-etc-"))
        weakref.finalize(self, _remove, self.etc, os.getpid())
        self.etc.chmod(0o755)
        root.furnish(self.etc, host.entries, uid=host.uid, gid=host.gid)

    @property
    def notes(self) -> tuple[str, ...]:
        limited = sorted({one for home in self.homes for one in home.controllers})
        return (
            f"root with {', '.join(CAPABILITIES)}" if self.host.is_root else "own account",
            f"limits: cgroup ({', '.join(limited)})" if limited else "limits: watchdog",
            "loopback: two addresses" if self.host.ip else "loopback: one address, ip is missing",
        )

    def run(self, job: Job, *, progress: Progress | None = None) -> Done:
        refuse_links(job.mounts)
        # joining a group stalls every fork of the machine for a moment, so only for a reason
        group = Group.make(self.homes, job.limits) if job.limits.memory else None
        with ExitStack() as stack:
            if group:
                stack.callback(group.close)
            upper = stack.enter_context(Upper(f"{WORK}/0"))
            launch = Launch(
                argv=plan(job, self.host, etc=str(self.etc), joins=group.joins if group else ()),
                data={"seccomp": seccomp.program(self.host.machine, job.profile)},
                group=group,
                meet=upper.open if job.watched else None,
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


def refuse_links(mounts: tuple[Mount, ...]) -> None:
    """Refuse a place that lies behind a link of a judged tree: bubblewrap would follow it out."""
    for place, mount in enumerate(mounts):
        for below in mounts[:place]:
            target = PurePosixPath(mount.target)
            if below.source is None or not target.is_relative_to(below.target):
                continue
            step = below.source
            for part in target.relative_to(below.target).parts:
                step /= part
                if part == ".." or step.is_symlink():
                    says = f"{mount.target} lies behind the link {step}"
                    raise CouldNotVerify(says, code="sandbox:link")


def plan(job: Job, host: Host, *, etc: str, joins: Iterable[str] = ()) -> tuple[str, ...]:
    """The whole argv.

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
    return outer + tuple(_bubblewrap(job, host, etc))


def _script(job: Job, host: Host, joins: Iterable[str]) -> Iterable[str]:
    programs, overlays = host.programs, _overlays(job)
    yield "set -e; umask 022; ulimit -c 0"
    for file in joins:
        yield f"echo $$ >{shlex.quote(file)}"
    if not host.is_root:  # the kernel does not count root's; elsewhere -p and -u mean the same
        tasks = job.limits.processes
        yield f"ulimit -u {tasks} 2>/dev/null || ulimit -p {tasks}"
    if any(mount.mode == "rw" for mount in job.mounts):
        yield f"ulimit -f {max(1, job.limits.disk // 512)}"
    mount = f"{programs['mount']} -n"
    folders = [f"{WORK}/{n}{part}" for n in range(len(overlays)) for part in ("", "/u", "/w", "/m")]
    if folders:
        yield f"{mount} -t tmpfs -o size={job.limits.disk},mode=755 tmpfs {WORK}"
        yield f"{programs['mkdir']} {' '.join(folders)}"
    extra = "" if host.direct else ",userxattr"
    if host.direct and job.watched:
        extra = ",redirect_dir=off"  # a folder that is moved away and back would leave no trace
    for n, source in enumerate(overlays):
        # a relative lower folder needs no quoting, whatever its name
        options = f"lowerdir=.,upperdir={WORK}/{n}/u,workdir={WORK}/{n}/w{extra}"
        yield f"cd {shlex.quote(source)}; {mount} -t overlay -o {options} overlay {WORK}/{n}/m"
    if job.network == "loopback" and host.ip:
        v4, v6 = ADDRESSES
        yield f"{host.ip} -force -batch - >/dev/null 2>&1 <<. || :"
        yield f"link set lo up\naddr add {v4} dev lo\naddr add {v6} dev lo nodad\n."
    yield 'cd /; exec "$@"'


def _bubblewrap(job: Job, host: Host, etc: str) -> Iterable[str]:
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
    yield from _places(job, host, etc)
    yield from _mounts(job)
    yield from ("--remount-ro", "/", "--chdir", job.cwd, "--clearenv")
    for name, value in sorted((root.environment(uid) | dict(job.env)).items()):
        yield from ("--setenv", name, value)
    if job.watched:
        yield from ("--block-fd", BLOCK)
    yield from ("--json-status-fd", STATUS, "--seccomp", "{seccomp}", "--")
    yield from wrapped(job.argv, job.before)


def _places(job: Job, host: Host, etc: str) -> Iterable[str]:
    """The machine's part: programs, settings, and empty folders of bounded size."""
    yield from ("--ro-bind", etc, "/etc")
    for kind, source, target in host.entries:
        if kind == "bind":
            yield from ("--ro-bind", source, target)
        elif not target.startswith("/etc/"):
            yield from ("--symlink", source, target)
    if job.network == "host":
        for name in ("hosts", "resolv.conf"):
            yield from ("--ro-bind", str(Path("/etc", name).resolve()), f"/etc/{name}")
    yield from ("--proc", "/proc", "--dev", "/dev")
    # The first process passes on the command's exit status, and whoever reaches it could forge it;
    # its program is the machine's own file.
    yield from (*_tmpfs("/proc/1", PAGE), "--remount-ro", "/proc/1")
    for name in host.kernel:
        yield from ("--ro-bind", f"/proc/{name}", f"/proc/{name}")
    for name in host.hidden:
        yield from ("--ro-bind", "/dev/null", f"/proc/{name}")
    disk = job.limits.disk
    yield from _tmpfs("/dev/shm", min(SHM, disk), perms="1777")  # noqa: S108 — the sandbox's own
    yield from ("--remount-ro", "/dev")
    yield from _tmpfs("/tmp", disk, perms="1777")  # noqa: S108 — the sandbox's own
    yield from _tmpfs("/var/tmp", disk, perms="1777")  # noqa: S108 — the sandbox's own
    yield from _tmpfs("/run", min(RUN, disk))
    yield from ("--symlink", "../run", "/var/run")
    yield from _tmpfs(root.HOME, disk)


def _mounts(job: Job) -> Iterable[str]:
    """The job's own part, in its order: a later place may lie in an earlier one."""
    overlay = 0
    for mount in job.mounts:
        match mount.mode:
            case "tmpfs":
                yield from _tmpfs(mount.target, job.limits.disk)
            case "overlay":
                yield from ("--bind", f"{WORK}/{overlay}/m", mount.target)
                overlay += 1
            case "rw":
                yield from ("--bind", str(mount.source), mount.target)
            case "ro" | "file":
                yield from ("--ro-bind", str(mount.source), mount.target)


def _tmpfs(target: str, size: int, *, perms: str = "755") -> Iterable[str]:
    return ("--perms", perms, "--size", str(size), "--tmpfs", target)


def _overlays(job: Job) -> list[str]:
    return [str(mount.source) for mount in job.mounts if mount.mode == "overlay"]


def _identity(job: Job, host: Host) -> tuple[int, int]:
    # a browser refuses to run as root, and so do the services that tests are run beside
    if host.is_root and (job.profile == "browser" or job.before):
        return root.JUDGE, root.JUDGE
    return host.uid, host.gid
