"""A synthetic `.git` for a copy: enough for tools that ask git for a version, and no more.

HEAD is detached at the judged commit, tags are there, objects are borrowed. Nothing of the
repository's configuration, hooks or branches comes along, and we never run git in it ourselves.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from forsooth.git.index import flag, nul
from forsooth.git.objects import tree_of
from forsooth.git.references import tags
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import SHA256, asked, is_sha256, private, run
from forsooth.git.stores import alternates, stores

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


def dress(
    copy: Path, repo: Repository, commit: str, *, tree: str | None = None, mount: str = ""
) -> tuple[Lent, ...]:
    """Give a checkout a `.git` of its own; say which folders must be readable there, and where.

    `tree` is what the copy holds, when it is not the commit's. With `mount`, objects are looked for
    in numbered folders below that path; without, where they lie.
    """
    git_dir = copy / ".git"
    if git_dir.is_symlink() or git_dir.is_file():
        git_dir.unlink()
    shutil.rmtree(git_dir, ignore_errors=True)
    lent = tuple(
        Lent(folder, f"{mount}/{number}" if mount else str(folder))
        for number, folder in enumerate(stores(repo))
    )
    _furnish(git_dir, repo, commit, lent)
    _index(copy, repo, tree or tree_of(repo, commit))
    return lent


def _furnish(git_dir: Path, repo: Repository, commit: str, lent: tuple[Lent, ...]) -> None:
    sha256 = is_sha256(repo)
    files = {
        "HEAD": f"{commit}\n".encode(),
        "config": (_CONFIG.format(version=int(sha256)) + (SHA256 if sha256 else "")).encode(),
        "packed-refs": nul(f"{id_} {name}" for name, id_ in tags(repo).items()).replace(
            b"\0", b"\n"
        ),
        "objects/info/alternates": alternates(row.target for row in lent),
        "shallow": bytes_of(repo.common / "shallow"),
    }
    (git_dir / "refs").mkdir(parents=True)
    (git_dir / "objects" / "info").mkdir(parents=True)
    for name, data in files.items():
        if data:
            (git_dir / name).write_bytes(data)


def _index(copy: Path, repo: Repository, tree: str) -> None:
    """An index that calls the copy clean.

    What the copy holds is the tree by construction: where git would see a difference, as in a large
    file or a line ending, it is told to look away.
    """
    with private(repo) as git_dir:
        env = {"GIT_WORK_TREE": str(copy)}
        asked(git_dir, "read-tree", tree)
        run(git_dir, "update-index", "-q", "--refresh", "--ignore-submodules", env=env)
        told = asked(git_dir, "diff-files", "-z", "--name-only", "--ignore-submodules=all", env=env)
        names = [name.decode("utf-8", "surrogateescape") for name in told.split(b"\0") if name]
        flag(git_dir, "--assume-unchanged", names)
        shutil.copy2(git_dir / "index", copy / ".git" / "index")
