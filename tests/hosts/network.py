"""A network that is nothing but loopback, where this machine lets one be made."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.scripted_model.server import loopback

HOLD = "ip link set lo up && echo up && exec cat"  # until its standard input is closed


class Network:
    """A network namespace kept by a waiting process; none means the machine's own network."""

    def __init__(self, keeper: int | None) -> None:
        self._place = Path(f"/proc/{keeper}/ns/net") if keeper else None

    @property
    def closed(self) -> bool:
        return self._place is not None

    @property
    def prefix(self) -> list[str]:
        """What goes before an argv so that it runs in here."""
        return ["nsenter", f"--net={self._place}"] if self._place else []

    def listen(self) -> socket.socket:
        """A socket that listens in here: a socket belongs where it was made, whoever serves it."""
        if self._place is None:
            return loopback()
        made: list[socket.socket] = []
        thread = threading.Thread(target=lambda: made.append(self._listen()))
        thread.start()
        thread.join()
        return made[0]

    def _listen(self) -> socket.socket:
        """Only this thread moves, and it ends with this call."""
        fd = os.open(str(self._place), os.O_RDONLY)
        try:
            if ctypes.CDLL(None, use_errno=True).setns(fd, 0):
                raise OSError(ctypes.get_errno(), "setns")
        finally:
            os.close(fd)
        return loopback()


@contextmanager
def network() -> Iterator[Network]:
    try:
        keeper = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", HOLD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        yield Network(None)
        return
    with keeper:
        assert keeper.stdout
        up = keeper.stdout.readline() == b"up\n"
        yield Network(keeper.pid if up else None)
