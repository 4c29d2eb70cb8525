"""What `init` does to a repository, shown before it is done and taken back on request.

It adds, and never changes what somebody wrote: a settings file where there is none, and a refspec
for receipts. Nothing of the repository is run, and nothing of an agent's is touched.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core.canonical import digest
from forsooth.core.gate import Reason
from forsooth.errors import Refused
from forsooth.git.remotes import remotes, with_fetch
from forsooth.project import undoing
from forsooth.project.settings import SETTINGS
from forsooth.project.shelf import Shelf
from forsooth.project.undoing import Held, Kept

if TYPE_CHECKING:
    from forsooth.project.judging import Survey

AGENTS = ("claude", "codex", "gemini", "opencode")
STATE = ".local/state/forsooth"
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
_ABOVE = 4  # folders above a program in which its package may say its version
_SECONDS = 5.0

TEMPLATE = """\
# What is judged here, and how strictly, once committed; `forsooth doctor` says what is found.
# environment.test = {test}
# policy.attempts = 5  # may only be tightened
"""


class Agent(NamedTuple):
    """A coding agent on this machine."""

    name: str
    version: str
    program: Path


class Change(NamedTuple):
    """One file as `init` would have it."""

    path: Path
    before: Held
    after: bytes
    fetches: tuple[str, ...] = ()


class Proposal(NamedTuple):
    """What `init` would do here, and the key it would make on this machine."""

    changes: tuple[Change, ...]
    key: Path | None


class Restored(NamedTuple):
    """Files that are as they were before."""

    paths: tuple[Path, ...]


class Installing(Shelf):
    """The first minutes, and how to take them back."""

    def agents(self, environment: Mapping[str, str] | None = None) -> tuple[Agent, ...]:
        """The agents on the PATH; a program that lies in the repository is not asked anything."""
        path = (os.environ if environment is None else environment).get("PATH", "")
        folders = [one for one in path.split(os.pathsep) if Path(one).is_absolute()]
        found: list[Agent] = []
        for name in AGENTS:
            program = shutil.which(name, path=os.pathsep.join(folders))
            if program and not self._is_theirs(Path(program)):
                found.append(Agent(name, _version(Path(program)), Path(program)))
        return tuple(found)

    def _is_theirs(self, program: Path) -> bool:
        root = self.repo.root.resolve()
        return any(path.is_relative_to(root) for path in (program, program.resolve()))

    def proposal(self, found: Survey) -> Proposal:
        """What `init` would do here; nothing where it is done already."""
        from forsooth.receipts import keys

        changes = [one for one in (self._settings_file(found), self._refspecs()) if one]
        key = self.home / keys.PLACE
        return Proposal(tuple(changes), None if key.exists() else key)

    def _settings_file(self, found: Survey) -> Change | None:
        path = self.repo.root / SETTINGS
        if os.path.lexists(path):
            return None
        test = json.dumps(shlex.join(found.recipe.test_command or ("make", "test")))
        return Change(path, Held(), TEMPLATE.format(test=test).encode())

    def _refspecs(self) -> Change | None:
        from forsooth.receipts import carry

        path = self.repo.common / "config"
        if path.is_symlink():
            return None
        before = undoing.held(path)
        config, added = before.data or b"", list[str]()
        for name in [one.name for one in remotes(config)]:
            remote = next(one for one in remotes(config) if one.name == name)
            # A plain name makes every fetch fail until the remote has it; a pattern may match none.
            refspec = f"+{carry.REFERENCE}*:{carry.theirs(name)}*"
            if refspec not in remote.fetches:
                config = with_fetch(config, remote, refspec)
                added.append(refspec)
        return Change(path, before, config, tuple(added)) if added else None

    def install(self, proposal: Proposal) -> str:
        """Do what was proposed, recorded first; answers this machine's public key."""
        from forsooth.receipts import keys

        self.need_person("init")
        rows = {row.path: row for row in undoing.read(self._init_record())}
        for change in proposal.changes:
            known = rows.get(change.path)
            before = undoing.undone(known).held if known else change.before
            fetches = (*(known.fetches if known else ()), *change.fetches)
            rows[change.path] = Kept(change.path, before, digest(change.after), fetches)
        if proposal.changes:
            undoing.write(self._init_record(), rows.values(), root=self.repo.root)
        for change in proposal.changes:
            undoing.put(change.path, Held(change.after, change.before.mode))
        return keys.judge(self.home).public.text

    def installed(self) -> tuple[Kept, ...]:
        """What `init` changed here and has not taken back."""
        return undoing.read(self._init_record())

    def undo(self, *, keeping_edited: bool = False) -> Restored:
        """Take back what `init` did; refused as a whole where a file was edited since."""
        self.need_person("init --undo")
        rows = self.installed()
        found = [(row, undoing.undone(row)) for row in rows]
        edited = [row.path for row, one in found if one.is_edited]
        if edited and not keeping_edited:
            raise Refused(tuple(self._edited(path) for path in edited))
        changed = [(row, one) for row, one in found if undoing.held(row.path) != one.held]
        for row, one in changed:
            undoing.put(row.path, one.held)
        self._init_record().unlink(missing_ok=True)
        with suppress(OSError):
            self._init_record().parent.rmdir()
        return Restored(tuple(row.path for row, _ in changed))

    def _edited(self, path: Path) -> Reason:
        says = f"{self.shown(path)} was edited since init wrote it"
        hint = f"rm {self.shown(path)}, or forsooth uninstall, which leaves it alone"
        return Reason("edited", says, hint)

    def shown(self, path: Path) -> str:
        """A path as a person here would type it."""
        for above, name in ((self.repo.root, ""), (self.home, "~/")):
            if path.is_relative_to(above):
                return f"{name}{path.relative_to(above)}"
        return str(path)

    def _init_record(self) -> Path:
        return self.home / STATE / self.place / "init.json"

    def need_person(self, verb: str) -> None:
        """Refuse whoever is no person, and speaks for none."""
        if self.actor.kind != "human":
            says = f"`{verb}` is for a person to say"
            raise Refused((Reason("not-a-person", says, f"ask a person: forsooth {verb}"),))


def _version(program: Path) -> str:
    """The version its package names, else the one it tells; empty when neither says."""
    from forsooth.judge.sandbox.runner import answer

    for folder in tuple(program.resolve().parents)[:_ABOVE]:
        with suppress(OSError, ValueError, AttributeError):
            told = json.loads((folder / "package.json").read_bytes()).get("version")
            if isinstance(told, str) and _VERSION.fullmatch(told):
                return told
    with suppress(OSError):
        told = _VERSION.search(answer((str(program), "--version"), seconds=_SECONDS))
        return told[0] if told else ""
    return ""
