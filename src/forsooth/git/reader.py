"""Reading objects, each checked against its own name.

Git itself believes what lies under a name: a file put into the object store by hand is shown as
any commit, tree or file. Verdicts are about names, so here content that does not hash to its name
is an error. Everything this package reads of history, trees and files passes through this module.
"""

from __future__ import annotations

import hashlib
import os
import re
import select
import subprocess
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Literal, NamedTuple, cast

from forsooth.errors import CouldNotVerify
from forsooth.git import run as running
from forsooth.git.repository import Repository, text_of
from forsooth.git.run import ENVIRONMENT, command, private, silent
from forsooth.git.stores import stores

Kind = Literal["blob", "tree", "commit", "tag"]

ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_AT_ONCE = 25  # twice as many requests fit the smallest pipe, so neither side waits for the other
_CHUNK = 1 << 20
_SHORT = 40
LARGEST = 256 << 20  # bytes of one object; a small pack can hold one of many gigabytes


class Object(NamedTuple):
    """One object: its name and what hashes to it."""

    id: str
    kind: Kind
    data: bytes


class Reader:
    """A running `git cat-file --batch`."""

    def __init__(self, repo: Repository, process: subprocess.Popen[bytes]) -> None:
        self.repo = repo
        self._process = process
        self._asked = cast("IO[bytes]", process.stdin)
        self._out = cast("IO[bytes]", process.stdout).fileno()
        self._seen = bytearray()
        self._open = 0  # questions without an answer yet

    @property
    def is_idle(self) -> bool:
        """Whether everything that was asked was answered and read."""
        return not self._open and not self._seen and self._process.poll() is None

    def end(self) -> None:
        """Ask nothing more."""
        self._process.kill()

    def find(self, id_: str) -> Object | None:
        """An object, or none when the repository does not have it."""
        self._ask([id_])
        return self._answer(id_)

    def read(self, id_: str, kind: Kind | None = None) -> Object:
        """An object that must be there."""
        return next(self.each([id_], kind))

    def each(self, ids: Iterable[str], kind: Kind | None = None) -> Iterator[Object]:
        """Objects that must be there, in the order asked for."""
        left = iter(ids)
        asked = deque(self._ask(islice(left, _AT_ONCE)))
        while asked:
            if len(asked) <= _AT_ONCE:  # git reads on while we are busy with what came
                asked += self._ask(islice(left, _AT_ONCE))
            yield self._must(asked.popleft(), kind)

    def _must(self, id_: str, kind: Kind | None) -> Object:
        found = self._answer(id_)
        if found is None:
            raise absent(self.repo, id_)
        if kind and found.kind != kind:
            says = f"{id_[:12]} is a {found.kind}, not a {kind}"
            raise CouldNotVerify(says, hint="git fsck", code="bad-object")
        return found

    def _ask(self, ids: Iterable[str]) -> list[str]:
        asked = list(ids)
        for id_ in asked:
            if not ID.fullmatch(id_):
                raise CouldNotVerify(f"{id_!r} is not the name of an object", code="bad-object")
        try:
            self._asked.write("".join(f"{id_}\n" for id_ in asked).encode())
            self._asked.flush()
        except BrokenPipeError:
            raise self._broken() from None
        self._open += len(asked)
        return asked

    def _answer(self, id_: str) -> Object | None:
        line = self._line()
        self._open -= 1
        if line.endswith(b" missing"):
            return None
        name, _, rest = line.decode("ascii", "replace").partition(" ")
        kind, _, size = rest.partition(" ")
        if name != id_ or not size.isdecimal():
            raise self._broken()
        if int(size) > LARGEST:
            says = f"object {id_[:12]} has {int(size):,} bytes, and at most {LARGEST:,} are read"
            raise CouldNotVerify(says, hint="keep files of that size in Git LFS", code="too-large")
        data = self._take(int(size) + 1)[:-1]
        if digest(cast("Kind", kind), data, like=id_) != id_:
            says = f"what lies under {id_[:12]} is not what that name stands for"
            raise CouldNotVerify(says, hint="git fsck --full", code="forged-object")
        return Object(id_, cast("Kind", kind), data)

    def _line(self) -> bytes:
        while (end := self._seen.find(b"\n")) < 0:
            self._more()
        return self._take(end + 1)[:-1]

    def _take(self, size: int) -> bytes:
        while len(self._seen) < size:
            self._more()
        taken = bytes(memoryview(self._seen)[:size])
        del self._seen[:size]
        return taken

    def _more(self) -> None:
        if not select.select([self._out], [], [], running.SECONDS)[0]:
            raise silent("cat-file")
        part = os.read(self._out, _CHUNK)
        if not part:
            raise self._broken()
        self._seen += part

    def _broken(self) -> CouldNotVerify:
        says = "git cannot read this repository's objects"
        return CouldNotVerify(says, hint="git fsck --full", code="git-failed")


@contextmanager
def reading(repo: Repository) -> Generator[Reader]:
    """One process for any number of objects; a kept one while readers are kept."""
    keep = _KEPT.get(repo)
    if keep is not None:
        with keep.lent() as reader:
            yield reader
        return
    with private(repo) as git_dir, reading_in(git_dir, repo) as reader:
        yield reader


class _Keep:
    """The idle readers of one repository; each is started once and lent to one thread at a time."""

    def __init__(self, repo: Repository) -> None:
        self._repo, self.users = repo, 0
        self._idle: list[Reader] = []
        self._places: tuple[Path, ...] = ()
        self._stack = ExitStack()
        self._lock = threading.Lock()

    @contextmanager
    def lent(self) -> Generator[Reader]:
        """A reader; one that was left in the middle of an answer is not lent again."""
        places = stores(self._repo)
        with self._lock:
            if places != self._places:  # git looks for objects where it was told to at its start
                self._idle, self._places = [], places
            reader = self._idle.pop() if self._idle else None
        if reader is None:
            reader = self._started()
        try:
            yield reader
        finally:
            with self._lock:
                if reader.is_idle and places == self._places:
                    self._idle.append(reader)
                else:
                    reader.end()

    def _started(self) -> Reader:
        with ExitStack() as stack:
            git_dir = stack.enter_context(private(self._repo))
            reader = stack.enter_context(reading_in(git_dir, self._repo))
            with self._lock:
                self._stack.push(stack.pop_all())
        return reader

    def close(self) -> None:
        """End them all."""
        self._stack.close()


_KEPT: dict[Repository, _Keep] = {}
_COUNTING = threading.Lock()


@contextmanager
def keeping(repo: Repository) -> Generator[None]:
    """Keep what reads a repository running until the last who wants that is done."""
    with _COUNTING:
        keep = _KEPT.setdefault(repo, _Keep(repo))
        keep.users += 1
    try:
        yield
    finally:
        with _COUNTING:
            keep.users -= 1
            is_last = not keep.users
            if is_last:
                del _KEPT[repo]
        if is_last:
            keep.close()


@contextmanager
def reading_in(git_dir: Path, repo: Repository) -> Generator[Reader]:
    """The same in a git dir of ours that is there already."""
    with subprocess.Popen(
        command(git_dir, "cat-file", "--batch"),
        env=ENVIRONMENT,
        cwd=git_dir,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield Reader(repo, process)
        finally:
            process.kill()
            with suppress(BrokenPipeError):  # what was asked of a git that died
                cast("IO[bytes]", process.stdin).close()


def digest(kind: Kind, data: bytes, *, like: str) -> str:
    """The name git gives to content, in the hash that another name is in."""
    function = hashlib.sha1 if len(like) == _SHORT else hashlib.sha256
    hashed = function(f"{kind} {len(data)}\0".encode(), usedforsecurity=False)
    hashed.update(data)
    return hashed.hexdigest()


def absent(repo: Repository, id_: str) -> CouldNotVerify:
    """Why an object may be missing, and what fetches it."""
    says = f"object {id_[:12]} is not in this repository"
    if is_partial(repo):
        hint = "git fetch --refetch --no-filter"
        return CouldNotVerify(f"{says}, a partial clone", hint=hint, code="missing-objects")
    if shallow(repo):
        hint = "git fetch --unshallow"
        return CouldNotVerify(f"{says}, a shallow clone", hint=hint, code="shallow")
    return CouldNotVerify(says, hint="git fsck --full", code="missing-objects")


def is_partial(repo: Repository) -> bool:
    """Whether a clone was asked to leave objects out."""
    folder = repo.common / "objects" / "pack"
    return folder.is_dir() and any(folder.glob("*.promisor"))


def shallow(repo: Repository) -> frozenset[str]:
    """The commits whose parents a shallow clone does not have."""
    return frozenset(text_of(repo.common / "shallow").split())
