"""Run by its path in a fresh interpreter: restricts a child to what it is told, and outlives it.

Standard library only, and nothing of forsooth: it starts for every run of the lesser tiers. It
adopts whatever its child leaves behind and ends it, so that one exit means that all are gone.
No coverage is seen of what runs in that process alone; each line has a test that sees its effect.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import Any, NoReturn

NO_NEW_PRIVS, DEATH_SIGNAL, SUBREAPER, SECCOMP = 38, 1, 36, 22
FILTER = 2
DROP_RIGHT, RIGHTS, KEPT = 24, 64, {1, 2, 3}  # kept: root's rights over its own files
CREATE, ADD, RESTRICT = 444, 445, 446  # the same on every architecture
VERSION, BENEATH = 1, 1
READ = 0b1101  # execute, read a file, list a folder
OF_FILES = 0b1100000000000111  # the rights that make sense for a file
BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many rights over files a kernel knows
TCP_SINCE, SCOPES_SINCE = 4, 6
BOTH = 0b11  # bind and connect; abstract sockets and signals


def abi() -> int:
    """The kernel's version of Landlock; zero or less when it has none."""
    if sys.platform != "linux":
        return 0
    return _syscall(CREATE, None, 0, VERSION)


def main(config: int, status: int) -> NoReturn:  # pragma: no cover
    """Start the child, wait for it, end what it left, and report as bubblewrap does."""
    with os.fdopen(config, "rb") as file:
        told: dict[str, Any] = json.load(file)
    os.set_inheritable(status, False)
    _adopt()
    child = os.fork()
    if child == 0:
        _become(told)

    def end(*_: object) -> None:
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGTERM, end)
    os.write(status, f'{{ "child-pid": {child} }}\n'.encode())
    code = _wait(child)
    _end_all(child)
    os.write(status, f'{{ "exit-code": {code} }}\n'.encode())
    os._exit(code)


def _become(told: dict[str, Any]) -> NoReturn:  # pragma: no cover
    """In the child: limits, then fences, from the widest to the narrowest, then the command."""
    try:
        os.setsid()
        os.umask(0o022)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (told["disk"], told["disk"]))
        os.chdir(told["cwd"])
        if sys.platform == "linux":
            _prctl(DEATH_SIGNAL, signal.SIGKILL)
        if told["fence"] is not None:
            _prctl(NO_NEW_PRIVS, 1)
            _drop()
            fence(told["fence"])
            _filter(base64.b64decode(told["filter"]))
        os.execve(told["argv"][0], told["argv"], told["env"])  # noqa: S606 — an argv, as told
    except OSError as error:
        os.write(2, f"forsooth: {error}\n".encode())
    os._exit(126)


def _drop() -> None:  # pragma: no cover
    """Take from root what reads other processes past any fence; rights over its files stay."""
    for right in set(range(RIGHTS)) - KEPT:
        with contextlib.suppress(OSError):  # not root, or a right this kernel does not know
            _prctl(DROP_RIGHT, right)


def fence(told: dict[str, Any]) -> None:  # pragma: no cover
    """Restrict this process for good: files, then TCP, signals and sockets where it can."""
    version = abi()
    every = (1 << BY_ABI.get(version, 16)) - 1
    tcp = BOTH if version >= TCP_SINCE and told["offline"] else 0
    scopes = BOTH if version >= SCOPES_SINCE else 0
    rules = _checked(CREATE, struct.pack("<QQQ", every, tcp, scopes), _size(version), 0)
    for rights, paths in ((READ & every, told["read"]), (every, told["write"])):
        for path in paths:
            _allow(rules, path, rights, node=told["nodes"].get(path))
    _checked(RESTRICT, rules, 0)
    os.close(rules)


def _allow(
    rules: int, path: str, rights: int, *, node: list[int] | None
) -> None:  # pragma: no cover
    """Open a path to the command, unless another file lies there than was looked at."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    seen = os.fstat(fd)
    if node is not None and node != [seen.st_dev, seen.st_ino]:
        raise OSError(errno.ESTALE, f"{path} was replaced")
    if not Path(path).is_dir():
        rights &= OF_FILES
    _checked(ADD, rules, BENEATH, struct.pack("<Qi", rights, fd), 0)
    os.close(fd)


def _size(version: int) -> int:
    """How much of the description a kernel of that version reads."""
    return 24 if version >= SCOPES_SINCE else 16 if version >= TCP_SINCE else 8


def _filter(program: bytes) -> None:  # pragma: no cover
    held = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    _prctl(SECCOMP, FILTER, described)


def _adopt() -> None:  # pragma: no cover
    if sys.platform == "linux":
        _prctl(SUBREAPER, 1)
        _prctl(DEATH_SIGNAL, signal.SIGTERM)


def _wait(child: int) -> int:  # pragma: no cover
    """The child's exit code, as a shell says it; the dead of others are buried meanwhile."""
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code


def _end_all(child: int) -> None:  # pragma: no cover
    """End what was adopted until nothing is left; a killed parent's children come to us next."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    while True:
        for pid in _children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _children() -> list[int]:
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in text.split()]


def _prctl(option: int, *arguments: Any) -> None:  # pragma: no cover
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, *arguments, *[0] * (4 - len(arguments))):
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def _checked(number: int, *arguments: Any) -> int:  # pragma: no cover
    answer = _syscall(number, *arguments)
    if answer < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}")
    return answer


def _syscall(number: int, *arguments: Any) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    answer = libc.syscall(number, *arguments)
    return answer if answer >= 0 else -(ctypes.get_errno() or errno.ENOSYS)


if __name__ == "__main__":  # pragma: no cover
    main(int(sys.argv[1]), int(sys.argv[2]))
