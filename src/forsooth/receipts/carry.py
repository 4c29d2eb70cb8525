"""How receipts travel: one reference whose tree is the receipts, each named by its own sha256.

Two such trees merge by union, in any order. Nothing is pushed or fetched here, and what is carried
is not believed here: `verify` and `seal` do that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from forsooth.core.canonical import digest
from forsooth.core.ids import GOAL
from forsooth.core.instant import moment
from forsooth.errors import CouldNotVerify
from forsooth.git import objects, publish, references, trees
from forsooth.git.edit import Put
from forsooth.git.history import is_ancestor
from forsooth.git.repository import Repository

REFERENCE = "refs/forsooth/receipts"
_TRIES = 50
_FILE = "100644"
_NAME = r"(?P<name>[0-9a-f]{64})\.dsse\.json"
_TREE = r"(?P<tree>[0-9a-f]{40}(?:[0-9a-f]{24})?)"
_RECEIPT = re.compile(rf"{_TREE}/(?P<subject>{GOAL}|plan)/{_NAME}")
_SEAL = re.compile(rf"plans/(?P<plan>[0-9a-f]{{64}})/{_NAME}")


class Receipt(NamedTuple):
    """One carried envelope: the tree and the goal it is filed under, and its bytes."""

    tree: str
    subject: str
    data: bytes

    @property
    def path(self) -> str:
        """Where it lies in the reference's tree."""
        return f"{self.tree}/{self.subject}/{digest(self.data)}.dsse.json"


class Seal(NamedTuple):
    """The signed seal of a plan, which holds the plan, filed under the plan's digest."""

    plan_digest: str
    data: bytes

    @property
    def path(self) -> str:
        """Where it lies in the reference's tree."""
        return f"plans/{self.plan_digest}/{digest(self.data)}.dsse.json"


class Carried(NamedTuple):
    """Everything a reference carries; `odd` are paths that do not hold what their name says."""

    receipts: tuple[Receipt, ...] = ()
    seals: tuple[Seal, ...] = ()
    odd: tuple[str, ...] = ()


def pushing(remote: str = "origin") -> tuple[str, ...]:
    """What a person types to share what is carried here."""
    return ("git", "push", remote, f"{REFERENCE}:{REFERENCE}")


def theirs(remote: str = "origin") -> str:
    """The reference under which a remote's receipts are kept apart until they are merged."""
    return f"refs/forsooth/remotes/{remote}/receipts"


def fetching(remote: str = "origin") -> str:
    """The refspec that brings a remote's receipts along; one commit of depth is enough.

    A pattern, since a plain name would fail every fetch from a remote that has none.
    """
    return f"+{REFERENCE}*:{theirs(remote)}*"


def add(
    repo: Repository,
    receipts: Iterable[Receipt],
    *,
    at: str,
    seals: Iterable[Seal] = (),
    reference: str = REFERENCE,
) -> str:
    """Carry more; answers the commit the reference is at, which is the same when nothing is new."""
    puts = {one.path: Put(_FILE, one.data) for one in (*receipts, *seals)}
    odd = [path for path in puts if not _is_known(path)]
    if odd:
        raise CouldNotVerify(f"{odd[0]!r} is not where a receipt lies", code="unsafe-path")
    seconds = int(moment(at).timestamp())

    def grown(before: str | None) -> str:
        was = objects.tree_of(repo, before) if before else None
        tree = publish.files(repo, was, puts)
        if before and tree == was:
            return before
        parents = (before,) if before else ()
        said = "Add receipts"
        return publish.commit(repo, tree, parents=parents, message=said, seconds=seconds)

    return _moved(repo, reference, grown)


def merge(repo: Repository, other: str, *, reference: str = REFERENCE) -> str:
    """Take in what another commit carries; both sides make the same commit of it."""

    def union(before: str | None) -> str:
        ends = [before, other] if before else [other]
        files = {path: blob for end in ends for path, blob in _sound(repo, end).items()}
        puts = {path: Put(_FILE, id=blob.id) for path, blob in files.items()}
        tree = publish.files(repo, None, puts)
        for end in ends:
            if objects.tree_of(repo, end) == tree and all(_is_past(repo, e, end) for e in ends):
                return end
        seconds = max(objects.time_of(repo, end) for end in ends)
        said = "Merge receipts"
        return publish.commit(repo, tree, parents=sorted(ends), message=said, seconds=seconds)

    return _moved(repo, reference, union)


def read(repo: Repository, *, reference: str = REFERENCE, tree: str | None = None) -> Carried:
    """What is carried: receipts about one tree or about all, and every seal."""
    commit = references.reference(repo, reference)
    if commit is None:
        return Carried()
    sound = _sound(repo, commit)
    receipts = [
        Receipt(found["tree"], found["subject"], blob.data)
        for path, blob in sound.items()
        if (found := _RECEIPT.fullmatch(path)) and tree in (None, found["tree"])
    ]
    seals = [
        Seal(found["plan"], blob.data)
        for path, blob in sound.items()
        if (found := _SEAL.fullmatch(path))
    ]
    every = trees.listing(repo, objects.tree_of(repo, commit))
    odd = tuple(one.path for one in every if one.path not in sound)
    return Carried(tuple(receipts), tuple(seals), odd)


class _Blob(NamedTuple):
    id: str
    data: bytes


def _sound(repo: Repository, commit: str) -> dict[str, _Blob]:
    """The files of a commit that are named by their own sha256."""
    entries = trees.listing(repo, objects.tree_of(repo, commit))
    known = [one for one in entries if one.mode == _FILE and _is_known(one.path)]
    data = objects.blobs(repo, (one.id for one in known))
    return {
        one.path: _Blob(one.id, data[one.id])
        for one in known
        if one.path.endswith(f"/{digest(data[one.id])}.dsse.json")
    }


def _is_known(path: str) -> bool:
    return bool(_RECEIPT.fullmatch(path) or _SEAL.fullmatch(path))


def _is_past(repo: Repository, before: str, after: str) -> bool:
    """Whether a commit comes before another, as far as this clone goes."""
    with suppress(CouldNotVerify):
        return is_ancestor(repo, before, after)
    return False


def _moved(repo: Repository, name: str, make: Callable[[str | None], str]) -> str:
    """Move a reference to what is made of where it stands, again when somebody else moved it."""
    for _ in range(_TRIES):
        before = references.reference(repo, name)
        after = make(before)
        if before == after or publish.move(repo, name, before=before, after=after):
            return after
    says = f"{name} kept moving, or its lock was left behind"
    raise CouldNotVerify(says, hint=f"rm {repo.common / name}.lock", code="locked")
