"""The judged tree and its history as data, read from git alone and from no one's word."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from forsooth.core.plan import Base
from forsooth.git.history import Commit, commits, is_ancestor, merge_base
from forsooth.git.objects import blobs, tree_of
from forsooth.git.repository import Repository
from forsooth.git.trees import Change, Entry, changes, listing
from forsooth.judge.checks.globs import any_matches


class Looking:
    """One tree, and what lies between it and the base it is judged against."""

    def __init__(
        self,
        repo: Repository,
        tree: str,
        *,
        base: Base,
        commit: str | None = None,
        upstream: str | None = None,
    ) -> None:
        self._repo, self._tree, self._base = repo, tree, base
        self._commit, self._upstream = commit, upstream

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in listing(self._repo, self._tree)}

    def paths(self) -> tuple[str, ...]:
        """Every file of the tree."""
        return tuple(self._entries)

    def read(self, path: str) -> bytes | None:
        """A file's bytes as stored; none when it is not there."""
        entry = self._entries.get(path)
        if entry is None or entry.kind == "submodule":
            return None
        return blobs(self._repo, [entry.id])[entry.id]

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The bytes of many files, read by one process; those not there are left out."""
        found = {path: self._entries[path].id for path in paths if path in self._entries}
        found = {p: id_ for p, id_ in found.items() if self._entries[p].kind != "submodule"}
        held = blobs(self._repo, found.values()) if found else {}
        return {path: held[id_] for path, id_ in found.items()}

    def mode(self, path: str) -> str | None:
        """A file's mode as git has it; none when it is not there."""
        entry = self._entries.get(path)
        return entry.mode if entry else None

    @cached_property
    def is_compiled(self) -> bool:
        """Whether it may bring files that Python would take for what it compiled itself."""
        return any(
            "__pycache__" in path.casefold() or entry.kind == "submodule"
            for path, entry in self._entries.items()
        )

    def contents(self, paths: Iterable[str]) -> dict[str, str]:
        """The ids of the files below some paths: what a finding that names them rests on."""
        wanted = tuple(path.rstrip("/") for path in paths)
        return {
            path: f"{entry.mode} {entry.id}"
            for path, entry in self._entries.items()
            if any_matches(wanted, path) or any(path.startswith(f"{one}/") for one in wanted)
        }

    @property
    def changes(self) -> tuple[Change, ...]:
        """What differs from the base, less what came with the upstream that was merged."""
        return self._changes

    @property
    def commits(self) -> tuple[Commit, ...]:
        """The commits since the base, less those of the upstream."""
        return self._commits

    @cached_property
    def _all(self) -> tuple[Change, ...]:
        return changes(self._repo, self._base.tree, self._tree)

    @cached_property
    def theirs(self) -> frozenset[str]:
        """The paths that are as the upstream that was merged has them."""
        merged = self._merged_upstream()
        if merged is None:
            return frozenset()
        found = {
            change.path: (change.new_mode, change.new_id)
            for change in changes(self._repo, self._base.tree, tree_of(self._repo, merged))
        }
        return frozenset(c.path for c in self._all if found.get(c.path) == (c.new_mode, c.new_id))

    @cached_property
    def _changes(self) -> tuple[Change, ...]:
        return tuple(change for change in self._all if change.path not in self.theirs)

    @cached_property
    def _commits(self) -> tuple[Commit, ...]:
        if self._commit is None:
            return ()
        own = commits(self._repo, self._base.commit, self._commit)
        merged = self._merged_upstream()
        if merged is None:
            return own
        return tuple(one for one in own if not is_ancestor(self._repo, one.id, merged))

    def _merged_upstream(self) -> str | None:
        """The newest commit of the upstream that the judged one has, when that is news."""
        if self._upstream is None or self._commit is None:
            return None
        shared = merge_base(self._repo, self._upstream, self._commit)
        base = self._base.commit
        return shared if shared and base and not is_ancestor(self._repo, shared, base) else None
