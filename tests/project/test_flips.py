"""Damage to what a proof is made of: receipt, ledger and tree, one changed byte at a time."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from forsooth.core.actor import Actor
from forsooth.errors import ForsoothError
from forsooth.git import objects, publish
from forsooth.git.edit import Put
from forsooth.project import Project
from tests.e2e.proving import begun, envelope, proven

WORK = ("greet.sh", "part.sh", "BRIEF.md", "README.md")


class Proof(NamedTuple):
    """A proven plan, and everything that its proof is made of."""

    project: Project
    plan: str
    receipt: bytes
    ledger: Path
    head: str
    files: dict[str, bytes]


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Proof:
    place = proven(begun(tmp_path_factory.mktemp("flips")))
    environment = {"HOME": str(place.home)}
    project = Project(place.folder, actor=Actor(kind="agent"), environment=environment)
    head = place.git("rev-parse", "HEAD")
    files = {name: (place.folder / name).read_bytes() for name in WORK}
    return Proof(project, project.which(), envelope(place), place.ledger, head, files)


def flipped(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ chance.randrange(1, 256)]) + data[at + 1 :]


def in_receipt(proof: Proof, chance: random.Random) -> bool:
    """Whether a receipt with one byte changed is refused."""
    return not proof.project.verify_file(flipped(proof.receipt, chance)).holds


def in_ledger(proof: Proof, chance: random.Random) -> bool:
    """Whether a ledger with one byte changed is noticed by fsck, and by whoever verifies."""
    sound = proof.ledger.read_bytes()
    proof.ledger.write_bytes(flipped(sound, chance))
    try:
        if proof.project.fsck(proof.plan).problem is None:
            return False
        proof.project.audit()
    except ForsoothError as error:
        return error.exit_code in (4, 5)
    finally:
        proof.ledger.write_bytes(sound)
    return False


def in_tree(proof: Proof, chance: random.Random) -> bool:
    """Whether a file with one byte changed is another tree to every receipt."""
    name = chance.choice(WORK)
    repo = proof.project.repo
    puts = {name: Put("100644", flipped(proof.files[name], chance))}
    tree = publish.files(repo, objects.tree_of(repo, proof.head), puts)
    commit = publish.commit(repo, tree, parents=[proof.head], message="flip", seconds=1)
    found = proof.project.audit(head=commit)
    alone = proof.project.verify_file(proof.receipt, head=commit)
    return (
        set(found.missing) == {"G001", "G002", "plan"}
        and all(name in one.stale for one in found.looked)
        and [one.code for one in alone.found.problems] == ["other-tree"]
    )


PARTS: tuple[Callable[[Proof, random.Random], bool], ...] = (in_receipt, in_ledger, in_tree)


def flip(proof: Proof, count: int, *, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(count):
        noticed = PARTS[number % len(PARTS)]
        assert noticed(proof, chance), f"flip {number} of seed {seed}, {noticed.__name__}"
    assert proof.project.audit().missing == ()


def test_any_changed_byte_of_receipt_ledger_or_tree_is_noticed(proof: Proof):
    """In the everyday run; afterwards the untouched proof still holds."""
    flip(proof, 60, seed=1)


@pytest.mark.heavy
@pytest.mark.timeout(7200)
def test_many_changed_bytes_are_noticed(proof: Proof):
    """The same, in earnest: FORSOOTH_FLIPS=10000 for the whole campaign."""
    flip(proof, int(os.environ.get("FORSOOTH_FLIPS", "200")), seed=2)
