"""Receipts on their way: carried by a reference, merged by union, read from a shallow clone."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from forsooth.errors import CouldNotVerify
from forsooth.git import publish, references
from forsooth.git.edit import Put
from forsooth.receipts import carry
from tests.git.repos import Repo
from tests.receipts.made import AT, receipt

TREES = ("a" * 40, "b" * 40)
POOL = [
    *(carry.Receipt(tree, goal, receipt()) for tree in TREES for goal in ("G001", "plan")),
    *(carry.Seal(digit * 64, b"a seal") for digit in "12"),
]


@pytest.fixture(scope="module")
def repo(tmp_path_factory) -> Repo:
    found = Repo(tmp_path_factory.mktemp("carry") / "repo")
    found.commit(a="1\n")
    return found


def add(repo: Repo, *rows, name: str = carry.REFERENCE) -> str:
    receipts = [row for row in rows if isinstance(row, carry.Receipt)]
    seals = [row for row in rows if isinstance(row, carry.Seal)]
    return carry.add(repo.repo, receipts, seals=seals, at=AT, reference=name)


def held(repo: Repo, name: str = carry.REFERENCE) -> set:
    found = carry.read(repo.repo, reference=name)
    assert found.odd == ()
    return {*found.receipts, *found.seals}


def test_what_is_added_is_read_and_adding_it_again_changes_nothing(repo: Repo):
    """By tree or all at once; the reference moves only for what is new."""
    name = "refs/forsooth/once"
    assert carry.read(repo.repo, reference=name) == carry.Carried()
    first = add(repo, POOL[0], name=name)
    assert add(repo, POOL[0], name=name) == first
    second = add(repo, *POOL[1:], name=name)
    assert repo.git("rev-parse", f"{second}^") == first
    assert held(repo, name) == set(POOL)
    about = carry.read(repo.repo, reference=name, tree=TREES[1])
    assert {one.tree for one in about.receipts} == {TREES[1]}


@settings(max_examples=12)
@given(some.sets(some.sampled_from(POOL), min_size=1), some.sets(some.sampled_from(POOL)))
def test_merging_is_a_union_in_any_order_and_once_is_enough(repo: Repo, mine: set, theirs: set):
    """Both sides end at the same commit, with everything and nothing twice."""
    one, other = "refs/forsooth/one", "refs/forsooth/other"
    for name, rows in ((one, mine), (other, theirs)):
        (repo.repo.common / name).unlink(missing_ok=True)
        add(repo, *sorted(rows, key=str), name=name)
    ends = [references.reference(repo.repo, name) for name in (one, other)]
    merged = carry.merge(repo.repo, str(ends[1]), reference=one)
    assert carry.merge(repo.repo, str(ends[0]), reference=other) == merged
    assert held(repo, one) == mine | theirs
    assert carry.merge(repo.repo, merged, reference=one) == merged
    assert carry.merge(repo.repo, str(ends[1]), reference=one) == merged
    assert not repo.git("log", "--format=%H", str(ends[0]), f"^{merged}")
    assert not repo.git("log", "--format=%H", str(ends[1]), f"^{merged}")


def test_the_first_merge_takes_theirs_as_it_is(repo: Repo):
    """A clone that has none of its own stands where the remote stands."""
    theirs = add(repo, *POOL, name="refs/forsooth/theirs")
    assert carry.merge(repo.repo, theirs, reference="refs/forsooth/fresh") == theirs


def test_what_is_not_named_by_its_content_is_shown_and_never_merged(repo: Repo):
    """A forged name, a stray file and a program are odd; what is sound beside them counts."""
    good = POOL[0]
    odd = {
        f"{TREES[0]}/G002/{'0' * 59}.dsse.json": Put("100644", b"x"),
        f"{TREES[0]}/G001/{'0' * 64}.dsse.json": Put("100644", good.data),
        "README": Put("100644", b"hello"),
        POOL[2].path: Put("100755", POOL[2].data),
    }
    files = odd | {good.path: Put("100644", good.data)}
    tree = publish.files(repo.repo, None, files)
    theirs = publish.commit(repo.repo, tree, parents=(), message="odd", seconds=1)
    publish.move(repo.repo, "refs/forsooth/odd", before=None, after=theirs)
    found = carry.read(repo.repo, reference="refs/forsooth/odd")
    assert (found.receipts, sorted(found.odd)) == ((good,), sorted(odd))
    carry.merge(repo.repo, theirs, reference="refs/forsooth/clean")
    assert held(repo, "refs/forsooth/clean") == {good}


def test_a_receipt_is_filed_only_where_receipts_lie(repo: Repo):
    """A goal that is no goal would be a path of somebody's choosing."""
    for subject in ("../x", "goal"):
        with pytest.raises(CouldNotVerify) as caught:
            add(repo, carry.Receipt(TREES[0], subject, b"x"))
        assert caught.value.code == "unsafe-path"


def test_a_lock_left_behind_is_named(repo: Repo, monkeypatch: pytest.MonkeyPatch):
    """The message says which file to remove."""
    monkeypatch.setattr(carry, "_TRIES", 2)
    lock = repo.repo.common / "refs/forsooth/held.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    with pytest.raises(CouldNotVerify) as caught:
        add(repo, POOL[0], name="refs/forsooth/held")
    assert (caught.value.code, caught.value.hint) == ("locked", f"rm {lock}")


def test_two_writers_at_once_lose_nothing(repo: Repo):
    """Each tries again from where the other left the reference."""
    name = "refs/forsooth/crowd"
    text = (
        "import sys\nfrom pathlib import Path\nfrom forsooth.git.repository import locate\n"
        "from forsooth.receipts import carry\n"
        "repo = locate(Path(sys.argv[1]))\n"
        "for n in range(4):\n"
        "    row = carry.Receipt(sys.argv[2] * 40, 'plan', str(n).encode())\n"
        f"    carry.add(repo, [row], at={AT!r}, reference={name!r})\n"
    )
    argv = [sys.executable, "-c", text, str(repo.folder)]
    running = [subprocess.Popen([*argv, digit]) for digit in "12"]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(held(repo, name)) == 8


def test_receipts_pass_between_two_clones_through_a_bare_remote(tmp_path: Path):
    """Pushed and fetched by the user's own git; a shallow clone reads and merges them too."""
    here = Repo(tmp_path / "here")
    here.commit(a="1\n")
    here.commit(a="2\n")
    here.git("clone", "-q", "--bare", str(here.folder), str(tmp_path / "bare"))
    here.git("remote", "add", "origin", f"file://{tmp_path / 'bare'}")
    here.git("fetch", "-q", "origin", carry.fetching())
    add(here, POOL[0])
    add(here, POOL[1])
    assert carry.pushing()[:3] == ("git", "push", "origin")
    here.git(*carry.pushing()[1:])
    here.git("clone", "-q", "--depth=1", f"file://{tmp_path / 'bare'}", str(tmp_path / "there"))
    there = Repo(tmp_path / "there")
    assert carry.read(there.repo) == carry.Carried()
    there.git("fetch", "-q", "--depth=1", "origin", carry.fetching())
    assert held(there, carry.theirs()) == {POOL[0], POOL[1]}
    same = add(there, POOL[0], POOL[1], name="refs/forsooth/same")
    theirs = there.git("rev-parse", carry.theirs())
    merged = carry.merge(there.repo, theirs, reference="refs/forsooth/same")
    assert set(there.git("log", "-1", "--format=%P", merged).split()) == {same, theirs}
    add(there, POOL[2])
    carry.merge(there.repo, there.git("rev-parse", carry.theirs()))
    assert held(there) == set(POOL[:3])
    there.git(*carry.pushing()[1:])
    here.git("fetch", "-q", "origin", carry.fetching())
    carry.merge(here.repo, here.git("rev-parse", carry.theirs()))
    assert held(here) == set(POOL[:3])
