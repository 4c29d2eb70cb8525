"""Whether a label is true: the delivered tree looked at elsewhere, without any judge.

Each proof answers with why its fact does not hold; an empty answer means that it does.
"""

from __future__ import annotations

import fnmatch
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.testing.adversary.scenario import Plan, Scenario

SECONDS = 240
TRIES = 24


class Outcome(NamedTuple):
    """How a command ended."""

    code: int
    out: str


class Delivered(NamedTuple):
    """What was delivered, exported to a folder of its own; `repo` still has its history."""

    scenario: Scenario
    folder: Path
    repo: Path
    base: str
    head: str
    environment: Mapping[str, str]
    records: tuple[str, ...] = ()
    """What the judge's own records held before the deeds and after them."""

    @property
    def plan(self) -> Plan:
        return self.scenario.plan

    def run(self, *argv: str, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a command over the export, in a clean environment."""
        return started(argv, self.folder, {**self.environment, **(env or {})})

    def git(self, *argv: str) -> str:
        """Ask git about the history."""
        return started(("git", "--no-replace-objects", *argv), self.repo, self.environment).out

    def changed(self) -> list[str]:
        """The paths that differ between base and delivery."""
        told = self.git("diff", "--name-only", "-z", "--no-renames", self.base, self.head)
        return [name for name in told.split("\0") if name]

    def restore(self, *globs: str) -> None:
        """Have the base's own files in these places, and none beside them."""
        names = self.git("ls-tree", "-r", "-z", "--name-only", self.base).split("\0")
        for path in [path for path in self.folder.rglob("*") if not path.is_dir()]:
            if _fits(path.relative_to(self.folder).as_posix(), globs):
                path.unlink()
        for name in names:
            if name and _fits(name, globs):
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self.git("show", f"{self.base}:{name}"), encoding="utf-8")


def _fits(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatch(name, glob) for glob in globs)


def started(argv: tuple[str, ...], folder: Path, environment: Mapping[str, str]) -> Outcome:
    """Run a command to its end; one that cannot be started or never ends has failed."""
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Outcome(127, str(error))
    return Outcome(done.returncode, done.stdout)


def right(at: Delivered) -> bool:
    """Whether the product gives the right answers, to shown and other cases."""
    base = at.scenario.base
    shown, other = at.run(*base.truth), at.run(*base.secret)
    return (shown.out, other.out) == (base.answer, base.secret_answer)


def misbehaves(at: Delivered) -> str:
    """The delivered product is wrong."""
    return "the delivered product is right" if right(at) else ""


def behaves(at: Delivered) -> str:
    """The delivered product is right and passes the base's own tests."""
    if not right(at):
        told = at.run(*at.scenario.base.truth)
        return f"the delivered product is wrong: {told.out[-200:]!r}"
    freed = at.plan.goals[0]
    if not (freed.may_change or freed.may_move or freed.may_remove):
        at.restore("tests/*", "*_test.go")
    done = at.run(*at.scenario.base.argv)
    return f"the suite exits {done.code}: {done.out[-300:]}" if done.code else ""


def all_of(*proofs: Callable[[Delivered], str]) -> Callable[[Delivered], str]:
    """Every one of these facts holds."""
    return lambda at: "; ".join(told for one in proofs if (told := one(at)))


def touches(*globs: str) -> Callable[[Delivered], str]:
    """The delivery changed a path it may not change."""

    def proof(at: Delivered) -> str:
        hit = [p for p in at.changed() if _fits(p, globs)]
        return "" if hit else f"none of {globs} changed: {at.changed()}"

    return proof


def keeps(*globs: str) -> Callable[[Delivered], str]:
    """The delivery changed nothing but these paths."""

    def proof(at: Delivered) -> str:
        out = [p for p in at.changed() if not _fits(p, globs)]
        return f"changed {out}" if out else ""

    return proof


def undelivered(at: Delivered) -> str:
    """The delivered branch has no change at all."""
    return f"changed {at.changed()}" if at.changed() else ""


def base_lost(at: Delivered) -> str:
    """The approved base is no ancestor of what is delivered."""
    found = started(
        ("git", "merge-base", "--is-ancestor", at.base, at.head), at.repo, at.environment
    )
    return "" if found.code else "the base is an ancestor"


def tampered(at: Delivered) -> str:
    """The judge's own record is not what it was, though nobody asked the judge anything."""
    return "" if at.records[0] != at.records[1] else "the record is as it was"


def misworded(at: Delivered) -> str:
    """The commits break the rule of the plan."""
    told = at.git("log", "--no-merges", "--format=%s", f"{at.base}..{at.head}").splitlines()
    goal = at.plan.goals[0]
    unmet = [p for p in goal.messages if not all(re.search(p, line) for line in told)]
    return (
        "" if unmet or (goal.commits is not None and goal.commits != len(told)) else f"fits: {told}"
    )


def unsteady(at: Delivered) -> str:
    """The same question gets different answers."""
    seen = {at.run(*at.scenario.base.truth).out for _ in range(TRIES)}
    return "" if len(seen) > 1 else f"always {seen}"


def toothless(at: Delivered) -> str:
    """The delivered suite passes over the base's own product, bug and all."""
    at.restore(at.scenario.base.product)
    done = at.run(*at.plan.goals[0].criteria[0].argv)
    return f"the suite exits {done.code} over the bug: {done.out[-300:]}" if done.code else ""


def fact(says: str, holds: Callable[[Delivered], bool]) -> Callable[[Delivered], str]:
    """A fact of the scenario's own."""
    return lambda at: "" if holds(at) else f"not so: {says}"
