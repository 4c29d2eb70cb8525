"""What a person calls a commit: HEAD, a branch, a tag, a short id, any of them with ~ and ^.

A name that could mean two commits is refused: git would pick one, and whoever can write the
repository could add the tag that it picks.
"""

from __future__ import annotations

import re

from forsooth.errors import CouldNotVerify
from forsooth.git.commit import parsed
from forsooth.git.reader import ID, Reader, reading
from forsooth.git.references import head, is_name, is_special, reference
from forsooth.git.repository import Repository
from forsooth.git.run import private, run

_NAMED = re.compile(r"(?P<base>[^~^]+)(?P<steps>(?:~\d*|\^\d*|\^\{(?:commit)?\})*)")
_STEP = re.compile(r"\^\{(?:commit)?\}|(~|\^)(\d*)")
_SHORT = re.compile(r"[0-9a-fA-F]{4,64}")
_PLACES = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")


def resolve(repo: Repository, name: str) -> str:
    """The id of the commit a name stands for."""
    found = _NAMED.fullmatch(name.strip())
    if not found:
        raise _unknown(name)
    id_ = _named(repo, found["base"])
    with reading(repo) as reader:
        commit = _peeled(reader, id_, name)
        for sign, count in _STEP.findall(found["steps"]):
            commit = _step(reader, commit, sign=sign, count=count, name=name)
    return commit


def _named(repo: Repository, base: str) -> str:
    if base in ("HEAD", "@"):
        id_ = head(repo)
        if id_ is None:
            raise CouldNotVerify("HEAD names no commit yet", hint="git commit", code="unborn")
        return id_
    if ID.fullmatch(base):
        return base
    return _referred(repo, base) or _short(repo, base)


def _referred(repo: Repository, base: str) -> str | None:
    if not is_name(base):
        return None
    names = [base] if base.startswith("refs/") else [place.format(base) for place in _PLACES]
    names += [base] if is_special(base) else []
    found = {name: id_ for name in names if (id_ := reference(repo, name))}
    if len(set(found.values())) > 1:
        says = f"{base} could be any of {', '.join(found)}"
        raise CouldNotVerify(says, hint=next(iter(found)), code="ambiguous")
    return next(iter(found.values()), None)


def _short(repo: Repository, base: str) -> str:
    if not _SHORT.fullmatch(base):
        raise _unknown(base)
    with private(repo) as git_dir:
        listed = run(git_dir, "rev-parse", f"--disambiguate={base.lower()}").stdout.decode()
    ids = listed.split()
    if not ids:
        raise _unknown(base)
    with reading(repo) as reader:
        known = [id_ for id_ in ids if len(ids) == 1 or reader.read(id_).kind in ("commit", "tag")]
    if len(known) != 1:
        says = f"{base} is the beginning of {len(ids)} ids"
        raise CouldNotVerify(says, hint=f"git rev-parse --disambiguate={base}", code="ambiguous")
    return known[0]


def _peeled(reader: Reader, id_: str, name: str) -> str:
    """The commit at the end of any chain of tags."""
    found = reader.read(id_)
    while found.kind == "tag":
        found = reader.read(found.data.partition(b"\n")[0].removeprefix(b"object ").decode())
    if found.kind != "commit":
        raise CouldNotVerify(f"{name} is a {found.kind}, not a commit", code="not-a-commit")
    return found.id


def _step(reader: Reader, commit: str, *, sign: str, count: str, name: str) -> str:
    number = int(count or 1)
    if sign == "~":
        for _ in range(number):
            commit = _parent(reader, commit, number=1, name=name)
    elif sign and number:
        commit = _parent(reader, commit, number=number, name=name)
    return commit


def _parent(reader: Reader, commit: str, *, number: int, name: str) -> str:
    parents = parsed(reader.read(commit, "commit")).parents
    if len(parents) < number:
        raise _unknown(name)
    _peeled(reader, parents[number - 1], name)  # a shallow clone does not have it, and says so
    return parents[number - 1]


def _unknown(name: str) -> CouldNotVerify:
    says = f"{name!r} names no commit here"
    return CouldNotVerify(says, hint="git fetch --all --tags", code="unknown-revision")
