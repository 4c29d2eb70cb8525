"""What is known of one session of an agent: armed or not, its holds, and whether it was let go.

One small file a session under the repository's shared folder, replaced whole under one lock. A
session without a usable name has none, and is never held.
"""

from __future__ import annotations

import os
import time

from forsooth.hooks.board import Unreadable, read_bytes
from forsooth.hooks.notation import parsed, written
from forsooth.hooks.ownership import open_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, TypeVar

    T = TypeVar("T")

FORMAT = 1
LARGEST = 1 << 16
LONGEST_NAME = 128
DAYS = 30
TRIES, BRIEF, SECONDS = 40, 4, 0.025
LOCK = ".lock"
TYPED = "a person typed stop"
STOPPED = "the plan was stopped"


class Session:
    """The state of one session, and its form on disk."""

    __slots__ = (
        "armed",
        "disabled",
        "holdable",
        "holds",
        "host",
        "last",
        "plan",
        "reason",
        "row",
        "seen",
        "shown",
        "why",
    )

    def __init__(self, host: str = "") -> None:
        self.host, self.plan = host, ""
        self.armed, self.holds, self.last = False, 0, ""
        self.disabled, self.why = False, ""
        self.holdable, self.row, self.reason = False, 0, ""
        self.shown = ""  # the salt in the name of what the person was shown last
        self.seen: list[int] = []  # the ledger's length and the calls made, at the last hold

    def arm(self, plan: str, *, by_person: bool) -> None:
        """Hold this session to a plan; what a person stopped by typing, only a person arms."""
        if self.disabled and self.why == TYPED and not by_person:
            return
        self.armed, self.holdable, self.plan = True, True, plan
        self.disabled, self.why = False, ""
        if by_person:
            self.row, self.seen = 0, []

    def release(self, why: str) -> None:
        """Hold it no longer."""
        self.armed, self.holdable, self.disabled, self.why = False, False, True, why

    def talk(self) -> None:
        """A person spoke: what follows is a conversation."""
        self.holdable, self.row, self.reason = False, 0, ""

    def in_a_row(self, seen: list[int]) -> int:
        """Holds in a row: whatever is recorded in the ledger begins a new one."""
        return self.row if self.seen[:1] == seen[:1] else 0

    def held(self, reason: str, at: str, seen: list[int]) -> None:
        """Count one more hold."""
        self.holds, self.row = self.holds + 1, self.in_a_row(seen) + 1
        self.last, self.reason, self.seen = at, reason, seen

    def plain(self) -> dict[str, Any]:
        return {
            "v": FORMAT,
            "host": self.host,
            "plan": self.plan,
            "shown": self.shown,
            "ulw": {"enabled": self.armed, "stopBlocks": self.holds, "lastStopAt": self.last},
            "stopContinuation": {"disabled": self.disabled, "disabledReason": self.why},
            "turn": {
                "holdable": self.holdable,
                "row": self.row,
                "reason": self.reason,
                "seen": self.seen,
            },
        }


def understood(data: bytes) -> Session:
    """A session from its file."""
    try:
        told: dict[str, Any] = parsed(data)
        if told["v"] != FORMAT:
            raise Unreadable("the session is of another version")
        one = Session(_is(str, told["host"]))
        one.plan, one.shown = _is(str, told["plan"]), _is(str, told.get("shown", ""))
        mode, off, turn = told["ulw"], told["stopContinuation"], told["turn"]
        one.armed, one.holds = _is(bool, mode["enabled"]), _is(int, mode["stopBlocks"])
        one.last = _is(str, mode["lastStopAt"])
        one.disabled, one.why = _is(bool, off["disabled"]), _is(str, off["disabledReason"])
        one.holdable, one.row = _is(bool, turn["holdable"]), _is(int, turn["row"])
        one.reason = _is(str, turn["reason"])
        size, calls = turn["seen"] or (-1, -1)
        one.seen = [_is(int, size), _is(int, calls)] if turn["seen"] else []
    except (ValueError, TypeError, KeyError) as error:
        raise Unreadable("the session's file is damaged") from error
    return one


def _is(kind: type[T], value: object) -> T:
    if not isinstance(value, kind):
        raise TypeError(kind.__name__)
    return value


class Sessions:
    """The sessions of a repository; a person's word, which is `urgent`, can do without the lock."""

    def __init__(self, folder: str, *, urgent: bool = False) -> None:
        self.folder = os.path.join(folder, "sessions")
        self.urgent = urgent
        self._lock = -1

    def __enter__(self) -> Self:
        """Take the lock, or give up soon: nobody waits for long on somebody else's hook."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        path = os.path.join(self.folder, LOCK)
        self._lock = open_own(path, os.O_RDWR | os.O_CREAT)
        for _ in range(BRIEF if self.urgent else TRIES):
            if _is_free(self._lock):
                return self
        if self.urgent:
            return self
        os.close(self._lock)
        raise Unreadable("the sessions are locked")

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def path(self, name: str, suffix: str = ".json") -> str:
        return os.path.join(self.folder, name + suffix)

    def load(self, name: str) -> Session | None:
        """A session; none when nothing is known of it."""
        if not is_name(name):
            return None
        try:
            return understood(read_bytes(self.path(name), LARGEST))
        except FileNotFoundError:
            return None

    def save(self, name: str, session: Session) -> None:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.replace(self.path(name), session.plain())

    def replace(self, path: str, told: dict[str, Any]) -> None:
        """Put a small file in place, whole or not at all, for its owner alone."""
        fresh = f"{path}.{os.getpid()}.new"
        fd = open_own(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(fd, written(told).encode())
        finally:
            os.close(fd)
        os.replace(fresh, path)

    def touch(self, name: str) -> None:
        """Count one call of a tool; a byte a call needs no lock."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        fd = open_own(self.path(name, ".calls"), flags)
        try:
            os.write(fd, b".")
        finally:
            os.close(fd)

    def calls(self, name: str) -> int:
        """How many calls of tools were seen."""
        try:
            return os.lstat(self.path(name, ".calls")).st_size
        except OSError:
            return 0

    def release(self, plan: str) -> None:
        """Let every session go that is held to a plan; one that cannot be read is not held."""
        with self:
            for entry in os.listdir(self.folder):
                name = entry.removesuffix(".json")
                if name == entry or not is_name(name):
                    continue
                try:
                    one = self.load(name)
                except (OSError, Unreadable):
                    continue
                if one and one.armed and one.plan in (plan, ""):
                    one.release(STOPPED)
                    self.save(name, one)

    def tidy(self, now: float) -> None:
        """Forget sessions nobody has come back to."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        for entry in os.scandir(self.folder):
            if entry.name != LOCK:
                _forget(entry, now - DAYS * 86400)


def _forget(entry: os.DirEntry[str], before: float) -> None:
    """Remove a file of that age; another session may have done so by now."""
    try:
        if entry.is_file(follow_symlinks=False) and entry.stat().st_mtime < before:
            os.unlink(entry.path)
    except FileNotFoundError:
        pass


def _is_free(lock: int) -> bool:
    """Take a lock; where it is taken, wait a moment and say so."""
    import fcntl  # noqa: PLC0415

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        import select  # noqa: PLC0415

        select.select([], [], [], SECONDS)
        return False
    return True


def is_name(name: str) -> bool:
    """Whether a session's id can be a file's name, and is one at all."""
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    return bool(plain.isascii() and plain.isalnum() and name[0].isalnum()) and (
        len(name) <= LONGEST_NAME
    )


def instant(now: float) -> str:
    """A time as text that sorts as times do."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1e6):06d}Z"
