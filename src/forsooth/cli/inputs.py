"""What a person hands us as a file or on standard input: regular files, and no more than fits."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from forsooth.errors import UsageError
from forsooth.project import LARGEST_INPUT


def read_file(path: Path, *, hint: str, code: str) -> bytes:
    """The bytes of a regular file; a pipe or a device is never waited on."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise UsageError(f"{path} is not a regular file", hint=hint, code=code)
            return _within(file.read(LARGEST_INPUT + 1), str(path))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint=hint, code=code) from None


def read_stdin() -> bytes:
    """Standard input to its end."""
    return _within(sys.stdin.buffer.read(LARGEST_INPUT + 1), "standard input")


def _within(data: bytes, name: str) -> bytes:
    if len(data) > LARGEST_INPUT:
        says = f"{name} is larger than {LARGEST_INPUT >> 20} MiB, the most that is read"
        raise UsageError(says, code="too-large")
    return data
