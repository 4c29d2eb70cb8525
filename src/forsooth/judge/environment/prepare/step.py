"""One step of preparing: a command with network and without secrets, in a sandbox.

HOME is an empty folder of the layer and the environment is cleared; only settings that say where
a registry is pass through, never those that say who is asking.
"""

from __future__ import annotations

import contextlib
import fcntl
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.environment.disk import held
from forsooth.judge.environment.failure import failure, of_output
from forsooth.judge.environment.toolchain import Search, Tool, program
from forsooth.judge.environment.tree import SKIPPED
from forsooth.judge.openat import read_file, remove, write_file
from forsooth.judge.sandbox.job import Done, Job, Limits, Mount, Network, Sandbox

SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PASSED = {
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "NPM_CONFIG_REGISTRY",
    "GOPROXY",
    "GONOSUMDB",
    "GOSUMDB",
    "GOPRIVATE",
}
OWN = {".pyc", ".pyo"}
LARGEST = 64 << 20


def registry_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Where registries are, from a person's environment; a value with a password is left out."""
    return {
        name: value
        for name, value in environ.items()
        if name.upper() in PASSED and not re.search(r"://[^/\s]*@", value)
    }


class Workshop(NamedTuple):
    """Where a layer is being filled, and with what."""

    folder: Path
    source: Path
    sandbox: Sandbox
    search: Search
    downloads: Path
    settings: Mapping[str, str] = {}
    allow: tuple[str, ...] = ()
    seconds: float = 900.0
    pins: Path | None = None
    at: int | None = None

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def step(
        self,
        argv: tuple[str, ...],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        tools: Iterable[Tool] = (),
        mounts: Iterable[Mount] = (),
        network: Network = "host",
        foreign: bool = False,
    ) -> Done:
        """Run one command that must succeed. `foreign` code neither sees the downloads nor
        leaves anything in them for the next project.
        """
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        self.downloads.mkdir(parents=True, exist_ok=True, mode=0o700)
        places = (
            Mount(self.folder, str(self.folder), "rw"),
            *(() if foreign else (Mount(self.downloads, str(self.downloads), "rw"),)),
            *(mount for tool in tools for mount in tool.mounts),
            *mounts,
        )
        around = {"HOME": str(home), "PATH": searched(tools), "LANG": "C.UTF-8"}
        job = Job(
            argv,
            cwd=str(cwd),
            env={**around, **self.settings, **(env or {})},
            mounts=places,
            limits=Limits(seconds=self.seconds),
            network=network,
        )
        with held(self.downloads, fcntl.LOCK_SH):
            done = self.sandbox.run(job)
        if done.ended != "exit" or done.exit != 0:
            raise of_output(done, argv)
        return done

    def cache(self, *, foreign: bool) -> Path:
        """Where an installer keeps downloads: shared, or thrown away when foreign code runs."""
        return self.work / "cache" if foreign else self.downloads

    def read(self, path: Path) -> bytes:
        """A file of the layer, which a command that ran in it may have replaced by a link."""
        data = read_file(self.folder, str(path.relative_to(self.folder)), most=LARGEST)
        if data is None:
            says = f"{path.name} is no plain file of at most {LARGEST >> 20} MiB"
            raise failure("install-failed", f"while preparing: {says}")
        return data

    def write(self, path: Path, data: bytes) -> None:
        """Write a file of the layer, in the place of whatever a command left there."""
        try:
            write_file(self.folder, str(path.relative_to(self.folder)), data)
        except OSError as error:
            says = f"while preparing: {path.name} cannot be written: {error.strerror}"
            raise failure("install-failed", says) from None

    def found(self, name: str, *, remedy: str) -> Path:
        """A program of the machine that preparing needs."""
        path = program(name, self.search)
        if path is None:
            raise failure("tool-missing", f"{name} is not installed", package=name, remedy=remedy)
        return path

    def keep(self, path: Path) -> None:
        """Remember chosen versions, so that building again gives the same layer."""
        if self.pins and path.is_file():
            self.pins.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            waiting = self.pins.with_name(f"{self.pins.name}.new")
            waiting.write_bytes(self.read(path))
            waiting.replace(self.pins)

    def recall(self, path: Path) -> bool:
        """Bring back the versions chosen before, if there was a before."""
        if self.pins is None or not self.pins.is_file():
            return False
        self.write(path, self.pins.read_bytes())
        return True

    def clear(self) -> None:
        """Leave only the layer itself."""
        for name in ("work", "home"):
            with contextlib.suppress(OSError):
                remove(self.folder / name)


def searched(tools: Iterable[Tool]) -> str:
    """A PATH of the tools' own folders, then the system's."""
    return ":".join([*dict.fromkeys(str(tool.program.parent) for tool in tools), SYSTEM])


def copied(source: Path, into: Path, paths: Iterable[str]) -> None:
    """Copy some files of a checkout, by content; links are not followed."""
    for path in paths:
        origin = source / path
        if origin.is_file() and not origin.is_symlink():
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(origin, into / path)


def whole(source: Path, into: Path) -> None:
    """Copy a checkout, without what tools left behind in it."""
    left = shutil.ignore_patterns(*SKIPPED, "target", *(f"*{suffix}" for suffix in OWN))
    shutil.copytree(source, into, symlinks=True, ignore=left, dirs_exist_ok=True)
