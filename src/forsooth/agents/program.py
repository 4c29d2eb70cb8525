"""Running an agent's own program for a moment: bounded in time, with nobody to ask."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

LARGEST = 1 << 20


class Told(NamedTuple):
    """How a program ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def last(self) -> str:
        """The line that most likely says why it failed."""
        lines = [line.strip() for line in f"{self.out}\n{self.err}".splitlines() if line.strip()]
        return lines[-1][:200] if lines else f"it said nothing and exited {self.code}"

    def data(self) -> Any:
        """The JSON it printed, wherever it printed it; nothing where there is none."""
        for text in (self.out, self.err):
            for start, line in _lines(text):
                if line[:1] in ("[", "{"):
                    with suppress(ValueError):
                        return json.JSONDecoder().raw_decode(text[start:])[0]
        return None


class Slow(Exception):
    """It did not end in time."""


def ask(
    argv: tuple[str, ...], *, env: Mapping[str, str], folder: Path, seconds: float, stdin: str = ""
) -> Told:
    """Run a program to its end; one that hangs is ended with all it started."""
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        tempfile.TemporaryFile() as given,
    ):
        given.write(stdin.encode())
        given.seek(0)
        with subprocess.Popen(
            argv, cwd=folder, env=env, stdin=given, stdout=out, stderr=err, start_new_session=True
        ) as process:
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise Slow(f"no answer within {seconds:g} seconds") from None
        texts: list[str] = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(LARGEST).decode(errors="replace"))
        return Told(code, *texts)


def _lines(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    start = 0
    for line in text.splitlines(keepends=True):
        found.append((start, line))
        start += len(line)
    return found
