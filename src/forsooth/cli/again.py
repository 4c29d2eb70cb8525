"""A look told again before anything is loaded: the same question where nothing changed since.

Only stamps are believed: of each file and folder of the work tree, of ledger, references and
programs. Where one differs, or is too new to tell, the judge is asked as ever. Feedback only.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FOLDER = ".cache/forsooth/again"
MOST, LARGEST = 64, 50_000
SETTINGS = ("HOME", "PATH", "VIRTUAL_ENV", "LANG", "LC_ALL", "LC_CTYPE", "PYTHONIOENCODING")
SECOND = 1_000_000_000
# A change within one tick of the clock may leave a stamp as it was; some disks tick in seconds.
TICK, SLOW_TICK = SECOND // 10, 2 * SECOND

Row = tuple[str, tuple[int, ...]]


class Unclear(Exception):
    """Stamps do not tell here, and the long way is taken."""


def told(words: list[str]) -> int | None:
    """Answer `check` with these words as it was answered last; none where that cannot be known."""
    named = [word for word in words if word != "--json"]
    if len(named) > 1 or any(word.startswith("-") for word in named) or _is_seen():
        return None
    try:
        with open(_path(named[0] if named else "", as_json=named != words), "rb") as file:
            kept = json.load(file)
        if _digest(kept["root"], kept["left"], kept["others"])[0] != kept["seen"]:
            return None
        sys.stderr.write(kept["err"])
        sys.stdout.write(kept["out"])
        sys.stdout.flush()
    except (OSError, ValueError, KeyError, TypeError, Unclear):
        return None
    return kept["exit"]


def keep(
    subject: str,
    *,
    as_json: bool,
    root: str,
    left: Iterable[str],
    others: Iterable[str],
    still: Iterable[str],
    since: int,
    answer: tuple[str, str, int],
    is_last: Callable[[], bool],
) -> None:
    """Keep an answer that was reached since a moment, in nanoseconds.

    `left` are folders of the work tree that git ignores; `others` are files outside of it that the
    answer rests on, and folders with a slash at the end. What changed about or after that moment
    may have been seen either way, but for `still`, of which `is_last` says whether it was.
    """
    if _is_seen():
        return
    listed, rests = sorted(left), sorted(others)
    try:
        newest = _digest(root, listed, rests)[1]
        if newest >= since - (TICK if newest % SECOND else SLOW_TICK):
            return
        rests += sorted(still)
        seen = _digest(root, listed, rests)[0]
        if not is_last():
            return
        rows = {"root": root, "left": listed, "others": rests, "seen": seen}
        out, err, code = answer
        _write(_path(subject, as_json=as_json), {**rows, "out": out, "err": err, "exit": code})
    except (OSError, Unclear):
        return


def _is_seen() -> bool:
    """Whether a person looks: colour and width are then the screen's."""
    return sys.stdout.isatty() or sys.stderr.isatty()


def _path(subject: str, *, as_json: bool) -> str:
    """Where the answer to one question is kept: who asks, where, and with which settings."""
    from forsooth import __version__

    mine = {name: value for name, value in os.environ.items() if name.startswith("FORSOOTH_")}
    mine |= {name: os.environ.get(name, "") for name in SETTINGS}
    about = [__version__, subject, as_json, os.getcwd(), sorted(mine.items())]
    name = hashlib.sha256(json.dumps(about).encode()).hexdigest()
    return os.path.join(os.path.expanduser("~"), FOLDER, name)


def _write(path: str, rows: dict[str, object]) -> None:
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    fresh = f"{path}.{os.getpid()}"
    with open(fresh, "w", encoding="utf-8") as file:
        json.dump(rows, file)
    os.replace(fresh, path)
    with os.scandir(folder) as listed:
        for entry in sorted(listed, key=lambda one: one.stat().st_mtime_ns)[:-MOST]:
            os.unlink(entry.path)


def _digest(root: str, left: Iterable[str], others: Iterable[str]) -> tuple[str, int]:
    """One digest of all stamps, and the newest of them."""
    rows = [*_walked(root, frozenset(left))]
    for path in others:
        rows += _walked(path, frozenset()) if path.endswith("/") else [_stamped(path)]
    newest = max(row[1][3] for row in rows)
    return hashlib.sha256(repr(rows).encode()).hexdigest(), newest


def _stamped(path: str) -> Row:
    try:
        return path, _stamp(os.stat(path))
    except FileNotFoundError:
        return path, (0, 0, 0, 0)


def _stamp(seen: os.stat_result) -> tuple[int, ...]:
    return (seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)


def _walked(root: str, left: frozenset[str]) -> Iterator[Row]:
    """Every file and folder below a root, but for its own `.git` and what git ignores."""
    yield root, _stamp(os.lstat(root))
    folders, many = [""], 0
    while folders:
        prefix = folders.pop()
        with os.scandir(os.path.join(root, prefix)) as listed:
            rows = sorted(listed, key=lambda one: one.name)
        many += len(rows)
        if many > LARGEST:
            raise Unclear
        for entry in rows:
            path = prefix + entry.name
            if entry.name == ".git":
                if prefix:  # a repository in this one has a state of its own
                    raise Unclear
                continue
            if entry.is_dir(follow_symlinks=False):
                if f"{path}/" in left:
                    continue
                folders.append(f"{path}/")
            yield path, _stamp(entry.stat(follow_symlinks=False))
