"""What was changed for the user, kept so that it can be taken back byte for byte.

The record lies in the user's own state and is written before the change it tells of. A file that
somebody has edited since is never overwritten: it is named, or only our own lines are taken out.
"""

from __future__ import annotations

import base64
import json
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from forsooth.core.canonical import digest
from forsooth.errors import CouldNotVerify
from forsooth.git.remotes import without_fetch

LOCK = ".lock"  # what git looks for beside a file that it is about to change


class Held(NamedTuple):
    """A file's bytes and mode; none of either when there is no file."""

    data: bytes | None = None
    mode: int | None = None


class Kept(NamedTuple):
    """One changed file: what it was, the digest of what it became, and the lines that are ours."""

    path: Path
    before: Held
    after: str
    fetches: tuple[str, ...] = ()


class Undone(NamedTuple):
    """What a file is to be again, or that somebody edited it since."""

    held: Held
    is_edited: bool = False


def held(path: Path) -> Held:
    """A plain file as it is now; a link or a folder in its place is an error."""
    try:
        seen = path.lstat()
    except FileNotFoundError:
        return Held()
    if not stat.S_ISREG(seen.st_mode):
        raise CouldNotVerify(f"{path} is not a plain file", code="not-a-file")
    return Held(path.read_bytes(), stat.S_IMODE(seen.st_mode))


def undone(kept: Kept) -> Undone:
    """What undoing makes of a file.

    1. Untouched since, or already as before: what it was. 2. With lines of ours: without them.
    3. Otherwise it is somebody's work, and stays.
    """
    now = held(kept.path)
    if now.data is None or now.data == kept.before.data:
        return Undone(now)
    if digest(now.data) == kept.after:
        return Undone(kept.before)
    if kept.fetches:
        data = now.data
        for refspec in kept.fetches:
            data = without_fetch(data, refspec)
        return Undone(Held(data, now.mode))
    return Undone(now, is_edited=True)


def put(path: Path, want: Held) -> None:
    """Make a file what it shall be, whole or not at all, under the lock that git respects."""
    if want.data is None:
        path.unlink(missing_ok=True)
        return
    lock = path.with_name(f"{path.name}{LOCK}")
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        says = f"{path} is being changed by somebody else"
        raise CouldNotVerify(says, hint=f"rm {lock}, if nobody is", code="locked") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(want.data)
            os.fchmod(file.fileno(), 0o644 if want.mode is None else want.mode)
        lock.replace(path)
    except BaseException:
        lock.unlink(missing_ok=True)
        raise


def read(record: Path) -> tuple[Kept, ...]:
    """What was recorded; nothing when there is no record."""
    with suppress(FileNotFoundError):
        try:
            return tuple(_kept(row) for row in json.loads(record.read_bytes())["files"])
        except (ValueError, KeyError, TypeError):
            says = f"{record} is not what init wrote"
            raise CouldNotVerify(says, hint=f"rm {record}", code="bad-record") from None
    return ()


def write(record: Path, rows: Iterable[Kept], *, root: Path) -> None:
    """Keep a record, for its owner's eyes only: a configuration may hold passwords."""
    record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    body = json.dumps({"root": str(root), "files": [_plain(row) for row in rows]}, indent=1)
    put(record, Held(f"{body}\n".encode(), 0o600))


def _plain(row: Kept) -> dict[str, object]:
    data = row.before.data
    return {
        "path": str(row.path),
        "before": None if data is None else base64.b64encode(data).decode(),
        "mode": row.before.mode,
        "after": row.after,
        "fetches": row.fetches,
    }


def _kept(row: dict[str, object]) -> Kept:
    before, mode = row["before"], row["mode"]
    data = base64.b64decode(before) if isinstance(before, str) else None
    fetches = row["fetches"]
    if not isinstance(fetches, list) or not isinstance(mode, int | None):
        raise TypeError
    lines = tuple(str(one) for one in fetches)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return Kept(Path(str(row["path"])), Held(data, mode), str(row["after"]), lines)
