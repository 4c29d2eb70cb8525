"""What may run here: nothing of a repository, before a person has seen the commands and said yes.

The word is kept outside the repository, and bound to its path, to the commands themselves and to
the `[environment]` table they run under. It says nothing about what the commands will do.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from forsooth.core.actor import Channel
from forsooth.core.gate import Reason
from forsooth.core.instant import written
from forsooth.core.plan import NO_BASE, Plan
from forsooth.errors import CouldNotVerify, Refused
from forsooth.project.shelf import STATE, Shelf

if TYPE_CHECKING:
    from forsooth.judge.environment.recipe import Recipe

Argv = tuple[str, ...]
HINT = "forsooth trust"


class Wish(NamedTuple):
    """A command that may be run, and what for."""

    what: str
    argv: Argv


class Trust(NamedTuple):
    """What a person allowed in one repository; `changed` when its settings are others since."""

    path: str
    argvs: tuple[Argv, ...]
    environment: str
    channel: str
    at: str
    told: Mapping[str, Any]
    changed: tuple[str, ...] = ()


class Untrusted(Refused):
    """Nobody has said that this may run here."""

    code = "untrusted"

    def __init__(self, reasons: tuple[Reason, ...], argvs: tuple[Argv, ...]) -> None:
        super().__init__(reasons)
        self.argvs = argvs


class Trusting(Shelf):
    """The person's word about running what lies in a repository."""

    def require(self, argvs: Iterable[Argv], *, hint: str = HINT) -> None:
        """Refuse unless every one of these was trusted here, under the settings in force."""
        wanted = tuple(dict.fromkeys(argvs))
        missing = self.untrusted(wanted)
        found = self.trusted()
        reasons = [
            Reason("untrusted", f"{change} since it was trusted", hint)
            for change in (found.changed if found else ())
        ]
        if missing:
            known = "among what was trusted" if found and not found.changed else "trusted to run"
            told = [f"`{shlex.join(argv)}` is not {known}" for argv in missing]
            reasons += [Reason("untrusted", says, hint) for says in told]
        if reasons:
            raise Untrusted(tuple(reasons), missing)

    def untrusted(self, argvs: Iterable[Argv]) -> tuple[Argv, ...]:
        """Those of some commands that nobody has allowed here; changed settings allow none."""
        found = self.trusted()
        known = set(found.argvs) if found and not found.changed else set[Argv]()
        return tuple(argv for argv in argvs if argv not in known)

    def trust(self, argvs: Iterable[Argv], channel: Channel | None) -> Trust:
        """Allow these commands here from now on, with those allowed before; a person's word."""
        if self.actor.kind != "human" or channel is None:
            says = "only a person may say that this repository's commands run"
            raise Refused((Reason("not-a-person", says, f"ask a person: {HINT}"),))
        found = self.trusted()
        known = found.argvs if found else ()
        told = dict(self.settings().environment)
        made = Trust(
            path=str(self.repo.common),
            argvs=tuple(dict.fromkeys((*known, *argvs))),
            environment=_digest(told),
            channel=channel,
            at=written(self.now()),
            told=told,
        )
        _write(self._trust_file(), made)
        return made

    def trusted(self) -> Trust | None:
        """What was allowed here; none when nothing was, or the record is not ours to believe."""
        read = _read(self._trust_file())
        if read is None or read.path != str(self.repo.common):
            return None
        now = self.settings().environment
        if read.environment == _digest(now):
            return read
        return read._replace(changed=tuple(_differences(read.told, now)))

    def revoke(self) -> bool:
        """Allow nothing here any more; anybody may ask for less."""
        with suppress(FileNotFoundError):
            self._trust_file().unlink()
            return True
        return False

    def may_run(self, trees: Iterable[str] = ()) -> tuple[Wish, ...]:
        """Every command of this repository that a verb might run, and what for."""
        found = [wish for tree in trees for wish in self.environment_of(tree)]
        for listed in self.plans():
            if listed.is_live and listed.status != "damaged":
                state = self.state(listed.id)
                found += [
                    w for plan in (state.definition, state.proposal) if plan for w in planned(plan)
                ]
        return tuple(dict.fromkeys(found))

    def environment_of(self, tree: str, *, places: Iterable[str] | None = None) -> tuple[Wish, ...]:
        """What building a tree and running its suites would run of its own, by looking alone."""
        from forsooth.judge.environment.configured import projects, understood
        from forsooth.judge.environment.tree import Tree
        from forsooth.judge.look import Looking

        look = Looking(self.repo, tree, base=NO_BASE)
        files = Tree(look.paths(), lambda path: look.read(path) or b"")
        settings = self.settings().environment
        found: list[Wish] = []
        for place in projects(settings, files) if places is None else places:
            with suppress(CouldNotVerify):  # a manifest that cannot be read is reported where it is
                found += wishes(understood(settings, files, subproject=place))
        return tuple(dict.fromkeys(found))

    def _trust_file(self) -> Path:
        return self.home / STATE / "trust" / f"{self.place}.json"


def planned(plan: Plan) -> Iterator[Wish]:
    """The commands a plan names."""
    for goal in plan.goals:
        for criterion in goal.entry + goal.criteria:
            if argv := criterion.check.params.get("argv"):
                yield Wish(criterion.id, tuple(argv))
    if plan.suite and (argv := plan.suite.params.get("argv")):
        yield Wish("suite", tuple(argv))


def wishes(recipe: Recipe) -> Iterator[Wish]:
    """The commands of a recipe that run the repository's own code or words.

    Installers that are chosen here and run none of it (uv, npm without scripts, go, cargo) are the
    tool's own. Maven runs what a pom says; a project that is built runs its own backend.
    """
    if recipe.kind in ("custom", "maven"):
        yield from (Wish("prepare", argv) for argv in recipe.prepare)
    yield from (Wish("before", argv) for argv in recipe.before)
    yield from (Wish("build", (one.build.backend, one.path or ".")) for one in recipe.projects)
    if recipe.test_command:
        yield Wish("suite", recipe.test_command)


def _digest(environment: Mapping[str, Any]) -> str:
    body = json.dumps(environment, sort_keys=True, default=str)
    return hashlib.sha256(body.encode()).hexdigest()


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            was, now = (json.dumps(side.get(name), default=str) for side in (old, new))
            yield f"`{name}` in forsooth.toml went from {was} to {now}"


def _write(path: Path, trust: Trust) -> None:
    """Whole or not at all, and for its owner's eyes only."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    body = json.dumps(trust._asdict(), indent=1, default=str)
    fd, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(f"{body}\n")
    Path(name).replace(path)


def _read(path: Path) -> Trust | None:
    """A record that only its owner can write; anything else is no record."""
    try:
        seen = path.lstat()
        if path.is_symlink() or seen.st_uid != os.getuid() or seen.st_mode & 0o022:
            return None
        body = json.loads(path.read_bytes())
        argvs = tuple(tuple(cast("list[str]", argv)) for argv in body["argvs"])
        fields = (body[name] for name in ("environment", "channel", "at", "told"))
        return Trust(body["path"], argvs, *fields)
    except (OSError, ValueError, TypeError, KeyError):
        return None
