"""The only place in the judge that starts processes.

It listens, counts and stops; it knows no tier. Whatever the child does with its pipes, signals or
children, one call ends in bounded time, keeps bounded output and leaves nothing behind.

Not even when this process is killed. bubblewrap asks to die with its parent, but late, and a parent
that died before it asked goes unnoticed: its inner process then waits for a word that never comes.
So a launcher has the death signal from its first program on, and goes no further when its parent is
another by then. A kill between two system calls of bubblewrap can still leave a process that waits
and does nothing; it carries the mark of `git.scratch`, and the next start ends it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import select
import selectors
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, cast

from forsooth.errors import CouldNotVerify
from forsooth.git import scratch
from forsooth.judge.sandbox import handle, meter
from forsooth.judge.sandbox.cgroup import Group
from forsooth.judge.sandbox.filling import Filling
from forsooth.judge.sandbox.job import Done, End, Limits, Progress

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
STATUS = "{status}"  # as a whole argument: the descriptor on which the launcher reports
BLOCK = "{block}"  # the same: the descriptor on which the inner process waits for a word to begin
GRACE = 5.0  # seconds between asking the kernel to end a tree and taking the launcher down too
LOOK = 0.1  # seconds between two looks of the watchdog
WAKE = 0.02  # seconds between two looks for the end, where no descriptor can tell it
CHUNK = 1 << 16
DRAIN = 64  # chunks read from a pipe after the end: more than a pipe can hold
STORIES = 4096  # bytes kept of what the launcher reports
SIGNALS = range(129, 193)
# Its name is the number of the process that must be its parent.
ATTACHED = '[ "$PPID" = "$0" ] || exit 125; exec "$@"'
NOT_FOUND = 127  # as a shell says that there is no such program

Pipe = Literal["stdout", "stderr", "status", "told"]
PIPES: tuple[Pipe, ...] = ("stdout", "stderr", "status", "told")
_CHILD = re.compile(rb'"child-pid": (\d+)')
_SPACE = re.compile(rb'"pid-namespace": (\d+)')
_EXIT = re.compile(rb'"exit-code": (\d+)')
_INTERRUPTED = threading.Event()


class Launch(NamedTuple):
    """A launcher's argv. `{name}` as a whole argument becomes a descriptor holding `data[name]`.

    The launcher's standard input is a pipe on which the inside says one line before the command.
    It inherits `descriptors` by their numbers. `meet` is called with the launcher's number while
    all that it prepared is there and the inner process waits on BLOCK. `fills` are folders on disk
    that it may write: what they grow by is watched.
    """

    argv: tuple[str, ...]
    data: Mapping[str, bytes] = {}
    descriptors: tuple[int, ...] = ()
    group: Group | None = None
    fills: tuple[Path | None, ...] = ()
    meet: Callable[[int], None] | None = None


class Ran(NamedTuple):
    """How it ended, and the first line that came from inside."""

    done: Done
    told: str


def run(launch: Launch, limits: Limits, *, progress: Progress | None = None) -> Ran:
    """Run one launcher to its end.

    1. Start it in a session of its own with no descriptor but those it needs.
    2. Listen to output, reports and the end; never wait for a pipe that somebody still holds.
    3. Stop it when time, output, memory or tasks are used up: the inner process first, because
       the kernel then ends all of its namespace before the launcher can report.
    4. Bury it: wait for the launcher and for the inner process, then read what is left.
    5. Say how it ended from the launcher's own exit status, which must agree with its report.
    """
    return _Watch(launch, limits, progress).run()


def interrupt() -> None:
    """End every run in whatever thread, and let none begin: this process is about to end."""
    _INTERRUPTED.set()


def answer(argv: tuple[str, ...], *, seconds: float = 10.0) -> str:
    """What a program of the machine's own says when asked; one that hangs has said nothing."""
    try:
        asked = subprocess.run(
            argv,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ""
    return asked.stdout.decode(errors="replace").strip()


def attached(argv: tuple[str, ...]) -> tuple[str, ...]:
    """An argv that ends when the thread that starts it does, or at once if that is gone already.

    As it is where the system has no program that asks for the signal.
    """
    return (*asks, "sh", "-c", ATTACHED, str(os.getpid()), *argv) if (asks := _asks()) else argv


@cache
def _asks() -> tuple[str, ...]:
    """What asks the kernel for a signal at the parent's death, and becomes what follows it."""
    program = shutil.which("setpriv", path=ENVIRONMENT["PATH"])
    if program and "--pdeathsig" in answer((program, "--help")):
        return (program, "--pdeathsig", "KILL", "--")
    return ()


def run_here(argv: tuple[str, ...], *, cwd: str, env: Mapping[str, str], seconds: float) -> Done:
    """Run a command without a sandbox, where and as whoever asked is; it ends in bounded time."""
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        said = f"{argv[0]}: {error.strerror}".encode()
        return Done(NOT_FOUND, None, "exit", b"", said, time.monotonic() - began, None)
    with process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Done(None, signal.SIGKILL, "timeout", out, err, time.monotonic() - began, None)
    code, took = process.returncode, time.monotonic() - began
    killed = -code if code < 0 else None
    code = 128 + killed if killed else code
    most = Limits().output
    return Done(code, killed, "exit", out[:most], err[:most], took, None)


class _Watch:
    def __init__(self, launch: Launch, limits: Limits, progress: Progress | None) -> None:
        self.launch, self.limits, self.progress = launch, limits, progress
        self.kept: dict[str, bytearray] = {name: bytearray() for name in PIPES}
        self.selector = selectors.DefaultSelector()
        self.begun = time.monotonic()
        self.deadline = self.begun + limits.seconds
        self.look_at = self.begun + LOOK
        self.ended: End | None = None
        self.why = ""
        self.inner: int | None = None
        self.status: int | None = None
        self.peak = 0
        self.waits: int | None = None
        self.disk = Filling(tuple(filter(None, launch.fills)), limits.disk)

    def run(self) -> Ran:
        with contextlib.ExitStack() as stack:
            stack.callback(self.selector.close)
            started = stack.enter_context(_started(self.launch, self.selector))
            self.child, self.waits = started
            stack.callback(self._bury)
            self.watched = handle.descriptor(self.child.pid)
            if self.watched is not None:
                stack.callback(os.close, self.watched)
                self.selector.register(self.watched, selectors.EVENT_READ)
            self._until_over()
        return self._result()

    def _until_over(self) -> None:
        while not self._is_over():
            self._listen(self._patience())
            self._enforce()

    # 2. listen

    def _listen(self, patience: float) -> None:
        for key, _ in self.selector.select(patience):
            if key.data is not None:
                self._read(key.fd, key.data)

    def _patience(self) -> float:
        until = min(self.deadline, self.look_at) - time.monotonic()
        return max(0.0, until if self.watched is not None else min(until, WAKE))

    def _read(self, fd: int, name: Pipe) -> bool:
        """Take what is there; false when nothing more will or can come now."""
        try:
            chunk = os.read(fd, CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self.selector.unregister(fd)
            return False
        if name in ("status", "told"):
            self.kept[name] += chunk[: STORIES - len(self.kept[name])]
            self._learn_inner()
        else:
            self._keep(name, chunk)
        return True

    def _keep(self, name: Literal["stdout", "stderr"], chunk: bytes) -> None:
        room = self.limits.output - len(self.kept["stdout"]) - len(self.kept["stderr"])
        self.kept[name] += chunk[:room]
        if len(chunk) > room:
            self._stop("output", f"more than {self.limits.output} bytes of output")
        if self.progress and room > 0:
            self.progress(name, chunk[:room])

    def _learn_inner(self) -> None:
        """Take hold of the inner process; once the launcher is gone its number may be another's."""
        found = _CHILD.search(self.kept["status"])
        if found and self.inner is None:
            space = _SPACE.search(self.kept["status"])
            if self.status is None or (space and handle.is_in(int(found[1]), int(space[1]))):
                self.inner = handle.descriptor(int(found[1]))
        if found and self.waits is not None and self.launch.meet:
            self.launch.meet(self.child.pid)
            with contextlib.suppress(BrokenPipeError):
                os.write(self.waits, b"\n")
            self.waits = None

    # 3. stop

    def _enforce(self) -> None:
        if _INTERRUPTED.is_set() and self.ended is None:
            raise KeyboardInterrupt
        now = time.monotonic()
        if now >= self.look_at:
            self.look_at = now + LOOK
            self._look()
        if now >= self.deadline:
            if self.ended:
                handle.end_group(self.child.pid)
            self._stop("timeout", f"not finished after {self.limits.seconds:g} seconds")

    def _look(self) -> None:
        """What the kernel does not count for us is counted here."""
        if self.disk.is_over():
            self._stop("error", f"more than {self.limits.disk} bytes written to disk")
        group = self.launch.group
        counted = group.controls if group else ()
        if group and group.overran():
            self._stop("memory", "killed by the kernel for want of memory")
        if "memory" in counted and "pids" in counted:
            return
        used = meter.load(self.child.pid)
        self.peak = max(self.peak, used.memory)
        if "pids" not in counted and used.tasks > self.limits.processes:
            self._stop("error", f"more than {self.limits.processes} processes")
        most = self.limits.memory
        if "memory" not in counted and most is not None and used.memory > most:
            used_once = meter.proportional(self.child.pid)
            if used_once > most:
                self._stop("memory", f"more than {most} bytes of memory")

    def _stop(self, how: End, why: str) -> None:
        if self.ended is None:
            self.ended, self.why = how, why
        self.deadline = time.monotonic() + GRACE
        if self.inner is not None:
            handle.end(self.inner)
        else:  # a launcher that is asked can still end what it started
            handle.end_group(self.child.pid, how=signal.SIGTERM)

    # 4. bury

    def _is_over(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.child.pid, os.WNOHANG)
            if pid:
                self._reaped(status)
        return self.status is not None

    def _reaped(self, status: int) -> None:
        self.status = os.waitstatus_to_exitcode(status)
        self.child.returncode = self.status

    def _bury(self) -> None:
        if self.status is None:  # an exception is on its way: nothing may outlive it
            self.progress = None
            self._stop("error", "interrupted")
            self._until_over()
        for key in list(self.selector.get_map().values()):
            for _ in range(DRAIN):  # a survivor that still writes is not waited for
                if key.data is None or not self._read(key.fd, key.data):
                    break
        self._learn_inner()
        if self.inner is not None:
            handle.end(self.inner)
            waiting = select.poll()
            waiting.register(self.inner, select.POLLIN)
            waiting.poll(GRACE * 1000)
            os.close(self.inner)

    # 5. say

    def _result(self) -> Ran:
        group = self.launch.group
        if group and group.overran() and self.ended is None:
            self.ended, self.why = "memory", "killed by the kernel for want of memory"
        told = self.kept["told"].partition(b"\n")[0].decode(errors="replace")
        code = None if self.ended else self._agreed()
        if code is None and self.ended is None:
            self.ended, self.why = "error", "the sandbox ended without a report"
        done = Done(
            exit=code,
            signal=code - 128 if code is not None and code in SIGNALS else None,
            ended=self.ended or "exit",
            stdout=bytes(self.kept["stdout"]),
            stderr=bytes(self.kept["stderr"]),
            took=time.monotonic() - self.begun,
            peak=(group.peak() if group else None) or self.peak or None,
            why=self.why,
        )
        return Ran(done, told)

    def _agreed(self) -> int | None:
        """The exit status, when launcher and report say the same."""
        said = _EXIT.findall(self.kept["status"])
        return self.status if said and int(said[-1]) == self.status else None


class _Started(NamedTuple):
    """The launcher, and the descriptor on which it is told to begin where it waits for that."""

    child: subprocess.Popen[bytes]
    waits: int | None


@contextmanager
def _started(launch: Launch, selector: selectors.BaseSelector) -> Generator[_Started]:
    """Start the launcher with its pipes and its data; ours are closed at the end."""
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        ends: dict[Pipe, int] = {}
        for name in PIPES:
            reads, ends[name] = os.pipe()
            ours.callback(os.close, reads)
            theirs.callback(os.close, ends[name])
            os.set_blocking(reads, False)
            selector.register(reads, selectors.EVENT_READ, name)
        numbers, waits = {STATUS: str(ends["status"])}, None
        if launch.meet:
            blocks, waits = os.pipe()
            theirs.callback(os.close, blocks)
            ours.callback(os.close, waits)
            numbers[BLOCK] = str(blocks)
        for name, content in launch.data.items():
            file = theirs.enter_context(_holding(content))
            numbers[f"{{{name}}}"] = str(file.fileno())
        try:
            _require_program(launch.argv[0])
            child = subprocess.Popen(
                attached(tuple(numbers.get(argument, argument) for argument in launch.argv)),
                env=ENVIRONMENT | scratch.mark(),
                cwd="/",
                stdin=ends["told"],
                stdout=ends["stdout"],
                stderr=ends["stderr"],
                pass_fds=[*map(int, numbers.values()), *launch.descriptors],
                start_new_session=True,
            )
        except OSError as error:
            raise CouldNotVerify(f"no sandbox was started: {error}", code="sandbox:start") from None
        theirs.close()
        yield _Started(child, waits)


def _require_program(path: str) -> None:
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _holding(content: bytes) -> BinaryIO:
    """A file without a name that reads as this content from its start."""
    file = cast("BinaryIO", tempfile.TemporaryFile(buffering=0))  # noqa: SIM115 — the caller closes
    file.write(content)
    file.seek(0)
    return file
