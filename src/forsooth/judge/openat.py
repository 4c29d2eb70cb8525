"""Opening, reading, writing and removing below a folder of ours, whoever filled that folder.

Judged code writes into some folders of the judge: the outcome of a build, a layer that is being
prepared, what a run leaves behind. A path into such a folder is a claim. A link at its end, or in
the place of any folder on the way, leads the judge out to files that only the judge may read. A
check before use does not help, because the link may appear after it.

So a path is walked once, by the kernel, from a descriptor of a folder that we own: `openat2` with
RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS answers with a descriptor of exactly what lies there, or
not at all. Where the kernel lacks it, or a container forbids it, each part is opened by itself
from the descriptor of the part above. From then on the descriptor is used, never the path.

What this does not see: a hard link is the file itself. Judged code can make one only to a file of
the same mount, so it gains nothing. Who may rename folders of the judge's own cache can put other
folders there, but then that account could read them anyway.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path, PurePosixPath

_OPENAT2 = 437  # the same number on every architecture
_NO_SYMLINKS, _BENEATH = 0x04, 0x08
_WITHOUT = (errno.ENOSYS, errno.EPERM)  # an old kernel; a container that forbids what it is new to
_PATH = getattr(os, "O_PATH", os.O_RDONLY)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_AGAIN = 8  # times the kernel is asked again when folders are renamed meanwhile
_CHUNK = 1 << 20


def open_path(path: Path, *, root: Path | None = None, flags: int = _PATH) -> int:
    """A descriptor of what lies at a path, reached through no link.

    With a root, the path must lie below it. The path of the root may have no link in it either:
    resolve it where it is chosen. Whatever is a link, or is not there, is an OSError.
    """
    with ExitStack() as stack:
        at, inner = None, path
        if root is not None:
            at = _open(None, str(root), _PATH | os.O_DIRECTORY)
            stack.callback(os.close, at)
            if not path.is_relative_to(root):
                raise OSError(errno.EXDEV, f"does not lie in {root}", str(path))
            inner = path.relative_to(root)
        if ".." in inner.parts:
            raise OSError(errno.EXDEV, "leads out of its folder", str(path))
        return _open(at, str(inner), flags)


def _open(at: int | None, path: str, flags: int) -> int:
    flags |= os.O_CLOEXEC
    resolve = _NO_SYMLINKS if at is None else _NO_SYMLINKS | _BENEATH
    number = _openat2(-1 if at is None else at, os.fsencode(path), flags, resolve)
    if number >= 0:
        return number
    if -number in _WITHOUT:
        return _walk(at, path, flags)
    raise OSError(-number, os.strerror(-number), path)


def _openat2(at: int, path: bytes, flags: int, resolve: int) -> int:
    """The descriptor, or the number of the error below zero."""
    call = _system_call()
    if call is None:
        return -errno.ENOSYS
    how = struct.pack("<QQQ", flags, 0, resolve)
    for _ in range(_AGAIN):
        number = call(_OPENAT2, at, path, how, len(how))
        if number >= 0:
            return number
        if ctypes.get_errno() != errno.EAGAIN:
            break
    return -ctypes.get_errno()


@cache
def _system_call() -> Callable[..., int] | None:
    if not hasattr(os, "O_PATH"):
        return None
    return ctypes.CDLL(None, use_errno=True).syscall


def _walk(at: int | None, path: str, flags: int) -> int:
    """The same, one part at a time: each is opened from the one above, and none is a link."""
    parts = [part for part in PurePosixPath(path).parts if part != "/"]
    here = os.open("/", _PATH) if at is None else os.dup(at)
    for depth, part in enumerate(parts, start=1):
        wanted = flags if depth == len(parts) else _PATH | os.O_DIRECTORY
        try:
            below = os.open(part, wanted | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        finally:
            os.close(here)
        if stat.S_ISLNK(os.fstat(below).st_mode):
            os.close(below)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        here = below
    return here


def read_file(root: Path, name: str, *, most: int) -> bytes | None:
    """The content of a plain file of at most so many bytes below a folder; none otherwise."""
    with suppress(OSError):
        number = open_path(root / name, root=root, flags=os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(number, "rb") as file:
            if stat.S_ISREG(os.fstat(number).st_mode):
                data = file.read(most + 1)
                return data if len(data) <= most else None
    return None


def write_file(root: Path, name: str, data: bytes) -> None:
    """Write a file below a folder in the place of whatever lies there, never through it."""
    above, last = os.path.split(name)
    with open_folder(root, above) as folder:
        with suppress(FileNotFoundError):
            os.unlink(last, dir_fd=folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(last, flags, 0o644, dir_fd=folder), "wb") as file:
            file.write(data)


@contextmanager
def open_folder(root: Path, inner: str = "") -> Generator[int]:
    """A folder below a root, to be listed and used by its descriptor; an OSError where none is."""
    number = open_path(root / inner, root=root, flags=os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield number
    finally:
        os.close(number)


@contextmanager
def temporary_folder(prefix: str) -> Generator[Path]:
    """A new folder, gone at the end however deep judged code filled it."""
    folder = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
    try:
        yield folder
    finally:
        remove(folder)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all that is in it, whatever their modes.

    Nothing is followed: a link is removed, not what it leads to, and rights are changed of folders
    that are open, never by name. A folder inside a folder is moved up first, so that no depth is
    too much. What cannot be removed is an OSError.
    """
    with suppress(FileNotFoundError), _opened(path.parent.resolve()) as above:
        if not stat.S_ISDIR(os.lstat(path.name, dir_fd=above).st_mode):
            os.unlink(path.name, dir_fd=above)
            return
        with _unlocked(path.name, above) as top:
            waiting = _emptied(top)
            while waiting:
                name = waiting.pop()
                with _unlocked(name, top) as folder:
                    for inner in _emptied(folder):
                        waiting.append(os.urandom(16).hex())
                        with _unlocked(inner, folder):
                            os.rename(inner, waiting[-1], src_dir_fd=folder, dst_dir_fd=top)
                os.rmdir(name, dir_fd=top)
        os.rmdir(path.name, dir_fd=above)


def _emptied(folder: int) -> list[str]:
    """Remove what is no folder from an open folder; the names of the folders in it."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in found if is_folder]


@contextmanager
def _opened(path: Path) -> Generator[int]:
    number = os.open(path, _FOLDER)
    try:
        yield number
    finally:
        os.close(number)


@contextmanager
def _unlocked(name: str, above: int) -> Generator[int]:
    """A folder of an open folder, itself opened, with the rights that its removal needs."""
    if hasattr(os, "O_PATH"):
        held = os.open(name, _PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
        try:
            Path(f"/proc/self/fd/{held}").chmod(0o700)
        finally:
            os.close(held)
    else:  # pragma: no cover
        os.chmod(name, 0o700, dir_fd=above, follow_symlinks=False)
    number = os.open(name, _FOLDER, dir_fd=above)
    try:
        yield number
    finally:
        os.close(number)
