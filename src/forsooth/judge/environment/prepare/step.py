"""The two kinds of steps that preparing is made of, each in a sandbox and without secrets.

`fetch` runs an installer that we chose, with a network and the downloads that all repositories
share. No code of a repository or of a package is started there: install scripts are off, wheels
alone are installed, and installers see settings that we wrote. `run_offline` is for all other code:
a build backend, an install script, a command of forsooth.toml. It has no network, sees no
downloads, and writes only into the folders that are named to it.

The environment is cleared; only settings that say where a registry is pass through, never those
that say who is asking.
"""

from __future__ import annotations

import contextlib
import fcntl
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
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
    "GONOPROXY",
    "MAVEN_MIRROR",
}
SECRET = re.compile(r"(?:^|://|[\s,|=])[^/\s,|]*@")  # a proxy may be named without a scheme
OWN = {".pyc", ".pyo"}
LARGEST = 64 << 20


def registry_settings(environ: Mapping[str, str], home: Path | None = None) -> dict[str, str]:
    """Where registries are, from a person's environment and their own installer settings; a value
    with a password is left out.
    """
    mine = {name: value for name, value in environ.items() if name.upper() in PASSED}
    every = {**(_of_files(home) if home else {}), **mine}
    return {name: text for name, text in every.items() if not SECRET.search(text)}


def _of_files(home: Path) -> dict[str, str]:
    """What npm, go and Maven are told in a person's home, as far as it says where to ask."""

    def text(path: str) -> str:
        file = home / path
        return file.read_text(errors="replace")[:LARGEST] if file.is_file() else ""

    found: dict[str, str] = {}
    for line in (*text(".npmrc").splitlines(), *text(".config/go/env").splitlines()):
        key, _, value = (part.strip() for part in line.partition("="))
        if re.fullmatch(r"(@[\w.~-]+:)?registry", key):
            scoped = key.startswith("@")
            found[f"npm_config_{key}" if scoped else "NPM_CONFIG_REGISTRY"] = value
        elif key in PASSED and key.startswith("GO"):
            found[key] = value
    mirrors = re.sub(r"<!--.*?-->", "", text(".m2/settings.xml"), flags=re.DOTALL)
    if url := re.search(r"<mirror>.*?<url>\s*(\S+?)\s*</url>", mirrors, re.DOTALL):
        found["MAVEN_MIRROR"] = url[1]
    return found


Checkout = Callable[[], Path]


class Workshop(NamedTuple):
    """Where a layer is being filled, and with what. `source` is a checkout of the judged tree and
    `base` gives one of the tree that work began at, where that is another. `online` where the
    user's own settings let the commands of forsooth.toml have a network.
    """

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
    online: bool = False
    base: Checkout | None = None

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def fetch(
        self,
        argv: tuple[str, ...],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        tools: Iterable[Tool] = (),
        mounts: Iterable[Mount] = (),
        shared: bool = True,
    ) -> Done:
        """Run an installer that must succeed, with a network and, where `shared`, the downloads.

        An installer that may itself load code of packages does not see them.
        """
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        self.downloads.mkdir(parents=True, exist_ok=True, mode=0o700)
        downloads = (Mount(self.downloads, str(self.downloads), "rw"),) if shared else ()
        places = (Mount(self.folder, str(self.folder), "rw"), *downloads, *mounts)
        around = {"HOME": str(home), **self.settings, **(env or {})}
        with held(self.downloads, fcntl.LOCK_SH):
            done = self._run(argv, cwd, env=around, tools=tools, mounts=places, network="host")
        return _succeeded(done, argv)

    def run_offline(
        self,
        argv: tuple[str, ...],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        tools: Iterable[Tool] = (),
        mounts: Iterable[Mount] = (),
        writes: Iterable[Path] = (),
        network: Network = "none",
        may_fail: bool = False,
    ) -> Done:
        """Run code of a repository or a package, which must succeed unless it `may_fail`. The layer
        is seen as it is, and only what is written into `writes` stays. A `network` is the user's
        own decision.
        """
        places = (
            Mount(self.folder, str(self.folder), "overlay"),
            *(Mount(path, str(path), "rw", root=self.folder) for path in writes),
            *mounts,
        )
        around = {**(self.settings if network == "host" else {}), **(env or {})}
        done = self._run(argv, cwd, env=around, tools=tools, mounts=places, network=network)
        return done if may_fail else _succeeded(done, argv)

    def _run(
        self,
        argv: tuple[str, ...],
        cwd: Path,
        *,
        env: Mapping[str, str],
        tools: Iterable[Tool],
        mounts: Iterable[Mount],
        network: Network,
    ) -> Done:
        tools = tuple(tools)
        job = Job(
            argv,
            cwd=str(cwd),
            env={"PATH": searched(tools), "LANG": "C.UTF-8", **env},
            mounts=(*mounts, *(mount for tool in tools for mount in tool.mounts)),
            limits=Limits(seconds=self.seconds),
            network=network,
        )
        return self.sandbox.run(job)

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


def _succeeded(done: Done, argv: tuple[str, ...]) -> Done:
    if done.ended != "exit" or done.exit != 0:
        raise of_output(done, argv)
    return done


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
