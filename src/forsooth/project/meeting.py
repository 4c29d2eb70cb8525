"""The coding agents of this machine, as found on the PATH."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from forsooth.packages.kit import HOSTS
from forsooth.project.shelf import Shelf

_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
_ABOVE = 4  # folders above a program in which its package may say its version
_SECONDS = 5.0


class Agent(NamedTuple):
    """A coding agent on this machine."""

    name: str
    version: str
    program: Path


class Meeting(Shelf):
    """Who is here."""

    def agents(self, environment: Mapping[str, str] | None = None) -> tuple[Agent, ...]:
        """The agents on the PATH; a program that lies in the repository is not asked anything."""
        path = (os.environ if environment is None else environment).get("PATH", "")
        folders = [one for one in path.split(os.pathsep) if Path(one).is_absolute()]
        found: list[Agent] = []
        for name in HOSTS:
            program = shutil.which(name, path=os.pathsep.join(folders))
            if program and not self._is_theirs(Path(program)):
                found.append(Agent(name, _version(Path(program)), Path(program)))
        return tuple(found)

    def shown(self, path: Path) -> str:
        """A path as a person here would type it."""
        for above, name in ((self.repo.root, ""), (self.home, "~/")):
            if path.is_relative_to(above):
                return f"{name}{path.relative_to(above)}"
        return str(path)

    def _is_theirs(self, program: Path) -> bool:
        root = self.repo.root.resolve()
        return any(path.is_relative_to(root) for path in (program, program.resolve()))


def _version(program: Path) -> str:
    """The version its package names, else the one it tells; empty when neither says."""
    from forsooth.judge.sandbox.runner import answer

    for place in tuple(program.resolve().parents)[:_ABOVE]:
        with suppress(OSError, ValueError, AttributeError):
            told = json.loads((place / "package.json").read_bytes()).get("version")
            if isinstance(told, str) and _VERSION.fullmatch(told):
                return told
    with suppress(OSError):
        told = _VERSION.search(answer((str(program), "--version"), seconds=_SECONDS))
        return told[0] if told else ""
    return ""
