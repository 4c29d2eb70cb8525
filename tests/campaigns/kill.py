"""Kill writers with SIGKILL again and again, and see that nothing acknowledged is lost.

    python tests/campaigns/kill.py --kills 10000

A writer acknowledges through a pipe after its append has returned. Every other writer writes in two
halves, so that kills also land between them. A kill keeps the page cache: this is about tearing and
locking; power loss is simulated.
"""

from __future__ import annotations

import argparse
import os
import select
import signal
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from forsooth.ledger.anchor import Anchor
from forsooth.ledger.chain import unframe
from forsooth.ledger.disk import Disk
from forsooth.ledger.journal import Journal
from tests.ledger.simulation import body, repaired

WRITERS = 4


class Outcome(NamedTuple):
    """What a campaign saw."""

    kills: int
    acknowledged: int
    lost: int
    repaired: int
    errors: list[str]
    seconds: float


class Halves(Disk):
    """The real disk, writing half of what it is given, as a disk may."""

    def write(self, fd: int, data: bytes | memoryview) -> int:
        return super().write(fd, data[: (len(data) + 1) // 2])


class Writer:
    """A forked process that appends until it is killed."""

    def __init__(self, number: int, folder: Path, *, kind: type[Journal]) -> None:
        self.pipe, ours = os.pipe()
        self.heard = b""
        self.pid = os.fork()
        if not self.pid:
            # Whatever happens, the child must never return into the parent's code.
            try:
                _append_for_ever(number, folder, kind=kind, pipe=ours)
            except BaseException as error:  # noqa: BLE001
                os.write(ours, f"! {error!r}\n".encode()[:4096])
            finally:
                os._exit(1)
        os.close(ours)

    def listen(self) -> bool:
        """Take in what is in the pipe; false at its end."""
        said = os.read(self.pipe, 1 << 16)
        self.heard += said
        return bool(said)

    def kill(self) -> list[str]:
        """End it and return every complete thing it said."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        while self.listen():
            pass
        os.close(self.pipe)
        return self.heard.decode().split("\n")[:-1]


def _journal(folder: Path, *, kind: type[Journal], disk: Disk) -> Journal:
    anchor = Anchor(folder / "anchor", disk=disk)
    return kind(folder / "ledger.jsonl", repaired=repaired, disk=disk, anchor=anchor)


def _append_for_ever(number: int, folder: Path, *, kind: type[Journal], pipe: int) -> None:
    journal = _journal(folder, kind=kind, disk=Halves() if number % 2 else Disk())
    count = 0
    while True:
        count += 1
        id = f"w{number}-{count}"
        with journal.locked() as turn:
            (record,) = turn.append([body(id, text="x" * 200)])
        os.write(pipe, f"{id} {record.seq} {record.digest}\n".encode())


def campaign(kills: int, folder: Path, *, kind: type[Journal] = Journal, seed: int = 0) -> Outcome:
    """Kill one of the writers at a time, at a random moment, and start another in its place."""
    rng, began, said = Random(seed), time.monotonic(), list[str]()
    writers = [Writer(number, folder, kind=kind) for number in range(WRITERS)]
    try:
        for number in range(kills):
            _listen(writers, rng)
            slot = rng.randrange(WRITERS)
            said += writers[slot].kill()
            writers[slot] = Writer(WRITERS + number, folder, kind=kind)
    finally:
        for writer in writers:
            said += writer.kill()
    return _judge(kills, folder, said=said, began=began)


def _listen(writers: list[Writer], rng: Random) -> None:
    """Wait a random moment, cut short now and then by an acknowledgement."""
    for _ in range(rng.randint(1, 4)):
        ready, _, _ = select.select([w.pipe for w in writers], [], [], rng.random() / 200)
        for writer in writers:
            if writer.pipe in ready:
                writer.listen()


def _judge(kills: int, folder: Path, *, said: list[str], began: float) -> Outcome:
    errors = [line for line in said if line.startswith("!")]
    told = [line.split() for line in said if not line.startswith("!")]
    found: dict[str, str] = {}
    repairs = 0
    try:
        for record in _journal(folder, kind=Journal, disk=Disk()).read():
            found[str(record.seq)] = record.digest
            repairs += unframe(record.line)["kind"] == "ledger.repaired"
    except Exception as error:  # noqa: BLE001
        errors.append(repr(error))
    lost = sum(found.get(seq) != digest for _, seq, digest in told)
    return Outcome(kills, len(told), lost, repairs, errors, time.monotonic() - began)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="where to keep the ledger; default: memory")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    memory = Path("/dev/shm")
    place = options.folder or (memory if memory.is_dir() else None)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        outcome = campaign(options.kills, Path(folder), seed=options.seed)
    print(
        f"kills {outcome.kills}, acknowledged {outcome.acknowledged}, lost {outcome.lost}, ", end=""
    )
    print(f"torn tails repaired {outcome.repaired}, seconds {outcome.seconds:.1f}")
    for error in outcome.errors:
        print(error)
    sys.exit(1 if outcome.lost or outcome.errors else 0)


if __name__ == "__main__":
    main()
