"""Which hooks a Codex user has trusted, as Codex itself tells; trust is read here, never given."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

SECONDS = 20.0
_ASKING = 1
TRUSTED = ("trusted", "managed")


class Hook(NamedTuple):
    """One hook of ours in Codex."""

    event: str
    trust: str
    is_on: bool

    @property
    def runs(self) -> bool:
        """Whether Codex would run it."""
        return self.is_on and self.trust in TRUSTED


def hooks(program: Path, folder: Path, *, env: Mapping[str, str]) -> tuple[Hook, ...] | None:
    """Our hooks as Codex sees them in a folder; none where it does not say."""
    requests = [
        {"id": 0, "method": "initialize", "params": {"clientInfo": _CLIENT}},
        {"method": "initialized"},
        {"id": _ASKING, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    ]
    with suppress(OSError, KeyError, TypeError, ValueError, IndexError):
        told = _answer(program, requests, folder=folder, env=env)
        rows = [row for row in told["data"][0]["hooks"] if _is_ours(row)]
        return tuple(
            Hook(str(row["eventName"]), str(row["trustStatus"]), bool(row["enabled"]))
            for row in rows
        )
    return None


_CLIENT = {"name": "forsooth", "title": "Forsooth", "version": "0"}


def _is_ours(row: Mapping[str, Any]) -> bool:
    return str(row.get("pluginId") or "").startswith("forsooth@")


def _answer(
    program: Path, requests: list[dict[str, Any]], *, folder: Path, env: Mapping[str, str]
) -> Any:
    """What the server answers to the last request; it leaves when its input ends."""
    argv = (str(program), "app-server")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        argv,
        cwd=folder,
        env=env,
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        watch = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        watch.start()
        try:
            if process.stdin is None or process.stdout is None:
                return None
            process.stdin.write("".join(json.dumps(one) + "\n" for one in requests))
            process.stdin.flush()
            lines = (json.loads(line) for line in process.stdout)
            return next((one["result"] for one in lines if one.get("id") == _ASKING), None)
        finally:
            watch.cancel()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
