"""A small pool of kept checkouts of one repository, each exactly at a tree while it is held.

A held checkout is never moved: under a live overlay that gives a mixed tree. Runs write to a layer
above it; where none can be had, the checkout is put right before anybody sees it again.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git.checkout import checkout, clean
from forsooth.git.dress import dress as put_on
from forsooth.git.lend import REFERENCES, key_of, lend
from forsooth.git.repository import Repository
from forsooth.judge.environment.disk import Part, size_of
from forsooth.judge.openat import remove
from forsooth.judge.sandbox.job import Mount
from forsooth.judge.untouched import Watch

ANEW = "nothing"  # is no tree, so that a checkout from it begins with an empty folder
TOUCHED = "copy-touched"
OBJECTS = "/run/forsooth/objects"  # where a dressed copy looks for git's objects
LENT = "packs"
PACKS = 4  # packs of other commits that are kept


class Copy(NamedTuple):
    """A checkout, and the pack of objects its `.git` needs to see when it has one."""

    path: Path
    lent: tuple[Mount, ...] = ()


class State(NamedTuple):
    """What a checkout is known to be. Written when it is so, removed before it is changed."""

    tree: str
    commit: str = ""
    lent: str = ""


class Copies:
    """The pool in `folder`: at most `most` checkouts, the least recently used is moved next."""

    def __init__(self, repo: Repository, folder: Path, *, most: int = 4) -> None:
        self.repo, self.folder = repo, folder.resolve()
        self.slots = [_Slot(self.folder / str(number)) for number in range(most)]
        self._packs, self._keys = self.folder / LENT, dict[str, str]()
        self._lending = threading.Lock()
        self._watches: dict[Path, Watch] = {}
        self._mine: dict[Path, State] = {}

    @contextmanager
    def at(
        self, tree: str, *, dress: str | None = None, written: bool = False, sure: bool = False
    ) -> Generator[Copy]:
        """Hold a checkout at a tree, dressed with a `.git` at a commit when one is named.

        `written` is for runs that write into the checkout itself. `sure` is for runs that do not:
        the checkout is read before it is used, and one that was changed meanwhile proves nothing.

        1. Take a free one: at this tree if there is one, else the least recently used.
        2. Unless it is known to be untouched, put it right; if that cannot be, begin anew.
        3. Move it by what differs, and dress it.
        4. Only then say what it is; a crash before leaves nobody believing it.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with ExitStack() as stack:
            lent = self._lend(stack, dress) if dress else None
            wanted = State(tree, dress or "", lent.name if lent else "")
            slot = self._take(stack, wanted)
            state = slot.state()
            if sure:
                state = self._proven(slot, state, wanted)
            elif state is None or state != wanted:
                state = self._move(slot, state, wanted)
            if written:
                slot.forget(kept=state)
            else:
                slot.remember(state)
            mounts = (Mount(lent, OBJECTS, root=self._packs),) if lent else ()
            yield Copy(slot.path, mounts)
            if sure and not self._watches[slot.path].is_untouched():
                slot.forget()
                raise _touched()

    def _take(self, stack: ExitStack, wanted: State) -> _Slot:
        def nearness(slot: _Slot) -> tuple[bool, bool, int]:
            state = slot.state() or State("")
            is_same = state.tree == wanted.tree
            return not is_same, not (is_same and state.commit == wanted.commit), slot.used()

        ranked = sorted(self.slots, key=nearness)
        for slot in ranked:
            if slot.lock(stack, wait=False):
                return slot
        ranked[0].lock(stack, wait=True)
        return ranked[0]

    def _proven(self, slot: _Slot, state: State | None, wanted: State) -> State:
        """Bring a checkout to a tree and read it; one that does not hold is made anew once.

        What the disk says of it is a hint: only what this process wrote or read is believed.
        """
        watch = self._watches.setdefault(slot.path, Watch(slot.path))
        mine = self._mine.pop(slot.path, None)
        if mine and mine == wanted and watch.is_untouched():
            self._mine[slot.path] = mine
            return mine
        for anew in (False, True):
            made = self._move(slot, state, wanted, anew=anew)
            if watch.holds(self.repo, wanted.tree, dressed=bool(wanted.commit)):
                self._mine[slot.path] = made
                return made
        slot.forget()
        raise _touched()

    def _move(
        self, slot: _Slot, state: State | None, wanted: State, *, anew: bool = False
    ) -> State:
        """Bring a checkout to a tree, by what differs unless `anew`.

        One of a repository that lay here before has trees that this one does not know.
        """
        try:
            return self._moved(slot, state, wanted, anew=anew)
        except CouldNotVerify:
            if anew:
                raise
            return self._moved(slot, None, wanted, anew=True)

    def _moved(self, slot: _Slot, state: State | None, wanted: State, *, anew: bool) -> State:
        before = slot.before()
        slot.forget()
        is_kept = not anew and slot.path.is_dir()
        if not is_kept or (state is None and not clean(self.repo, slot.path)):
            before = ANEW
        if before != wanted.tree:
            checkout(self.repo, wanted.tree, slot.path, before=before)
        if not wanted.commit:
            remove(slot.path / ".git")
            return wanted
        lent = self._packs / wanted.lent
        put_on(slot.path, self.repo, wanted.commit, lent=lent, mount=OBJECTS)
        return wanted

    def _lend(self, stack: ExitStack, commit: str) -> Path:
        """The pack for a commit, made when it is not there, held until the stack ends.

        A pack is whole once its references lie in it. Others are removed unless a process holds
        them.
        """
        with self._lending:
            if commit not in self._keys:
                self._keys[commit] = key_of(self.repo, commit)
            folder = self._packs / self._keys[commit]
            self._packs.mkdir(exist_ok=True, mode=0o700)
            lock = os.open(_lock_of(folder), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_SH)
            if not (folder / REFERENCES).is_file():
                fcntl.flock(lock, fcntl.LOCK_UN)
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not (folder / REFERENCES).is_file():
                    self._make_pack(commit, folder)
                fcntl.flock(lock, fcntl.LOCK_SH)
            return folder

    def _make_pack(self, commit: str, folder: Path) -> None:
        remove(folder)
        folder.mkdir(mode=0o700)
        lend(self.repo, commit, folder)
        others = [path for path in self._packs.iterdir() if path.is_dir() and path != folder]
        for path in sorted(others, key=lambda one: one.stat().st_mtime, reverse=True)[PACKS:]:
            _remove_pack(path)


def _touched() -> CouldNotVerify:
    says = "somebody changed the judge's copy while it was in use"
    return CouldNotVerify(says, hint="end the programs left running, then ask again", code=TOUCHED)


def _lock_of(pack: Path) -> Path:
    return pack.with_name(f"{pack.name}.lock")


def _remove_pack(path: Path) -> bool:
    """Remove a pack unless a run holds it; others may wait on its lock, so that stays."""
    lock = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (path / REFERENCES).unlink(missing_ok=True)
        remove(path)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def parts(folder: Path) -> Iterator[Part]:
    """The checkouts and packs of a pool, as parts that can go unless a run holds them."""
    packs = folder / LENT
    for path in packs.iterdir() if packs.is_dir() else ():
        if path.is_dir():
            gone = partial(_remove_pack, path)
            yield Part("copies", size_of(path), path.stat().st_mtime, gone)
    for place in folder.iterdir() if folder.is_dir() else ():
        slot = _Slot(place)
        if slot.path.is_dir():
            yield Part("copies", size_of(place), slot.used() / 1e9, slot.removed)


class _Slot:
    """One checkout, its lock, and what is known of it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "copy"
        self._known, self._before = folder / "known", folder / "before"

    def lock(self, stack: ExitStack, *, wait: bool) -> bool:
        """Take the lock until the stack ends; it ends with the process too."""
        self.folder.mkdir(exist_ok=True, mode=0o700)
        fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        stack.callback(os.close, fd)
        return True

    def state(self) -> State | None:
        """What the checkout is, untouched; none when a run wrote in it or a move was cut short."""
        try:
            tree, commit, lent = json.loads(self._known.read_bytes())
            known = State(tree, commit, lent)
        except (OSError, ValueError, TypeError):
            return None
        return known if self.path.is_dir() else None

    def before(self) -> str:
        """The tree it was last moved to."""
        try:
            return self._before.read_text(encoding="ascii")
        except (OSError, ValueError):
            return ""

    def remember(self, state: State) -> None:
        """Say what the checkout is; the file's time is when it was last used."""
        self._before.write_text(state.tree, encoding="ascii")
        fresh = self._known.with_suffix(".new")
        fresh.write_text(json.dumps(state), encoding="utf-8")
        fresh.replace(self._known)

    def forget(self, *, kept: State | None = None) -> None:
        self._known.unlink(missing_ok=True)
        if kept is not None:
            self._before.write_text(kept.tree, encoding="ascii")

    def used(self) -> int:
        """When it was last used; never is longest ago."""
        return self._before.stat().st_mtime_ns if self._before.exists() else 0

    def removed(self) -> bool:
        """Remove it unless it is held."""
        with ExitStack() as stack:
            if not self.lock(stack, wait=False):
                return False
            self.remove()
        return True

    def remove(self) -> None:
        """Remove the checkout and what is known of it; others may wait on the lock, so it stays."""
        self.forget()
        self._before.unlink(missing_ok=True)
        for path in self.folder.iterdir():
            if path.name != "lock":
                remove(path)
