"""One try at taking a work tree, in one git dir of ours.

Conversions that the tree's own attributes ask for are made as `git add` makes them, except those
that would run a program; large files are replaced by their pointers without one. Nothing here asks
git about a submodule: it would start another git in there, under that repository's settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git import lfs, paths
from forsooth.git.index import Tracked, borrow, flag, is_sparse, nul
from forsooth.git.reader import reading_in
from forsooth.git.references import head
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import asked, is_sha256, run
from forsooth.git.submodules import submodule
from forsooth.git.trees import SUBMODULE, differences
from forsooth.git.worktree import Look, look

_LINES = {False: 40, True: 64}
_ATTRIBUTES = ".gitattributes"


class Taken(NamedTuple):
    """A tree, how it differs from the commit, and what was left."""

    tree: str
    dirty: tuple[str, ...]
    left: tuple[str, ...]
    submodules: tuple[str, ...]


class Taking:
    """The copied index on its way to what lies in the work tree."""

    def __init__(self, repo: Repository, git_dir: Path, *, tree: str | None, is_kept: bool) -> None:
        self._repo, self._git_dir, self._tree, self._is_kept = repo, git_dir, tree, is_kept
        self._env = {"GIT_WORK_TREE": str(repo.root)}
        self._nothing = "0" * _LINES[is_sha256(repo)]

    def take(self, fence: Callable[[str], bool]) -> Taken | None:
        """Take the work tree once.

        1. See what is tracked, what is not, and how it lies there.
        2. Bring the copied index to what lies there.
        3. Look again: none when anything moved meanwhile.
        4. Write the tree and say how it differs.
        """
        rows = self._present(borrow(self._repo, self._git_dir, self._tree))
        untracked = self._untracked()
        names = [row.path for row in rows] + untracked
        seen = look(self._repo.root, names)
        admitted = {name for name in untracked if name in seen.files and fence(name)}
        failure = self._update(rows, admitted, seen)
        if look(self._repo.root, names) != seen:
            return None
        if failure:
            raise CouldNotVerify(
                f"git update-index: {failure}", hint="git status", code="unreadable"
            )
        tree = asked(self._git_dir, "write-tree", "--missing-ok").decode().strip()
        modules = tuple(row.path for row in rows if _is_module(row, seen))
        return Taken(tree, self._dirty(tree), tuple({*untracked} - admitted), modules)

    def _present(self, tracked: Iterable[Tracked]) -> list[Tracked]:
        """What is tracked here; what a sparse checkout leaves out stays as it is recorded."""
        rows = list(tracked)
        flag(self._git_dir, "--no-assume-unchanged", (r.path for r in rows if r.is_assumed))
        skipped = [row.path for row in rows if row.is_skipped] if is_sparse(self._repo) else []
        found = look(self._repo.root, skipped).files
        flag(self._git_dir, "--no-skip-worktree", found)
        return [row for row in rows if not row.is_skipped or row.path in found]

    def _untracked(self) -> list[str]:
        """Files that are neither tracked nor ignored; a repository inside this one ends in /."""
        argv = ["ls-files", "-z", "--others", "--exclude-standard"]
        listed = asked(self._git_dir, *argv, env=self._env).split(b"\0")[:-1]
        return [paths.text(name) for name in listed]

    def _update(self, rows: list[Tracked], admitted: Iterable[str], seen: Look) -> str:
        """Bring the index to what was seen; what git could not read is said."""
        told = [self._module(row) for row in rows if _is_module(row, seen)]
        gone = [r.path for r in rows if r.path not in seen.files and not _is_module(r, seen)]
        told += [f"0 {self._nothing}\t{path}" for path in gone]
        listed = {*admitted, *(row.path for row in rows if row.path in seen.files)}
        large = self._large(listed, seen)
        self._inform([*told, *self._pointers(large, seen)])
        argv = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]
        done = run(self._git_dir, *argv, given=nul(sorted(listed - large)), env=self._env)
        return " ".join(done.stderr.decode("utf-8", "replace").split()) if done.returncode else ""

    def _module(self, row: Tracked) -> str:
        """A submodule stands at its own HEAD; one nobody initialised where it stood."""
        module = submodule(self._repo, row.path)
        commit = head(module) if module and module.root.is_dir() else None
        return f"{SUBMODULE} {commit or row.id} 0\t{row.path}"

    def _inform(self, lines: Iterable[str]) -> None:
        given = nul(lines)
        if given:
            asked(self._git_dir, "update-index", "-z", "--index-info", given=given)

    def _large(self, listed: Iterable[str], seen: Look) -> set[str]:
        """Files kept in large-file storage, unless a pointer lies there in their place."""
        attributes = (path for path in listed if path.rpartition("/")[2] == _ATTRIBUTES)
        if not any(b"lfs" in bytes_of(self._repo.root / path) for path in attributes):
            return set()
        files = [path for path in listed if not seen.files[path].is_link]
        governed = lfs.governed_in(self._git_dir, files, env=self._env)
        return {path for path in governed if not self._is_pointer(path, seen)}

    def _is_pointer(self, path: str, seen: Look) -> bool:
        is_small = seen.files[path].stamp.size <= lfs.LONGEST
        return is_small and lfs.pointer(bytes_of(self._repo.root / path)) is not None

    def _pointers(self, large: set[str], seen: Look) -> Iterable[str]:
        """The index lines of large files that are new or were touched."""
        if not large:
            return
        argv = ["ls-files", "-z", "--modified", "--others"]
        listed = asked(self._git_dir, *argv, env=self._env).split(b"\0")
        for path in sorted(large & {paths.text(name) for name in listed}):
            found = lfs.stored(self._repo, path, is_kept=self._is_kept)
            argv = ["hash-object", "-w", "--no-filters", "--stdin"]
            id_ = asked(self._git_dir, *argv, given=found.data).decode().strip()
            yield f"{seen.files[path].git_mode} {id_} 0\t{path}"

    def _dirty(self, tree: str) -> tuple[str, ...]:
        with reading_in(self._git_dir, self._repo) as reader:
            return tuple(change.path for change in differences(reader, self._tree, tree))


def _is_module(row: Tracked, seen: Look) -> bool:
    return row.mode == SUBMODULE and row.path in seen.folders
