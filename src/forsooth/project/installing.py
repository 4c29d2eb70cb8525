"""What `init` does to a repository, shown before it is done and taken back on request.

It adds, and never changes what somebody wrote: a settings file where there is none, a refspec for
receipts, and our package in the agents found. Nothing of the repository is run.
"""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from forsooth.core.canonical import digest
from forsooth.core.gate import Reason
from forsooth.errors import Refused
from forsooth.git.remotes import remotes, with_fetch
from forsooth.project import undoing
from forsooth.project.hosting import Ended, Hosting, Setup
from forsooth.project.meeting import Agent
from forsooth.project.settings import SETTINGS
from forsooth.project.undoing import Held, Kept

if TYPE_CHECKING:
    from forsooth.project.judging import Survey

TEMPLATE = """\
# What is judged here, and how strictly, once committed; `forsooth doctor` says what is found.
# environment.test = {test}
# policy.attempts = 5  # may only be tightened
"""


class Change(NamedTuple):
    """One file as `init` would have it."""

    path: Path
    before: Held
    after: bytes
    fetches: tuple[str, ...] = ()


class Proposal(NamedTuple):
    """What `init` would do here, the key it would make on this machine, and what to its agents."""

    changes: tuple[Change, ...]
    key: Path | None
    setups: tuple[Setup, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.key or any(one.is_due for one in self.setups))


class Done(NamedTuple):
    """The public key of this machine, empty where none was made, and the result for each host."""

    key: str
    hosts: tuple[Ended, ...]


class Restored(NamedTuple):
    """Files that are as they were before, and the hosts that our package left."""

    paths: tuple[Path, ...] = ()
    hosts: tuple[Ended, ...] = ()


class Installing(Hosting):
    """The first minutes, and how to take them back."""

    def proposal(self, found: Survey, agents: tuple[Agent, ...]) -> Proposal:
        """What `init` would do here and to these agents; nothing where it is done already."""
        from forsooth.receipts import keys

        changes = [one for one in (self._settings_file(found), self._refspecs()) if one]
        key = self.home / keys.PLACE
        return Proposal(tuple(changes), None if key.exists() else key, self.setups(agents))

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
            refspec = carry.fetching(name)
            if refspec not in remote.fetches:
                config = with_fetch(config, remote, refspec)
                added.append(refspec)
        return Change(path, before, config, tuple(added)) if added else None

    def install(self, proposal: Proposal) -> Done:
        """Do what was proposed, recorded first; hosts come last, since they may fail."""
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
        has_key = proposal.key or (self.home / keys.PLACE).exists()
        key = keys.judge(self.home).public.text if has_key else ""
        return Done(key, self.settle(proposal.setups))

    def installed(self) -> tuple[Kept, ...]:
        """What `init` changed here and has not taken back."""
        return undoing.read(self._init_record())

    def undo(self, *, keeping_edited: bool = False, everywhere: bool = False) -> Restored:
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
        return Restored(tuple(row.path for row, _ in changed), self.leave(everywhere=everywhere))

    def _edited(self, path: Path) -> Reason:
        says = f"{self.shown(path)} was edited since init wrote it"
        hint = f"rm {self.shown(path)}, or forsooth uninstall, which leaves it alone"
        return Reason("edited", says, hint)

    def _init_record(self) -> Path:
        return self.own / "init.json"

    def need_person(self, verb: str) -> None:
        """Refuse whoever is no person, and speaks for none."""
        if self.actor.kind != "human":
            says = f"`{verb}` is for a person to say"
            raise Refused((Reason("not-a-person", says, f"ask a person: forsooth {verb}"),))
