"""The gate for mounts: the only module that writes a mount into a sandbox, in whatever tier.

What is mounted is seen by judged code, so a source that leads elsewhere shows it the person's
home. Every source is therefore opened here (`openat`: through no link, below a folder of ours) and
refused where that is not possible. What was opened is what is mounted:

- bubblewrap gets binds as descriptors. It compares what it mounted with the descriptor, and closes
  it before the command begins.
- An overlay's lower folder must be opened inside the mount namespace: the kernel takes none from
  before. The launcher's shell goes there and asks the kernel where it is; only the very path that
  was opened outside counts. A link swapped in between gives another path.
- The lesser tiers mount nothing. They copy from the descriptor, or compare it again in the child.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from forsooth.errors import CouldNotVerify
from forsooth.judge.openat import open_path
from forsooth.judge.sandbox import root
from forsooth.judge.sandbox.host import Host
from forsooth.judge.sandbox.job import GIB, MIB, Job, Mode, Mount

# Where overlays are built: a folder every Linux has and no mount comes from. Our mount namespace
# is private, so nobody else sees it covered.
WORK = "/sys"
SHM = GIB
RUN = 64 * MIB
PAGE = 4096

Hand = Callable[[Mount], str]


class MountGate:
    """The sources of one run: each opened once and held until the run is over."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.descriptors: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._stack.close()

    def hand(self, mount: Mount) -> str:
        """The descriptor of a source as a word of an argv, for a bubblewrap that closes it.

        An overlay's is never handed on: nothing would close it, and from a folder of the machine
        judged code could climb to all the others.
        """
        number = self.open(mount)
        if mount.mode != "overlay":
            self.descriptors.append(number)
        return str(number)

    def open(self, mount: Mount) -> int:
        """A descriptor of a source, or the error that refuses it."""
        path = mount.source or Path()
        try:
            number = open_path(path, root=mount.root)
        except OSError as error:
            raise _refused(path, error) from None
        self._stack.callback(os.close, number)
        if not _fits(os.fstat(number).st_mode, mount.mode):
            says = f"{path} is not mounted: it is neither a folder nor a plain file"
            if mount.mode in ("rw", "overlay"):
                says = f"{path} is not mounted: it is not a folder"
            raise CouldNotVerify(says, code="sandbox:source")
        return number


def _refused(path: Path, error: OSError) -> CouldNotVerify:
    if error.errno in (errno.ELOOP, errno.EXDEV, errno.ENOTDIR):
        says = f"{path} is not mounted: the path goes through a link or leaves its folder"
        return CouldNotVerify(says, code="sandbox:link")
    return CouldNotVerify(f"{path} is not mounted: {error.strerror}", code="sandbox:source")


def _fits(mode: int, wanted: Mode) -> bool:
    if wanted == "file":
        return stat.S_ISREG(mode)
    return stat.S_ISDIR(mode) or (wanted == "ro" and stat.S_ISREG(mode))


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


def overlay_lines(job: Job, host: Host) -> Iterable[str]:
    """The shell's part: each overlay over its lower folder, once that is where it should be."""
    programs = host.programs
    mount = f"{programs['mount']} -n"
    sources = [str(one.source) for one in job.mounts if one.mode == "overlay"]
    folders = [f"{WORK}/{n}{part}" for n in range(len(sources)) for part in ("", "/u", "/w", "/m")]
    if folders:
        yield f"{mount} -t tmpfs -o size={job.limits.disk},mode=755 tmpfs {WORK}"
        yield f"{programs['mkdir']} {' '.join(folders)}"
    extra = "" if host.direct else ",userxattr"
    if host.direct and job.watched:
        extra = ",redirect_dir=off"  # a folder that is moved away and back would leave no trace
    for n, source in enumerate(sources):
        # a relative lower folder needs no quoting, whatever its name
        options = f"lowerdir=.,upperdir={WORK}/{n}/u,workdir={WORK}/{n}/w{extra}"
        path = shlex.quote(source)
        yield f'cd -P {path}; [ "$PWD" = {path} ]'
        yield f"{mount} -t overlay -o {options} overlay {WORK}/{n}/m"


def machine_words(job: Job, host: Host, etc: Path, *, hand: Hand) -> Iterable[str]:
    """The machine's part: programs, settings, and empty folders of bounded size."""
    yield from _bound("--ro-bind-fd", Mount(etc, "/etc"), hand)
    for kind, source, target in host.entries:
        if kind == "bind":
            yield from _bound("--ro-bind-fd", Mount(Path(source), target), hand)
        elif not target.startswith("/etc/"):
            yield from ("--symlink", source, target)
    if job.network == "host":
        for name in ("hosts", "resolv.conf"):
            here = Mount(Path("/etc", name).resolve(), f"/etc/{name}")
            yield from _bound("--ro-bind-fd", here, hand)
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


def job_words(job: Job, *, hand: Hand) -> Iterable[str]:
    """The job's own part, in its order: a later place may lie in an earlier one."""
    overlay = 0
    for mount in job.mounts:
        match mount.mode:
            case "tmpfs":
                yield from _tmpfs(mount.target, job.limits.disk)
            case "overlay":
                hand(mount)
                yield from ("--bind", f"{WORK}/{overlay}/m", mount.target)
                overlay += 1
            case "rw":
                yield from _bound("--bind-fd", mount, hand)
            case "ro" | "file":
                yield from _bound("--ro-bind-fd", mount, hand)


def _bound(how: str, mount: Mount, hand: Hand) -> tuple[str, str, str]:
    return (how, hand(mount), mount.target)


def _tmpfs(target: str, size: int, *, perms: str = "755") -> Iterable[str]:
    return ("--perms", perms, "--size", str(size), "--tmpfs", target)
