"""Writing below one folder and nowhere else.

Each step of a path is opened by itself and no link is ever followed, so whatever lies in the
folder already, nothing is written or removed outside it.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from forsooth.git import paths

_ENTER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_IN_THE_WAY = (errno.ENOTDIR, errno.ELOOP)


class Stamp(NamedTuple):
    """What tells whether a file was touched since."""

    size: int
    modified: int
    changed: int
    inode: int


def stamp(found: os.stat_result) -> Stamp:
    """The stamp of a file as it is now."""
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


class Folder:
    """An open folder, and the chain of folders last entered below it."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._chain: list[tuple[bytes, int]] = []
        self._above = ""

    def write(self, path: str, parts: Iterable[bytes], *, is_executable: bool) -> Stamp:
        """Make a file anew."""
        above, name = self._enter(path)
        file = self._new(above, name, 0o777 if is_executable else 0o666)
        try:
            for part in parts:
                _write_all(file, part)
            return stamp(os.fstat(file))
        finally:
            os.close(file)

    def _new(self, above: int, name: bytes, mode: int) -> int:
        try:
            return os.open(name, _MAKE, mode, dir_fd=above)
        except FileExistsError:
            self._clear(above, name)
            return os.open(name, _MAKE, mode, dir_fd=above)

    def link(self, path: str, target: bytes) -> Stamp:
        """Make a link anew; where it points is its content, and nobody's way."""
        above, name = self._enter(path)
        self._clear(above, name)
        os.symlink(target, name, dir_fd=above)
        return stamp(os.stat(name, dir_fd=above, follow_symlinks=False))

    def make(self, path: str) -> None:
        """Make an empty folder, and the ones above it."""
        self.remove(path)
        above, name = self._enter(path)
        os.mkdir(name, dir_fd=above)

    def remove(self, path: str) -> None:
        """Remove whatever is there, and the folders that this leaves empty."""
        above, name = self._enter(path)
        self._clear(above, name)
        self._leave_empty()

    def close(self) -> None:
        self._leave(0)
        os.close(self._root)

    def _enter(self, path: str) -> tuple[int, bytes]:
        """The open folder a path is in, made where it is not there, and its last part."""
        above, _, name = path.rpartition("/")
        paths.check(name)
        if above != self._above:
            folders = paths.raw(paths.check(above)).split(b"/") if above else []
            pairs = zip(self._chain, folders, strict=False)
            self._leave(sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1], pairs)))
            for part in folders[len(self._chain) :]:
                self._chain.append((part, self._down(part)))
            self._above = above
        return self._here, paths.raw(name)

    @property
    def _here(self) -> int:
        return self._chain[-1][1] if self._chain else self._root

    def _down(self, part: bytes) -> int:
        above = self._here
        try:
            return os.open(part, _ENTER, dir_fd=above)
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno not in _IN_THE_WAY:
                raise
            os.unlink(part, dir_fd=above)
        os.mkdir(part, dir_fd=above)
        return os.open(part, _ENTER, dir_fd=above)

    def _leave(self, depth: int) -> None:
        self._above = "\0"  # nowhere, until the chain is complete again
        while len(self._chain) > depth:
            os.close(self._chain.pop()[1])

    def _leave_empty(self) -> None:
        self._above = "\0"
        while self._chain:
            name, inner = self._chain.pop()
            os.close(inner)
            try:
                os.rmdir(name, dir_fd=self._here)
            except OSError:
                return

    def _clear(self, above: int, name: bytes) -> None:
        try:
            os.unlink(name, dir_fd=above)
        except FileNotFoundError:
            return
        except OSError:  # a folder; systems differ in what they call that
            shutil.rmtree(name, dir_fd=above)


def _write_all(file: int, part: bytes) -> None:
    left = memoryview(part)
    while left:
        left = left[os.write(file, left) :]


@contextmanager
def opened(root: Path) -> Generator[Folder]:
    """A folder to write below; one that is itself a link is refused."""
    folder = Folder(os.open(root, _ENTER))
    try:
        yield folder
    finally:
        folder.close()


def empty(root: Path) -> None:
    """Remove everything in a folder of ours, and keep the folder."""
    unlock(root)
    with os.scandir(os.fsencode(root)) as listed:
        found = list(listed)
    for entry in found:
        discard(entry)


def discard(entry: os.DirEntry[bytes]) -> None:
    """Remove what lies in a folder of ours, also what was locked against that."""
    if not entry.is_dir(follow_symlinks=False):
        os.unlink(entry.path)  # noqa: PTH108
        return
    unlock(entry)
    with os.scandir(entry.path) as listed:
        found = list(listed)
    for below in found:
        discard(below)
    os.rmdir(entry.path)  # noqa: PTH106


def unlock(folder: os.DirEntry[bytes] | Path) -> None:
    """Let the owner into a folder of ours again."""
    mode = folder.stat(follow_symlinks=False).st_mode
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(folder, stat.S_IMODE(mode) | stat.S_IRWXU)  # noqa: PTH101
