"""Our package in the agents of this machine: what would be done, done, and taken back.

It is the user's, not one repository's, and goes with the last repository that has our files. A host
that fails is told of and keeps nobody from going on.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import forsooth
from forsooth.errors import CouldNotVerify
from forsooth.git import folder
from forsooth.project import undoing
from forsooth.project.meeting import Agent, Meeting
from forsooth.project.shelf import STATE
from forsooth.project.undoing import Held

if TYPE_CHECKING:
    from forsooth.agents.hosts import Asked
    from forsooth.packages import Kit

SHARE = ".local/share/forsooth"
THERE = "it is there"
_T = TypeVar("_T")
_R = TypeVar("_R")


class Setup(NamedTuple):
    """What would be done to one host: its own commands, or a file of ours; or why nothing is."""

    agent: Agent
    is_due: bool
    steps: tuple[tuple[str, ...], ...] = ()
    file: Path | None = None
    note: str = ""


class Ended(NamedTuple):
    """How it went with one host; `why` is empty where it went well."""

    host: str
    why: str = ""


class Hosting(Meeting):
    """Our package in the agents of this machine."""

    @property
    def packages(self) -> Path:
        """Where the packages for this machine lie."""
        return self.home / SHARE / "packages"

    @property
    def has_tools(self) -> bool:
        """Whether the library is installed that serves our tools to agents."""
        return importlib.util.find_spec("mcp") is not None

    def setups(self, agents: Iterable[Agent]) -> tuple[Setup, ...]:
        """What would be done to each host; all of them are asked at once."""
        found = tuple(agents)
        if not found:
            return ()
        is_new = self.is_stale()
        return each(lambda one: self._setup(one, is_new=is_new), found)

    def _setup(self, agent: Agent, *, is_new: bool) -> Setup:
        from forsooth.agents.hosts import HOSTS, Failed

        if agent.name == "opencode":
            is_due = is_new or not self.has_pointer()
            return Setup(agent, is_due, file=self._pointer(), note="" if is_due else THERE)
        host = HOSTS[agent.name]
        try:
            found = self.asked(agent.name, agent.program).found()
        except Failed as failed:
            return Setup(agent, is_due=False, note=f"it could not be asked: {failed}")
        if not found:
            return Setup(agent, True, host.add, note=host.note)
        if Path(found[0].folder) != self.packages / "plugins" / agent.name:
            return Setup(agent, is_due=False, note="you have installed it yourself")
        if not is_new:
            return Setup(agent, is_due=False, note=THERE)
        return Setup(agent, True, host.again, note=host.note)

    def settle(self, setups: Iterable[Setup]) -> tuple[Ended, ...]:
        """Write the packages and have each host take its own; recorded before it is done."""
        due = [one for one in setups if one.is_due]
        if not due:
            return ()
        self._write_packages()
        self._keep({**self.hosted(), **{one.agent.name: str(one.agent.program) for one in due}})
        return each(self._given, due)

    def _given(self, one: Setup) -> Ended:
        from forsooth.agents.hosts import Failed

        try:
            if one.file:
                one.file.parent.mkdir(parents=True, exist_ok=True)
                undoing.put(one.file, Held(self._points()))
            else:
                asked = self.asked(one.agent.name, one.agent.program)
                asked.perform(one.steps, self.packages)
        except (Failed, OSError, CouldNotVerify) as error:
            return Ended(one.agent.name, str(error))
        return Ended(one.agent.name)

    def hosted(self) -> Mapping[str, str]:
        """The hosts that have our package from us, each with its program."""
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            told = json.loads(self._hosts_file().read_bytes())["hosts"]
            return {str(name): str(program) for name, program in told.items()}
        return {}

    def leaving(self, *, everywhere: bool = False) -> tuple[str, ...]:
        """The hosts that our package would leave, were this repository taken out."""
        return () if self._is_wanted_elsewhere() and not everywhere else tuple(self.hosted())

    def leave(self, *, everywhere: bool = False) -> tuple[Ended, ...]:
        """Take our package out of every host, unless another repository still has our files."""
        known, names = self.hosted(), self.leaving(everywhere=everywhere)
        if not names:
            return ()
        ends = each(lambda name: self._taken(name, Path(known[name])), names)
        stuck = {end.host: known[end.host] for end in ends if end.why}
        if stuck:
            self._keep(stuck)  # to be tried again
            return ends
        self._hosts_file().unlink(missing_ok=True)
        folder.empty(self.packages)
        for path in (self.packages, self.packages.parent):
            with suppress(OSError):
                path.rmdir()
        return ends

    def _taken(self, name: str, program: Path) -> Ended:
        from forsooth.agents.hosts import Failed

        try:
            if name == "opencode":
                if self.has_pointer():
                    self._pointer().unlink()
            elif program.exists():
                self.asked(name, program).rid()
        except (Failed, OSError, CouldNotVerify) as error:
            return Ended(name, str(error))
        return Ended(name)

    def asked(self, name: str, program: Path) -> Asked:
        """A host's program, not asked in the repository, whose own settings it would read."""
        from forsooth.agents.hosts import HOSTS, Asked

        return Asked(HOSTS[name], program, dict(os.environ), self.home)

    def _is_wanted_elsewhere(self) -> bool:
        for record in (self.home / STATE).glob("*/init.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                root = Path(json.loads(record.read_bytes())["root"])
                if record.parent.name != self.place and root.is_dir():
                    return True
        return False

    def is_stale(self) -> bool:
        """Whether the packages on this machine are not the ones that this program would write."""
        return self._on_disk() != self._rendered()

    def _kit(self) -> Kit:
        from forsooth.packages import Kit

        library = Path(forsooth.__file__).parents[1]
        return Kit(forsooth.__version__, sys.executable, str(library), mcp=self.has_tools)

    def _rendered(self) -> dict[str, bytes]:
        from forsooth.packages import tree

        return tree(self._kit())

    def _on_disk(self) -> dict[str, bytes]:
        top = self.packages
        found = [path for path in top.rglob("*") if path.is_file()]
        return {path.relative_to(top).as_posix(): path.read_bytes() for path in found}

    def _write_packages(self) -> None:
        """The packages, and nothing else, in their folder."""
        files = self._rendered()
        for gone in self._on_disk().keys() - files.keys():
            (self.packages / gone).unlink()
        for name, data in files.items():
            path = self.packages / name
            path.parent.mkdir(parents=True, exist_ok=True)
            undoing.put(path, Held(data, 0o755 if data.startswith(b"#!") else 0o644))

    def has_pointer(self) -> bool:
        """Whether opencode has the file of ours, unchanged."""
        return undoing.held(self._pointer()).data == self._points()

    def _pointer(self) -> Path:
        config = os.environ.get("XDG_CONFIG_HOME") or self.home / ".config"
        return Path(config) / "opencode/plugin/forsooth.js"

    def _points(self) -> bytes:
        from forsooth.packages.opencode import pointer

        return pointer(str(self.packages / "plugins/opencode/index.js"))

    def _hosts_file(self) -> Path:
        return self.home / STATE / "hosts.json"

    def _keep(self, hosts: Mapping[str, str]) -> None:
        path = self._hosts_file()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        undoing.put(path, Held(f"{json.dumps({'hosts': hosts}, indent=1)}\n".encode(), 0o600))


def each(act: Callable[[_T], _R], things: Iterable[_T]) -> tuple[_R, ...]:
    """Do it for all at once; hosts are slow, and do not know of each other."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:
        return tuple(pool.map(act, things))
