"""A synthetic `.git` for a copy: enough for tools that ask git for a version, and no more.

HEAD is at the judged commit, branches that stand there and tags are there, objects are borrowed.
Nothing of the repository's configuration, hooks or other branches comes along, and we never run git
in it ourselves.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from forsooth.errors import CouldNotVerify
from forsooth.git.folder import Stamp, stamp
from forsooth.git.index import Row, written
from forsooth.git.paths import raw
from forsooth.git.record import Record, load
from forsooth.git.references import branch, branches, tags
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import SHA256, is_sha256
from forsooth.git.stores import alternates, stores
from forsooth.git.trees import SUBMODULE

_PAST = 2_000_000_000  # ns

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


class Lent(NamedTuple):
    """A folder of objects, and where the dressed copy looks for it."""

    source: Path
    target: str


def dress(copy: Path, repo: Repository, commit: str, *, mount: str = "") -> tuple[Lent, ...]:
    """Give a kept checkout a `.git` of its own; say which folders must be readable, and where.

    With `mount`, objects are looked for in numbered folders below that path; without, where they
    lie.
    """
    record = load(copy)
    if record is None:
        raise CouldNotVerify(f"{copy} is not a whole checkout", code="not-whole")
    git_dir = copy / ".git"
    if git_dir.is_symlink() or git_dir.is_file():
        git_dir.unlink()
    shutil.rmtree(git_dir, ignore_errors=True)
    lent = tuple(
        Lent(folder, f"{mount}/{number}" if mount else str(folder))
        for number, folder in enumerate(stores(repo))
    )
    _furnish(git_dir, repo, commit, lent)
    _index(git_dir / "index", record, copy)
    return lent


def _furnish(git_dir: Path, repo: Repository, commit: str, lent: tuple[Lent, ...]) -> None:
    sha256, refs = is_sha256(repo), _references(repo, commit)
    at = branch(repo)
    files = {
        "HEAD": raw(f"ref: {at}\n" if at in refs else f"{commit}\n"),
        "config": (_CONFIG.format(version=int(sha256)) + (SHA256 if sha256 else "")).encode(),
        "packed-refs": raw("".join(f"{id_} {name}\n" for name, id_ in refs.items())),
        "objects/info/alternates": alternates(row.target for row in lent),
        "shallow": bytes_of(repo.common / "shallow"),
    }
    (git_dir / "refs").mkdir(parents=True)
    (git_dir / "objects" / "info").mkdir(parents=True)
    for name, data in files.items():
        if data:
            (git_dir / name).write_bytes(data)


def _references(repo: Repository, commit: str) -> dict[str, str]:
    """Branches at the commit, and tags but those that would be taken for one of them."""
    here = {name: id_ for name, id_ in branches(repo).items() if id_ == commit}
    taken = {name.removeprefix("refs/heads/") for name in here}
    others = {n: id_ for n, id_ in tags(repo).items() if n.removeprefix("refs/tags/") not in taken}
    return {**here, **others}


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
