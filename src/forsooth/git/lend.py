"""What a judged copy's git is lent: a pack made for one commit, never a store of objects.

A store also holds other branches, stashes and what was deleted, and its alternates may name any
folder of the machine. The pack holds the commit's own history as commits, the tags that point into
it, and the files of the commit itself. That answers `describe`, `log`, `status` and `show HEAD:x`.

What it does not hold are the files of older commits: inside, `git diff HEAD~1` finds no object.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from forsooth.git.commit import parsed
from forsooth.git.paths import raw, text
from forsooth.git.reader import Object, Reader, reading
from forsooth.git.references import branch, branches, tags
from forsooth.git.repository import Repository, bytes_of
from forsooth.git.run import asked, private, run

REFERENCES, SHALLOW = "packed-refs", "shallow"


def key_of(repo: Repository, commit: str) -> str:
    """What a pack for a commit is made from: the same key, the same pack."""
    whole = hashlib.sha256(f"{commit}\n{branch(repo)}\n".encode(errors="surrogateescape"))
    for name, id_ in {**_here(repo, commit), **tags(repo)}.items():
        whole.update(raw(f"{id_} {name}\n"))
    whole.update(bytes_of(repo.common / SHALLOW))
    return whole.hexdigest()


def lend(repo: Repository, commit: str, into: Path) -> None:
    """Fill an empty folder: `pack`, the references that it can answer for, and where it ends.

    1. The commits that come before; where a clone lacks some, the commit alone.
    2. The tags among them, by what each tag itself says.
    3. The commit's folders and files, as far as the repository has them.
    """
    (into / "pack").mkdir()
    here = _here(repo, commit)
    with private(repo) as git_dir:
        ends = bytes_of(repo.common / SHALLOW)
        (git_dir / SHALLOW).write_bytes(ends)
        walked = run(git_dir, "rev-list", commit)  # 1
        history = walked.stdout.decode("ascii").split() if not walked.returncode else [commit]
        ends = raw(f"{commit}\n") if walked.returncode else ends
        with reading(repo) as reader:
            tree = parsed(reader.read(commit, "commit")).tree
            named = dict(_tags(repo, reader, frozenset(history), here=here))  # 2
        listing = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any", tree)
        held = asked(git_dir, *listing).decode("ascii").split()  # 3
        wanted = dict.fromkeys([*history, *named.values(), *held])
        given = "".join(f"{id_}\n" for id_ in wanted).encode()
        asked(git_dir, "pack-objects", "-q", "--window=0", str(into / "pack/pack"), given=given)
    refs = {**here, **named}
    (into / REFERENCES).write_bytes(raw("".join(f"{id_} {name}\n" for name, id_ in refs.items())))
    (into / SHALLOW).write_bytes(ends)


def references(lent: Path) -> dict[str, str]:
    """The references that a pack answers for, by name."""
    rows = (line.partition(" ") for line in text(bytes_of(lent / REFERENCES)).splitlines())
    return {name: id_ for id_, _, name in rows}


def _here(repo: Repository, commit: str) -> dict[str, str]:
    return {name: id_ for name, id_ in branches(repo).items() if id_ == commit}


def _tags(
    repo: Repository, reader: Reader, history: frozenset[str], *, here: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Tags of these commits, but those that would be taken for a branch that stands here."""
    taken = {name.removeprefix("refs/heads/") for name in here}
    rows = tags(repo)
    known = {id_: _target(found) for id_ in set(rows.values()) if (found := reader.find(id_))}
    for name, id_ in rows.items():
        if known.get(id_) in history and name.removeprefix("refs/tags/") not in taken:
            yield name, id_


def _target(found: Object) -> str:
    """The commit that a tag stands for; empty when it stands for something else."""
    if found.kind != "tag":
        return found.id if found.kind == "commit" else ""
    lines = found.data.split(b"\n", 2)
    return lines[0].removeprefix(b"object ").decode() if lines[1:2] == [b"type commit"] else ""
