"""Doing a thing as another account or on a terminal, in a forked child with an answer."""

from __future__ import annotations

import os
import pickle
import pty
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forsooth.judge.sandbox import tiers

ORDINARY = 1000
IS_ROOT = os.getuid() == 0
ACCOUNTS = ["root", "user"] if IS_ROOT else ["user"]


def uid_of(account: str) -> int:
    return ORDINARY if IS_ROOT and account == "user" else os.getuid()


def become(account: str) -> None:
    """Turn this process into an ordinary account's, for good; its sandbox is another one, too."""
    if uid_of(account) != os.getuid():
        tiers._best.cache_clear()
        os.setgroups([])
        os.setresgid(ORDINARY, ORDINARY, ORDINARY)
        os.setresuid(ORDINARY, ORDINARY, ORDINARY)


def doing(account: str, work: Callable[[], Any], *, terminal: bool = False) -> Any:
    """What a function returns when that account calls it; what it raises is raised here."""
    reads, writes = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of the test runner only wait
        child, screen = pty.fork() if terminal else (os.fork(), -1)
    if child == 0:
        os.close(reads)
        _answer(account, work, writes)
    os.close(writes)
    with os.fdopen(reads, "rb") as file:
        told = file.read()
    os.waitpid(child, 0)
    if screen >= 0:
        os.close(screen)
    answer, failure = pickle.loads(told)
    if failure:
        raise AssertionError(failure)
    return answer


def _answer(account: str, work: Callable[[], Any], writes: int) -> None:
    try:
        become(account)
        told = (work(), None)
    except BaseException:  # noqa: BLE001 — carried to the parent
        told = (None, traceback.format_exc())
    with os.fdopen(writes, "wb") as file:
        pickle.dump(told, file)
    os._exit(0)


def interpreter() -> str:
    """A Python that every account can run and every sandbox sees."""
    for path in ("/usr/bin/python3", "/usr/local/bin/python3"):
        if Path(path).exists():
            return path
    return sys.executable
