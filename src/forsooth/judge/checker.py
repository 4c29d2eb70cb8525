"""What a check is given: a place to run things in, a look at tree and history, a way to keep bytes.

A check never learns where the judged copy lies, who made the work or what was claimed about it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from forsooth.core.plan import Criterion, Goal
from forsooth.errors import CouldNotVerify
from forsooth.git.history import Commit
from forsooth.git.trees import Change
from forsooth.judge.neighbour import Neighbour

JUDGE = "/run/forsooth/judge"
OUT = "/run/forsooth/out"

Ended = Literal["exit", "timeout", "memory", "output", "error"]


class Ran(NamedTuple):
    """How a process ended, what it printed, and what it left in the judge's out folder.

    `written` are the files it was watched for and wrote; none where that cannot be known.
    """

    exit: int | None
    signal: int | None
    ended: Ended
    stdout: bytes
    stderr: bytes
    took: float
    out: Mapping[str, bytes]
    written: tuple[str, ...] | None = None


class Place(Protocol):
    """A judged tree, ready to run things in."""

    @property
    def root(self) -> str:
        """The repository's own absolute path, inside the sandbox as outside."""
        ...

    def run(
        self,
        argv: Sequence[str],
        *,
        seconds: float,
        cwd: str = "",
        env: Mapping[str, str] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Ran:
        """Run one argv; `files` appear read-only under JUDGE, what is written to OUT comes back."""
        ...


class Nowhere:
    """A place for checks that run nothing."""

    def __init__(self, root: str) -> None:
        self.root = root

    def run(
        self,
        argv: Sequence[str],
        *,
        seconds: float,
        cwd: str = "",
        env: Mapping[str, str] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Ran:
        """Nothing can be run here."""
        del seconds, cwd, env, files
        raise CouldNotVerify(f"{argv[0]} has no place to run in", code="not-run")


class Look(Protocol):
    """The judged tree and its history as data; nothing runs."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The goal's own changes, upstream merges already subtracted."""
        ...

    @property
    def commits(self) -> tuple[Commit, ...]:
        """The goal's own commits."""
        ...

    def paths(self) -> tuple[str, ...]:
        """Every file of the tree."""
        ...

    def read(self, path: str) -> bytes | None:
        """A file's bytes; none when it is not there."""
        ...

    def mode(self, path: str) -> str | None:
        """A file's mode as git has it; none when it is not there."""
        ...


class Consent(NamedTuple):
    """A person's agreement to a criterion, and what changed since of all that it was about."""

    by: str
    tree: str
    changed: tuple[str, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether what the person agreed to is what is judged."""
        return not self.changed


class Context(NamedTuple):
    """Everything one check may know.

    `beside` are the plan's other goals; `own` are paths that are nobody's work, such as the brief.
    """

    criterion: Criterion
    goal: Goal | None
    place: Place
    look: Look
    keep: Callable[[bytes], str]
    seconds: float
    beside: tuple[Neighbour, ...] = ()
    consent: Consent | None = None
    own: Collection[str] = ()
