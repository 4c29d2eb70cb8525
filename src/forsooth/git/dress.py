"""A synthetic `.git` for a copy: enough for tools that ask git for a version, and no more.

HEAD is at the judged commit, branches that stand there and tags of its history are there, and their
objects are lent as a pack. Nothing of the repository's configuration, hooks or other branches comes
along, and we never run git in it ourselves.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.git.commit import parsed
from forsooth.git.edit import write_object
from forsooth.git.folder import Stamp, stamp
from forsooth.git.index import Row, written
from forsooth.git.lend import REFERENCES, SHALLOW, references
from forsooth.git.paths import raw
from forsooth.git.reader import reading
from forsooth.git.record import Record, load
from forsooth.git.references import branch
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import SHA256, is_sha256
from forsooth.git.stores import alternates
from forsooth.git.trees import FOLDER, SUBMODULE
from forsooth.git.trees import rows as rows_of

_PAST = 2_000_000_000  # ns
_MOST = 5000  # objects; a tree that differs by more has its folders and no files

# A bind or an overlay changes inode and change time, so only size and time of a file count.
_CONFIG = """\
[core]
	repositoryformatversion = {version}
	bare = false
	fileMode = true
	checkStat = minimal
	trustctime = false
	logAllRefUpdates = false
[gc]
	auto = 0
"""


def dress(copy: Path, repo: Repository, commit: str, *, lent: Path, mount: str = "") -> None:
    """Give a kept checkout a `.git` of its own, at a commit whose pack lies in `lent`.

    The pack is looked for at `mount`, or where it lies. What the checkout's own tree has and the
    commit has not is written into the `.git` itself.
    """
    record = load(copy)
    if record is None:
        raise CouldNotVerify(f"{copy} is not a whole checkout", code="not-whole")
    git_dir = copy / ".git"
    if git_dir.is_symlink() or git_dir.is_file():
        git_dir.unlink()
    shutil.rmtree(git_dir, ignore_errors=True)
    _furnish(git_dir, repo, commit, lent, mount or str(lent))
    _add_own(git_dir / "objects", repo, commit, record.tree)
    _index(git_dir / "index", record, copy)


def _furnish(git_dir: Path, repo: Repository, commit: str, lent: Path, mount: str) -> None:
    sha256, at = is_sha256(repo), branch(repo)
    files = {
        "HEAD": raw(f"ref: {at}\n" if at in references(lent) else f"{commit}\n"),
        "config": (_CONFIG.format(version=int(sha256)) + (SHA256 if sha256 else "")).encode(),
        "packed-refs": bytes_of(lent / REFERENCES),
        "objects/info/alternates": alternates([mount]),
        "shallow": bytes_of(lent / SHALLOW),
    }
    (git_dir / "refs").mkdir(parents=True)
    (git_dir / "objects" / "info").mkdir(parents=True)
    for name, data in files.items():
        if data:
            (git_dir / name).write_bytes(data)


def _add_own(objects: Path, repo: Repository, commit: str, tree: str) -> None:
    """Write what a tree has and a commit's has not, one level of folders at a time."""
    with reading(repo) as reader:
        before = parsed(reader.read(commit, "commit")).tree
        level = [(before, tree)] if before != tree else []
        count = 0
        while level:
            ids = dict.fromkeys(id_ for pair in level for id_ in pair if id_)
            read = {found.id: found for found in reader.each(ids, "tree")}
            files: dict[str, None] = {}
            below: list[tuple[str, str]] = []
            for old, new in level:
                write_object(objects, "tree", data=read[new].data, like=new)
                was = rows_of(read[old]) if old else {}
                for name, row in rows_of(read[new]).items():
                    there = was.get(name)
                    if there and there.id == row.id:
                        continue
                    if row.mode == FOLDER:
                        below.append((there.id if there and there.mode == FOLDER else "", row.id))
                    elif row.mode != SUBMODULE:
                        files[row.id] = None
            count += len(level) + len(files)
            if count > _MOST:
                return
            for found in reader.each(files, "blob"):
                write_object(objects, "blob", data=found.data, like=found.id)
            level = below


def _index(path: Path, record: Record, copy: Path) -> None:
    """An index that calls the copy clean.

    What the copy holds is the tree, by construction. So the index is dated past every file: git
    then takes stamps at their word and reads no file to ask for its line endings. A large file is
    not its pointer, and git is told to look away.
    """
    rows: list[Row] = []
    for name in record.files:
        kept = record.row(name)
        if not kept.owner:
            seen = kept.stamp if kept.stamp.size >= 0 else stamp(os.lstat(copy / name))
            rows.append(Row(name, kept.mode, kept.id, seen, name in record.pointers))
    rows += [
        Row(name, SUBMODULE, module.commit, Stamp(0, 0, 0, 0), is_assumed=False)
        for name, module in record.submodules.items()
        if not module.owner
    ]
    path.write_bytes(written(rows))
    after = max((row.stamp.modified for row in rows), default=0) + _PAST
    os.utime(path, ns=(after, after))
