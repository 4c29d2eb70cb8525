"""What a tree holds and how two trees differ, read from trees whose names were checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal, NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git import paths
from forsooth.git.reader import Object, Reader, reading
from forsooth.git.repository import Repository

Status = Literal["A", "M", "D", "T"]
EntryKind = Literal["file", "link", "submodule"]
MOST, LONGEST = 1_000_000, 4096  # entries of a tree, and characters of a path

FOLDER, LINK, SUBMODULE = "040000", "120000", "160000"
_MODES = {
    b"40000": FOLDER,
    b"100644": "100644",
    b"100664": "100644",  # written by gits of long ago
    b"100755": "100755",
    b"120000": LINK,
    b"160000": SUBMODULE,
}
NO_MODE = "000000"


class Entry(NamedTuple):
    """One file, link or submodule of a tree."""

    path: str
    mode: str
    id: str
    kind: EntryKind


class Change(NamedTuple):
    """One path that differs: added, modified (content or executable bit), deleted, or its type."""

    path: str
    status: Status
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str
    renamed_from: str = ""


class _Row(NamedTuple):
    mode: str
    id: str


_NOTHING = _Row(NO_MODE, "")


def listing(repo: Repository, tree: str) -> tuple[Entry, ...]:
    """Everything in a tree, sorted by the bytes of its path; folders are not listed."""
    with reading(repo) as reader:
        return entries(reader, tree)


def entries(reader: Reader, tree: str) -> tuple[Entry, ...]:
    """The listing of a tree, one level of folders at a time."""
    found: list[Entry] = []
    level = [("", tree)]
    while level:
        below: list[tuple[str, str]] = []
        objects = reader.each((id_ for _, id_ in level), "tree")
        for (folder, _), read in zip(level, objects, strict=True):
            for name, row in rows(read).items():
                path = folder + name
                if row.mode == FOLDER:
                    below.append((f"{path}/", row.id))
                else:
                    found.append(Entry(path, row.mode, row.id, kind(row.mode)))
            _refuse_too_many(len(found) + len(below), folder)
        level = below
    return tuple(sorted(found, key=lambda entry: paths.raw(entry.path)))


def _refuse_too_many(entries: int, folder: str) -> None:
    """Refuse a tree that no work tree could hold: a few objects can name any number of paths."""
    if entries > MOST:
        says = f"a tree here has more than {MOST:,} entries, the most that are read"
        raise CouldNotVerify(says, code="too-large")
    if len(folder) > LONGEST:
        says = f"a tree here has paths longer than {LONGEST:,} characters"
        raise CouldNotVerify(says, code="too-large")


def kind(mode: str) -> EntryKind:
    """What an entry's mode makes of it."""
    return "link" if mode == LINK else "submodule" if mode == SUBMODULE else "file"


def listing_digest(listed: Iterable[Entry]) -> str:
    """One sha256 for a whole listing, whatever order it comes in."""
    lines = sorted(paths.raw(f"{e.path}\0{e.mode}\0{e.id}\n") for e in listed)
    return hashlib.sha256(b"".join(lines)).hexdigest()


def changes(
    repo: Repository, before: str | None, after: str | None, *, renames: bool = False
) -> tuple[Change, ...]:
    """How two trees differ; a tree that is none is an empty one.

    Renames are found on request, and only of files moved without an edit.
    """
    with reading(repo) as reader:
        found = differences(reader, before, after)
    return _renamed(found) if renames else found


def differences(reader: Reader, before: str | None, after: str | None) -> tuple[Change, ...]:
    """The changes between two trees, sorted by path; one level of folders is read at a time."""
    found: list[Change] = []
    level = [("", before, after)] if before != after else []
    while level:
        below: list[tuple[str, str | None, str | None]] = []
        ids = dict.fromkeys(id_ for _, *pair in level for id_ in pair if id_)
        read = {tree.id: rows(tree) for tree in reader.each(ids, "tree")}
        for folder, old, new in level:
            was, now = read.get(old or "", {}), read.get(new or "", {})
            for name in was.keys() | now.keys():
                pair = was.get(name, _NOTHING), now.get(name, _NOTHING)
                if pair[0] != pair[1]:
                    _compare(folder + name, *pair, found=found, below=below)
            _refuse_too_many(len(found) + len(below), folder)
        level = below
    return tuple(sorted(found, key=lambda change: paths.raw(change.path)))


def _compare(
    path: str,
    was: _Row,
    now: _Row,
    *,
    found: list[Change],
    below: list[tuple[str, str | None, str | None]],
) -> None:
    old, new = (row.id if row.mode == FOLDER else None for row in (was, now))
    if old or new:
        below.append((f"{path}/", old, new))
    was, now = (_NOTHING if row.mode == FOLDER else row for row in (was, now))
    if was != now:
        found.append(Change(path, _status(was.mode, now.mode), was.mode, now.mode, was.id, now.id))


def _status(was: str, now: str) -> Status:
    if NO_MODE in (was, now):
        return "A" if was == NO_MODE else "D"
    return "M" if kind(was) == kind(now) else "T"


def _renamed(found: Iterable[Change]) -> tuple[Change, ...]:
    found = tuple(found)
    gone = {change.old_id: change for change in reversed(found) if change.status == "D"}
    named: list[Change] = []
    used: set[str] = set()
    for change in found:
        source = gone.pop(change.new_id, None) if change.status == "A" else None
        if source:
            used.add(source.path)
            change = change._replace(  # noqa: PLW2901
                renamed_from=source.path, old_mode=source.old_mode, old_id=source.old_id
            )
        named.append(change)
    return tuple(change for change in named if change.status != "D" or change.path not in used)


def rows(tree: Object) -> dict[str, _Row]:
    """The entries of one tree; a name twice, or one that would escape, is an error."""
    found: dict[str, _Row] = {}
    data, at, size = tree.data, 0, len(tree.id) // 2
    while at < len(data):
        end = data.find(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        at = end + 1 + size
        if end < 0 or mode not in _MODES or at > len(data):
            raise CouldNotVerify(f"tree {tree.id[:12]} cannot be read", code="bad-object")
        text = paths.text(name)
        if not paths.is_component(text) or text in found:
            raise paths.unsafe(text)
        found[text] = _Row(_MODES[mode], data[end + 1 : at].hex())
    return found


def at(reader: Reader, tree: str, path: str) -> Entry | None:
    """What lies at one path of a tree, a folder included; none when nothing does."""
    row = _Row(FOLDER, tree)
    for name in path.split("/"):
        if row.mode != FOLDER:
            return None
        row = rows(reader.read(row.id, "tree")).get(name, _NOTHING)
    return Entry(path, row.mode, row.id, kind(row.mode)) if row.id else None
