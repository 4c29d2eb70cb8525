"""Whose files are believed: the owner rule of git's `safe.directory`, and no links in our state.

A `.git` that another account owns, in whatever folder above, is no repository to us, as it is none
to git, unless the user's own git settings list it under `safe.directory`. Every file of our state
is opened here: it must be a regular file of such an owner, and it is never reached through a link,
so that state that another account made cannot have a file of the user's read or written.

Settings are read from the user's and the machine's git files alone; what those include is not.
"""

from __future__ import annotations

import errno
import os
import stat

EVERYTHING = "*"


def owners() -> set[int]:
    """The accounts whose repositories count: this one, and under sudo the one that called it."""
    own, caller = os.geteuid(), os.environ.get("SUDO_UID", "")
    return {own, int(caller)} if own == 0 and caller.isdecimal() else {own}


def stranger(*paths: str) -> str:
    """The first of some paths that another account owns; empty when there is none."""
    known = owners()
    for path in paths:
        try:
            if os.lstat(path).st_uid not in known:
                return path
        except OSError:
            continue
    return ""


def is_listed(*folders: str) -> bool:
    """Whether the user's own git settings call one of some folders safe."""
    for listed in reversed(_safe_directories()):
        if not listed:  # an empty value forgets what stands before it
            return False
        prefix = listed[:-1] if listed.endswith("/*") else ""
        for folder in folders:
            if listed in (EVERYTHING, folder) or (prefix and folder.startswith(prefix)):
                return True
    return False


def _safe_directories() -> list[str]:
    home = os.path.expanduser("~")
    own = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    files = ("/etc/gitconfig", os.path.join(own, "git/config"), os.path.join(home, ".gitconfig"))
    found: list[str] = []
    for path in files:
        section = ""
        for line in _lines(path):
            name, is_set, value = line.strip().partition("=")
            if name.startswith("["):
                section = name.strip("[]").strip().lower()
            elif section == "safe" and is_set and name.strip().lower() == "directory":
                told = value.strip().strip('"')
                found.append(home + told[1:] if told.startswith("~/") else told)
    return found


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(1 << 20).split("\n")
    except OSError:
        return []


def open_own(path: str, flags: int) -> int:
    """Open a file of our state: no link, a regular file, of an owner that counts.

    The owner of the folder counts as well: its repository was found safe before anything in it is
    opened.
    """
    given = flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    fd = os.open(path, given, 0o600)
    seen = os.fstat(fd)
    if stat.S_ISREG(seen.st_mode) and _counts(seen.st_uid, path):
        return fd
    os.close(fd)
    raise OSError(errno.EINVAL, "not a regular file of this account", path)


def _counts(owner: int, path: str) -> bool:
    if owner == os.geteuid():  # nearly always, and asked for every file
        return True
    return owner in owners() or owner == os.lstat(os.path.dirname(path)).st_uid


def linked(*folders: str) -> str:
    """A link among some folders or right inside one of them; empty when there is none."""
    for folder in folders:
        try:
            if stat.S_ISLNK(os.lstat(folder).st_mode):
                return folder
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        return entry.path
        except OSError:
            continue
    return ""
