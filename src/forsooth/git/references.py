"""References, read from their files by hand: loose, packed, and each work tree's own.

Git would read the configuration first. A reference may not lead out of the repository, and a
store of references that is not read here is an error, never an empty one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from forsooth.errors import CouldNotVerify
from forsooth.git.reader import ID
from forsooth.git.repository import Repository, text_of

_LINKS = 5
_OWN = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")  # what each work tree has for itself
_SPECIAL = re.compile(r"[A-Z][A-Z_]*")
_ODD = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.(?:lock)?(?:/|$)|/$|^[-/.]|^@$")


def is_name(name: str) -> bool:
    """Whether git could have made a reference of this name."""
    return bool(name) and not _ODD.search(name)


def is_special(name: str) -> bool:
    """Whether git keeps a reference of this name beside HEAD."""
    return bool(_SPECIAL.fullmatch(name))


def head(repo: Repository) -> str | None:
    """The commit HEAD names; none before the first one."""
    return _follow(repo, text_of(repo.git_dir / "HEAD").strip(), f"{repo.git_dir / 'HEAD'}")


def branch(repo: Repository) -> str:
    """The full name of the branch HEAD is on; empty when it is detached."""
    text = text_of(repo.git_dir / "HEAD").strip()
    return text.removeprefix("ref:").strip() if text.startswith("ref:") else ""


def reference(repo: Repository, name: str) -> str | None:
    """The id a reference leads to, by its full name; none when there is no such reference."""
    held = _held(repo, name)
    return _follow(repo, held, name) if held else None


def _follow(repo: Repository, held: str, what: str) -> str | None:
    _readable(repo)
    for _ in range(_LINKS):
        if not held.startswith("ref:"):
            break
        held = _held(repo, held.removeprefix("ref:").strip())
    if held and not ID.fullmatch(held):
        raise CouldNotVerify(f"{what} does not lead to a commit", hint="git fsck", code="bad-ref")
    return held or None


def _held(repo: Repository, name: str) -> str:
    """What a reference holds, symbolic or not."""
    _readable(repo)
    if name.startswith("refs/"):
        if not is_name(name):
            return "odd"
        folder = repo.git_dir if name.startswith(_OWN) else repo.common
        return text_of(folder / name).strip() or packed(repo).get(name, "")
    if is_special(name):
        return text_of(repo.git_dir / name).partition("\n")[0].partition("\t")[0].strip()
    return "odd"


def packed(repo: Repository) -> dict[str, str]:
    """Every packed reference by its full name."""
    rows = (line.partition(" ") for line in text_of(repo.common / "packed-refs").splitlines())
    return {name: id_ for id_, _, name in rows if ID.fullmatch(id_)}


def tags(repo: Repository) -> dict[str, str]:
    """Every tag by its full name, loose ones over packed ones."""
    return _below(repo, "refs/tags/")


def branches(repo: Repository) -> dict[str, str]:
    """Every branch of this repository's own by its full name."""
    return _below(repo, "refs/heads/")


def _below(repo: Repository, prefix: str) -> dict[str, str]:
    _readable(repo)
    found = {name: id_ for name, id_ in packed(repo).items() if name.startswith(prefix)}
    for path in _files(repo.common / prefix):
        name, id_ = path.relative_to(repo.common).as_posix(), text_of(path).strip()
        if is_name(name) and ID.fullmatch(id_):
            found[name] = id_
    return {name: id_ for name, id_ in sorted(found.items()) if is_name(name)}


def remotes(repo: Repository) -> frozenset[str]:
    """The names of the remotes that references of theirs are kept of."""
    _readable(repo)
    names = [name.split("/")[2] for name in packed(repo) if name.startswith("refs/remotes/")]
    folder = repo.common / "refs" / "remotes"
    return frozenset([*names, *(p.name for p in folder.iterdir())] if folder.is_dir() else names)


def _files(folder: Path) -> Iterator[Path]:
    """Files below a folder; a linked folder is not entered."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        else:
            yield path


def _readable(repo: Repository) -> None:
    if (repo.common / "reftable").is_dir():
        says = "this repository keeps its references as a reftable, not as files"
        raise CouldNotVerify(says, hint="git refs migrate --ref-format=files", code="reftable")
