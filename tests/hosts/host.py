"""What every host is to these tests: a real agent CLI in a home of its own, with a scripted model.

A session is one conversation; `turn` is one prompt a person types into it, headless.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from tests.e2e.place import Place
from tests.hosts import clis
from tests.hosts.installed import Package
from tests.hosts.network import Network
from tests.scripted_model.model import Call

SECONDS = 200
BIN = Path(sys.executable).parent


class Run(NamedTuple):
    """How one turn ended, and the session it was in."""

    code: int
    out: str
    err: str
    session: str

    @property
    def rows(self) -> list[Any]:
        """The JSON lines of standard output."""
        return list(_rows(self.out))


class Host:
    """One agent CLI; subclasses say how it is set up, started and called."""

    name: ClassVar[str]
    holds: ClassVar[bool] = True
    forsooth: ClassVar[tuple[str, ...]] = (str(BIN / "forsooth"),)
    needs: ClassVar[str] = ""  # part of a tool's name that the host may only have after a while

    def __init__(self, place: Place, command: Path, *, network: Network, url: str) -> None:
        self.place, self.command, self.network, self.url = place, command, network, url
        self.scratch = place.home.parent / "scratch"
        self.scratch.mkdir(exist_ok=True)
        self.package = Package(place.home)
        self.prepare()

    def install(self) -> None:
        """Put our package in, its gate recording."""
        self.package.write()

    def prepare(self) -> None:
        """Write the settings that a first start would ask for."""

    def settings(self) -> dict[str, str]:
        """The variables of this host's own."""
        raise NotImplementedError

    def argv(self, prompt: str, session: str) -> list[str]:
        raise NotImplementedError

    def shell(self, command: str) -> Call:
        """The call by which the model runs a command."""
        raise NotImplementedError

    def tool(self, name: str, **given: Any) -> Call:
        """The call by which the model uses a tool of forsooth's server."""
        raise NotImplementedError

    def session(self, rows: Iterable[Any]) -> str:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return {
            **self.place.environment(),
            "PATH": os.pathsep.join([str(BIN), str(self.command.parent), clis.path()]),
            "TMPDIR": str(self.scratch),
            **self.settings(),
        }

    def run(self, *argv: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command as this host's user would, where there is no network but loopback."""
        return subprocess.run(
            [*self.network.prefix, *argv],
            cwd=self.place.folder,
            env=self.environment(),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def turn(self, prompt: str, session: str = "") -> Run:
        done = self.run(self.command, *self.argv(prompt, session))
        found = self.session(_rows(done.stdout))
        return Run(done.returncode, done.stdout, done.stderr, found)


def _rows(text: str) -> Iterable[Any]:
    for line in text.splitlines():
        if line.startswith("{"):
            yield json.loads(line)
