"""One try at taking a work tree, in one git dir of ours.

Conversions that the tree's own attributes ask for are made as `git add` makes them, except those
that would run a program; large files are replaced by their pointers without one. Nothing here asks
git about a submodule: it would start another git in there, under that repository's settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git import lfs
from forsooth.git.index import borrow, flag, inform, is_sparse, nul
from forsooth.git.paths import text
from forsooth.git.reader import reading_in
from forsooth.git.references import head
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import asked, is_sha256, run
from forsooth.git.submodules import submodule
from forsooth.git.trees import SUBMODULE, differences
from forsooth.git.worktree import Look, look, unreachable

_DIGITS = {False: 40, True: 64}
_ATTRIBUTES = ".gitattributes"


class Taken(NamedTuple):
    """A tree, how it differs from the commit, what was left, and the submodules that are there."""

    tree: str
    dirty: tuple[str, ...]
    left: tuple[str, ...]
    submodules: tuple[str, ...]


class Taking:
    """The copied index on its way to what lies in the work tree."""

    def __init__(self, repo: Repository, git_dir: Path, *, tree: str | None, is_kept: bool) -> None:
        self._repo, self._git_dir, self._tree, self._is_kept = repo, git_dir, tree, is_kept
        self._env = {"GIT_WORK_TREE": str(repo.root)}
        self._tracked = borrow(repo, git_dir, tree)
        self._modules = {p: row for p, row in self._tracked.items() if f" {SUBMODULE} " in row}

    def take(self, fence: Callable[[str], bool]) -> Taken | None:
        """Take the work tree once.

        1. Believe no bit that hides a file. 2. Ask git what was touched, is gone or is new.
        3. Bring the copied index to that. 4. Ask again: none when anything moved meanwhile.
        5. Write the tree and say how it differs.
        """
        self._unhide()
        touched, gone, new = self._asked("--others", "--exclude-standard")
        touched |= {path for path, row in self._tracked.items() if row[0] == "M"}
        gone |= unreachable(self._repo.root, self._here())
        admitted = {path for path in new if not path.endswith("/") and fence(path)}
        if not self._update(touched, gone, admitted):
            return None
        tree = asked(self._git_dir, "write-tree", "--missing-ok").decode().strip()
        return Taken(tree, self._dirty(tree), tuple(new - admitted), tuple(self._modules))

    def _unhide(self) -> None:
        """Look at files "assumed unchanged", and at those a sparse checkout has all the same."""
        assumed = [path for path, row in self._tracked.items() if row[0].islower()]
        flag(self._git_dir, "--no-assume-unchanged", assumed, env=self._env)
        if not is_sparse(self._repo):
            return
        skipped = {path for path, row in self._tracked.items() if row[0] in "Ss"}
        present = look(self._repo.root, skipped).files
        flag(self._git_dir, "--no-skip-worktree", present, env=self._env)
        for path in present:
            self._tracked[path] = f"H{self._tracked[path][1:]}"

    def _here(self) -> Iterator[str]:
        """Tracked paths that are not left out of the work tree."""
        return (path for path, row in self._tracked.items() if row[0] not in "Ss")

    def _asked(self, *options: str) -> tuple[set[str], set[str], set[str]]:
        """What git finds touched, gone and, with the options, new."""
        argv = ["ls-files", "-z", "-t", "--modified", "--deleted", *options]
        lines = text(asked(self._git_dir, *argv, env=self._env)).split("\0")[:-1]
        touched, gone, new = ({line[2:] for line in lines if line[0] == tag} for tag in "CR?")
        return touched, gone, new

    def _update(self, touched: set[str], gone: set[str], admitted: set[str]) -> bool:
        """Bring the index to what lies there; false when that moved meanwhile."""
        lines = self._module_lines()
        names = (touched - gone) | admitted
        seen = look(self._repo.root, names)
        gone = (gone | (touched - seen.files.keys())) - self._modules.keys()
        lines += [f"0 {self._nothing()}\t{path}" for path in sorted(gone)]
        listed = seen.files.keys() - gone
        large = self._large(listed, seen)
        lines += self._pointer_lines(large, seen)
        if not lines and not listed:
            return True
        inform(self._git_dir, lines)
        failure = self._add(sorted(listed - large))
        if look(self._repo.root, names) != seen:
            return False
        if failure:
            says = f"git update-index: {failure}"
            raise CouldNotVerify(says, hint="git status", code="unreadable")
        touched, lost, _ = self._asked()
        return not (touched | lost) - large - self._modules.keys()

    def _module_lines(self) -> list[str]:
        """A submodule stands at its own HEAD; one nobody initialised where it stood."""
        lines: list[str] = []
        there = look(self._repo.root, self._modules).folders
        for path, row in [*self._modules.items()]:
            module = submodule(self._repo, path) if path in there else None
            commit = head(module) if module else None
            if path not in there:
                del self._modules[path]
            elif commit and commit not in row:
                lines.append(f"{SUBMODULE} {commit} 0\t{path}")
        return lines

    def _nothing(self) -> str:
        return "0" * _DIGITS[is_sha256(self._repo)]

    def _add(self, listed: Iterable[str]) -> str:
        """Hash files into the index; what git says when it cannot."""
        argv = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]
        done = run(self._git_dir, *argv, given=nul(listed), env=self._env)
        is_taken = not done.returncode and b"Ignoring path" not in done.stderr
        return "" if is_taken else " ".join(done.stderr.decode("utf-8", "replace").split())

    def _large(self, listed: Iterable[str], seen: Look) -> set[str]:
        """Those kept in large-file storage, unless a pointer lies there in their place."""
        files = [path for path in listed if not seen.files[path].is_link]
        settings = (p for p in {*self._tracked, *files} if p.rpartition("/")[2] == _ATTRIBUTES)
        if not files or not any(b"lfs" in bytes_of(self._repo.root / p) for p in settings):
            return set()
        governed = lfs.governed_in(self._git_dir, files, env=self._env)
        return {path for path in governed if not self._is_pointer(path, seen)}

    def _is_pointer(self, path: str, seen: Look) -> bool:
        is_small = seen.files[path].stamp.size <= lfs.LONGEST
        return is_small and lfs.pointer(bytes_of(self._repo.root / path)) is not None

    def _pointer_lines(self, large: Iterable[str], seen: Look) -> list[str]:
        lines: list[str] = []
        for path in sorted(large):
            found = lfs.stored(self._repo, path, is_kept=self._is_kept)
            argv = ["hash-object", "-w", "--no-filters", "--stdin"]
            id_ = asked(self._git_dir, *argv, given=found.data).decode().strip()
            lines.append(f"{seen.files[path].git_mode} {id_} 0\t{path}")
        return lines

    def _dirty(self, tree: str) -> tuple[str, ...]:
        if tree == self._tree:
            return ()
        with reading_in(self._git_dir, self._repo) as reader:
            return tuple(change.path for change in differences(reader, self._tree, tree))
