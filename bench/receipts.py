"""What receipts cost: signing and verifying one beside a bare ssh-keygen pair, and many at once.

python bench/receipts.py [--rounds 100] [--receipts 1000] [--trees 100] [--events 1000000]

Exits 1 when signing and verifying take 50 ms more than the bare pair.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import perf
from forsooth.core.actor import Actor
from forsooth.core.instant import moment, written
from forsooth.git.objects import tree_of
from forsooth.git.repository import locate
from forsooth.git.trees import listing, listing_digest
from forsooth.project import Project
from forsooth.receipts import carry, dsse, keys, ssh, statement, verify
from forsooth.receipts.signers import Signer
from tests.receipts import made, openssh

BAR = 50.0


def median(rounds: int, work: Callable[[], object]) -> float:
    """The median of some rounds, in milliseconds."""
    took: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)


def pair(folder: Path, path: Path, message: bytes) -> None:
    """Sign and verify with ssh-keygen alone."""
    blob = openssh.signed(path, message)
    asked = {"message": message, "namespace": "forsooth-receipt"}
    assert openssh.accepts(folder, openssh.half(path), blob, **asked)


def whole(key: dsse.Signing, signer: Signer) -> None:
    """Build, sign and verify one receipt."""
    data = dsse.sign(statement.encoded(made.build()), key)
    assert verify.verified(data, now=made.NOW, signers=[signer], tree=made.TREE).holds


def proven(folder: Path) -> Path:
    """A repository with one proven plan, whose home it is too."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "say.sh").write_text("exit 1\n")
    (folder / "BRIEF.md").write_text("@goal: Say\n- [ ] `sh say.sh` exits 0\n")
    (folder / ".gitignore").write_text(".cache\n.local\n.config\n")
    commit(folder, "begin")
    perf.forsooth(folder, "plan", "BRIEF.md")
    perf.forsooth(folder, "seal", "--yes")
    (folder / "say.sh").write_text("exit 0\n")
    commit(folder, "work")
    perf.forsooth(folder, "done", "G001")
    return folder


def git(folder: Path, *argv: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *who, *argv], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


def carried(folder: Path, receipts: int, *, trees: int) -> None:
    """Many receipts of the plan, each signed anew, about the trees of some commits."""
    repo = locate(folder)
    said = statement.decoded(dsse.opened(carry.read(repo).receipts[0].data).payload)
    places: list[tuple[str, str]] = []
    for number in range(trees):
        (folder / "notes.md").write_text(f"{number}\n")
        commit(folder, f"note {number}")
        tree = tree_of(repo, git(folder, "rev-parse", "HEAD"))
        places.append((tree, listing_digest(listing(repo, tree))))
    git(folder, "checkout", "-q", "-b", "elsewhere")
    (folder / "notes.md").write_text("another\n")
    commit(folder, "elsewhere")
    git(folder, "checkout", "-q", "main")
    key, start = keys.judge(folder), moment(said.predicate.at)
    rows: list[carry.Receipt] = []
    for number in range(receipts):
        tree, sha256 = places[number % trees]
        predicate = said.predicate.but(
            subject="plan", at=written(start + timedelta(milliseconds=number))
        )
        made_ = said._replace(tree=tree, listing_sha256=sha256, predicate=predicate)
        rows.append(carry.Receipt(tree, "plan", dsse.sign(statement.encoded(made_), key)))
    carry.add(repo, rows, at=said.predicate.at)


def many(folder: Path, *, receipts: int, trees: int, events: int) -> None:
    """Print what it takes to look at all that a repository carries."""
    place = proven(folder)
    carried(place, receipts, trees=trees)
    environment = {"HOME": str(place)}

    def looked(head: str = "HEAD") -> None:
        project = Project(place, actor=Actor(kind="human"), environment=environment)
        assert bool(project.audit(head=head).missing) == (head != "HEAD")

    took = spent(looked)
    told("verify of carried receipts", took, receipts, "receipts")
    told("  where none is about the tree", spent(lambda: looked("elsewhere")), receipts, "receipts")
    bare = perf.timed(lambda: perf.forsooth(place, "verify"))
    print(f"  as a command                                  {bare:8.2f} s")
    perf.grow(place, events)
    told("  and a long ledger", spent(looked), events, "events")


class Spent(NamedTuple):
    """Seconds by the wall and of the processor, which a busy machine does not stretch."""

    wall: float
    cpu: float


def spent(work: Callable[[], object]) -> Spent:
    """What something takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def told(name: str, took: Spent, many: int, what: str) -> None:
    """One row: seconds, and how many a second of the processor."""
    rate = f"{many} {what}, {many / took.cpu:,.0f} a s of processor"
    print(f"{name:46}{took.wall:8.2f} s, {took.cpu:.2f} s of processor: {rate}")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--receipts", type=int, default=1000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--events", type=int, default=1_000_000)
    asked = parser.parse_args()
    rounds = asked.rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = openssh.made(folder)
        judge, user = keys.judge(folder), ssh.user(folder, path=path)
        assert user
        message = dsse.pae(dsse.RECEIPT, statement.encoded(made.build()))
        mine = Signer("judge", judge.public, ("judge",))
        theirs = Signer("ada", user.public, ("person",))
        bare = median(rounds, lambda: pair(folder, path, message))
        by_judge = median(rounds, lambda: whole(judge, mine))
        by_user = median(rounds, lambda: whole(user, theirs))
        data = made.receipt()
        alone = median(rounds * 10, lambda: verify.verified(data, now=made.NOW, signers=[mine]))
    empty = median(rounds, lambda: subprocess.run(["/bin/true"], check=True))
    print(f"ssh-keygen -Y sign + verify (two processes)   {bare:8.2f} ms")
    print(f"one process that does nothing                 {empty:8.2f} ms")
    print(f"receipt by the judge's key: sign + verify     {by_judge:8.2f} ms")
    print(f"receipt by the user's SSH key: sign + verify  {by_user:8.2f} ms")
    print(f"verify alone                                  {alone:8.3f} ms, {1000 / alone:.0f} a s")
    with tempfile.TemporaryDirectory() as name:
        many(Path(name) / "repo", receipts=asked.receipts, trees=asked.trees, events=asked.events)
    return int(max(by_judge, by_user) > bare + BAR)


if __name__ == "__main__":
    sys.exit(main())
