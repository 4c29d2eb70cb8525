"""A machine worth breaking into: listeners, a secret in a home, a process, shared memory."""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.judge.sandbox.account import interpreter, uid_of


@contextmanager
def victim(account: str) -> Generator[dict[str, Any]]:
    """Everything that a probe can reach for, owned by the account that is probed."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="forsooth-victim-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        secret = secrets.token_hex(8)
        facts: dict[str, Any] = {"secret": secret, "mark": f"forsooth-{secret}"}
        for name in ("home", "common", "repo", "tmp"):
            (folder / name).mkdir()
            facts[name] = str(folder / name)
        (folder / "home" / "secret").write_text(secret)
        (folder / "repo" / ".git" / "hooks").mkdir(parents=True)
        facts |= _listening(stack, folder, secret)
        facts |= _shared(stack, secret)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, uid_of(account), -1)
        shm = Path("/dev/shm", facts["shm"])
        os.chown(shm, uid_of(account), -1)
        facts |= _process(stack, account, secret)
        yield facts


def _listening(stack: ExitStack, folder: Path, secret: str) -> dict[str, Any]:
    tcp = stack.enter_context(socket.create_server(("0.0.0.0", 0)))
    path = stack.enter_context(socket.socket(socket.AF_UNIX))
    path.bind(str(folder / "socket"))
    abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
    abstract.bind(f"\0forsooth-{secret}")
    for listener in (path, abstract):
        listener.listen()
    udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind(("127.0.0.1", 0))
    threading.Thread(target=_echo, args=(udp,), daemon=True).start()
    stack.callback(udp.sendto, b"", udp.getsockname())
    return {
        "tcp": tcp.getsockname()[1],
        "tcp6": _tcp6(stack),
        "udp": udp.getsockname()[1],
        "address": _address(),
        "socket": str(folder / "socket"),
        "abstract": f"forsooth-{secret}",
    }


def _echo(udp: socket.socket) -> None:
    while True:
        text, sender = udp.recvfrom(10)
        if not text:
            return
        udp.sendto(text, sender)


def _tcp6(stack: ExitStack) -> int:
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        return 1
    return stack.enter_context(server).getsockname()[1]


def _address() -> str:
    """The address this machine would send from; choosing a route sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))
        except OSError:
            return "192.0.2.1"
        return asking.getsockname()[0]


def _shared(stack: ExitStack, secret: str) -> dict[str, Any]:
    path = Path("/dev/shm", f"forsooth-{secret}")
    path.write_text(secret)
    stack.callback(path.unlink)
    libc = ctypes.CDLL(None, use_errno=True)
    key = secrets.randbelow(1 << 30) + 1
    segment = libc.shmget(key, 4096, 0o1666)
    stack.callback(libc.shmctl, segment, 0, None)
    return {"shm": path.name, "ipc": key}


def _process(stack: ExitStack, account: str, secret: str) -> dict[str, Any]:
    uid = uid_of(account)
    child = subprocess.Popen(
        [interpreter(), "-c", "import sys; print('up', flush=True); sys.stdin.read()"],
        env={"FORSOOTH_SECRET": secret},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        user=uid if uid != os.getuid() else None,
        group=uid if uid != os.getuid() else None,
        extra_groups=[] if uid != os.getuid() else None,
    )
    stack.enter_context(child)
    stack.callback(child.kill)
    assert child.stdout
    child.stdout.readline()
    comm = Path(f"/proc/{child.pid}/comm").read_text().strip()
    return {"pid": child.pid, "comm": comm}
