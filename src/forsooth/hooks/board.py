"""Where a folder's repository keeps our state, which plan its work tree is bound to, how it stands.

Found without git, from its files alone; `now.json` is believed only when it is whole, of a form
known here, and as long as the ledger says. And only a plan counts that this home knows: whoever
records something notes the ledger's head in the user's own state folder, so that a `.git` which
came in an archive, or which another account owns, says nothing and refuses nothing.
"""

from __future__ import annotations

import os
import sys

from forsooth.hooks import ownership
from forsooth.hooks.notation import parsed, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 1
LARGEST = 1 << 20
TRIES = 5
STATE = ".local/state/forsooth"
STATE_FOLDERS = ("forsooth", "forsooth/plans", "forsooth/bound", "forsooth/sessions")
PROGRAMS = ("forsooth", "forsooth-mcp")
OVER = ("done", "dropped")
AT_WORK = ("judging", "sealing.json")  # files that a process at work keeps locked


class Unreadable(Exception):
    """State that is there and cannot be used."""


class Board:
    """One work tree: its top folder, the repository's shared folder, its plan and the answers."""

    def __init__(self, top: str, common: str, tree: str, *, home: str = "") -> None:
        self.top, self.common = top, common
        self.folder = os.path.join(common, "forsooth")
        self._own = os.path.join(home or os.path.expanduser("~"), STATE, _place(common))
        self.plan = _meant(self.folder, tree, self._own)
        self.now: dict[str, Any] = {}
        self.size = 0

    @property
    def place(self) -> str:
        """The folder of the plan."""
        return os.path.join(self.folder, "plans", self.plan)

    def read(self) -> None:
        """Learn how the plan stands; whoever finds it over leaves a mark for the gate."""
        if not self.knows(self.plan):
            raise Unreadable("nothing was recorded in this plan from this home")
        self.now, self.size = _answers(self.place)
        if _is_past(self.now):
            _mark(os.path.join(self.place, "over"))

    def knows(self, plan: str) -> bool:
        """Whether something was recorded in a plan from this home."""
        return _is_known(self._own, plan)

    @property
    def is_awaited(self) -> bool:
        """Whether a judge, or a seal, is at work on the plan in a process of ours."""
        return any(_is_at_work(os.path.join(self.place, name)) for name in AT_WORK)


def _place(common: str) -> str:
    """The name that the user's state folder has for a repository."""
    return sha256(os.fsencode(common))[:16]


def sha256(data: bytes) -> str:
    """The digest of some bytes; hashlib loads OpenSSL, which takes longer than the whole hook."""
    module: Any = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    return str(module.sha256(data).hexdigest())


def _is_known(own: str, plan: str) -> bool:
    return os.path.exists(os.path.join(own, f"{plan}.head"))


def _mark(path: str) -> None:
    try:
        os.close(ownership.open_own(path, os.O_WRONLY | os.O_CREAT))
        os.utime(path)
    except OSError:  # without it the gate only takes longer
        pass


def _is_at_work(path: str) -> bool:
    """Whether a file is locked, and by a program of ours where the kernel tells by whom."""
    import fcntl  # noqa: PLC0415

    try:
        fd = ownership.open_own(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holders = _holders(os.fstat(fd).st_ino)
        return not holders or any(map(_is_ours, holders))
    finally:
        os.close(fd)
    return False


def _holders(inode: int) -> list[str]:
    """The processes that the kernel names as holding a lock on a file; none where it names none."""
    try:
        with open("/proc/locks", encoding="ascii") as file:
            rows = [line.split() for line in file]
    except (OSError, ValueError):
        return []
    held = [row for row in rows if "FLOCK" in row[1:2] and "->" not in row]
    return [row[4] for row in held if row[5].rpartition(":")[2] == str(inode)]


def _is_ours(process: str) -> bool:
    """Whether a process runs forsooth: as a program, or as a module of an interpreter."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = file.read(4096).decode(errors="replace").split("\0")
    except OSError:
        return False
    if "-m" in words[1:4]:
        return words[words.index("-m") + 1].partition(".")[0] == "forsooth"
    return any(word.rpartition("/")[2] in PROGRAMS for word in words[:2])


def find(start: str, *, home: str = "") -> Board | None:
    """The board of the repository a folder is in; none where it is not the user's own."""
    top = os.path.abspath(start)
    while not os.path.exists(os.path.join(top, ".git")):
        parent = os.path.dirname(top)
        if parent == top:
            return None
        top = parent
    entry = os.path.join(top, ".git")
    tree, git = "main", os.path.realpath(entry)
    if not os.path.isdir(entry):
        pointer = read_text(entry)
        if not pointer.startswith("gitdir:"):
            return None
        git = os.path.realpath(os.path.join(top, pointer.removeprefix("gitdir:").strip()))
    common = git
    if shared := read_text(os.path.join(git, "commondir")).strip():
        common = os.path.realpath(os.path.join(git, shared))
        tree = f"linked/{os.path.basename(git)}"
    if not _is_believed(top, entry, git, common):
        return None
    return Board(top, common, tree, home=home)


def _is_believed(top: str, entry: str, git: str, common: str) -> bool:
    """Whether git would take the repository for the user's, and our state in it has no links."""
    state = [os.path.join(common, name) for name in STATE_FOLDERS]
    if ownership.stranger(top, entry, git, common, *state) and not ownership.is_listed(top, git):
        return False
    return not any(map(os.path.islink, state))


def read_text(path: str) -> str:
    """The text of a small file of git's; empty when it cannot be had."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return os.read(fd, 4096).decode()
        finally:
            os.close(fd)
    except (OSError, ValueError):
        return ""


def read_bytes(path: str, most: int) -> bytes:
    """The bytes of a file of our state; more than `most` is an error."""
    fd = ownership.open_own(path, os.O_RDONLY)
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


def _meant(folder: str, tree: str, own: str) -> str:
    """The plan that the command line would mean: named, bound and not over, or the only live one.

    A name that fits none is kept: reading it then says what is wrong.
    """
    plans = os.path.join(folder, "plans")
    if named := _named(os.environ.get("FORSOOTH_PLAN", "")):
        known = _listed(plans, own)
        fitting = [one for one in known if one.startswith(named)]
        return fitting[0] if named not in known and len(fitting) == 1 else named
    known = _listed(plans, own)
    bound = _bound(os.path.join(folder, "bound", tree))
    if bound in known and not _is_over(os.path.join(plans, bound), unread=False):
        return bound
    live = [one for one in known if not _is_over(os.path.join(plans, one), unread=True)]
    if not live:
        return bound if bound in known else ""
    return live[0] if len(live) == 1 else ""


def _bound(path: str) -> str:
    try:
        return _named(read_bytes(path, 4096).decode().strip())
    except (OSError, ValueError, Unreadable):
        return ""


def _listed(folder: str, own: str) -> list[str]:
    """The plans of a repository that this home knows."""
    try:
        return [one for one in os.listdir(folder) if _named(one) and _is_known(own, one)]
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
