"""Where a folder's repository keeps our state, which plan its work tree is bound to, how it stands.

Found without git, from its files alone; `now.json` is believed only when it is whole, of a form
known here, and as long as the ledger says.
"""

from __future__ import annotations

import os

from forsooth.hooks.notation import parsed, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 1
LARGEST = 1 << 20
TRIES = 5
OVER = ("done", "dropped")
AT_WORK = ("judging", "sealing.json")  # files that a process at work keeps locked


class Unreadable(Exception):
    """State that is there and cannot be used."""


class Board:
    """One work tree: its top folder, the repository's shared folder, its plan and the answers."""

    def __init__(self, top: str, common: str, tree: str) -> None:
        self.top, self.common = top, common
        self.folder = os.path.join(common, "forsooth")
        self.plan = _meant(self.folder, tree)
        self.now: dict[str, Any] = {}
        self.size = 0

    @property
    def place(self) -> str:
        """The folder of the plan."""
        return os.path.join(self.folder, "plans", self.plan)

    def read(self) -> None:
        """Learn how the plan stands; whoever finds it over leaves a mark for the gate."""
        self.now, self.size = _answers(self.place)
        if _is_past(self.now):
            _mark(os.path.join(self.place, "over"))

    @property
    def is_awaited(self) -> bool:
        """Whether a judge, or a seal, is at work on the plan in whatever process."""
        return any(_is_locked(os.path.join(self.place, name)) for name in AT_WORK)


def _mark(path: str) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o600))
        os.utime(path)
    except OSError:  # without it the gate only takes longer
        pass


def _is_locked(path: str) -> bool:
    import fcntl  # noqa: PLC0415

    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def find(start: str) -> Board | None:
    """The board of the repository a folder is in."""
    top = os.path.abspath(start)
    while not os.path.exists(os.path.join(top, ".git")):
        parent = os.path.dirname(top)
        if parent == top:
            return None
        top = parent
    git = os.path.join(top, ".git")
    if os.path.isdir(git):
        return Board(top, os.path.realpath(git), "main")
    pointer = read_text(git)
    if not pointer.startswith("gitdir:"):
        return None
    git = os.path.realpath(os.path.join(top, pointer.removeprefix("gitdir:").strip()))
    shared = read_text(os.path.join(git, "commondir")).strip()
    if not shared:
        return Board(top, git, "main")
    common = os.path.realpath(os.path.join(git, shared))
    return Board(top, common, f"linked/{os.path.basename(git)}")


def read_text(path: str) -> str:
    """A small file's text; empty when it cannot be had."""
    try:
        return read_bytes(path, 4096).decode()
    except (OSError, ValueError):
        return ""


def read_bytes(path: str, most: int) -> bytes:
    """A file's bytes; a pipe is never waited on, and more than `most` is an error."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        data = os.read(fd, most + 1)
    finally:
        os.close(fd)
    if len(data) > most:
        raise Unreadable(f"{os.path.basename(path)} is too large")
    return data


def _named(plan: str) -> str:
    """A plan's name, or nothing where it could lead out of its folder."""
    return plan if plan and os.sep not in plan and not plan.startswith(".") else ""


def _meant(folder: str, tree: str) -> str:
    """The plan that the command line would mean: named, bound and not over, or the only live one.

    A name that fits none is kept: reading it then says what is wrong.
    """
    plans = os.path.join(folder, "plans")
    if named := _named(os.environ.get("FORSOOTH_PLAN", "")):
        known = _listed(plans)
        fitting = [one for one in known if one.startswith(named)]
        return fitting[0] if named not in known and len(fitting) == 1 else named
    bound = _named(read_text(os.path.join(folder, "bound", tree)).strip())
    if bound in _listed(plans) and not _is_over(os.path.join(plans, bound), unread=False):
        return bound
    live = [one for one in _listed(plans) if not _is_over(os.path.join(plans, one), unread=True)]
    if not live:
        return bound
    return live[0] if len(live) == 1 else ""


def _listed(folder: str) -> list[str]:
    try:
        return [one for one in os.listdir(folder) if _named(one)]
    except OSError:
        return []


def _is_over(place: str, *, unread: bool) -> bool:
    """Whether nothing more is asked of a plan, or `unread`; who finds it so leaves the mark."""
    over, now = os.path.join(place, "over"), os.path.join(place, "now.json")
    try:
        if os.path.exists(over) and os.stat(over).st_mtime_ns > os.stat(now).st_mtime_ns:
            return True
        told, _ = _answers(place)
    except (OSError, Unreadable):
        return unread
    if _is_past(told):
        _mark(over)
    return _is_past(told)


def _is_past(told: dict[str, Any]) -> bool:
    return told["status"] in OVER and not told.get("proposal") and not told.get("until")


def _answers(place: str) -> tuple[dict[str, Any], int]:
    """The answers and the ledger's length, from a moment at which they belong together."""
    problem = "now.json is not of this moment"
    for _ in range(TRIES):
        try:
            size = os.stat(os.path.join(place, "ledger.jsonl")).st_size
            told = table(parsed(read_bytes(os.path.join(place, "now.json"), LARGEST)))
        except ValueError:
            problem = "now.json is not JSON"
            continue
        except OSError as error:
            raise Unreadable(f"now.json: {error.strerror}") from error
        if told.get("v") != FORMAT:
            raise Unreadable("now.json is of another version")
        if size == told.get("size") == told.get("end") and isinstance(told.get("status"), str):
            return told, size
    raise Unreadable(problem)
