"""What forsooth costs, each figure beside the bare thing it is compared with, in one run.

python bench/perf.py [--events 1000000] [--rounds 400]

Prints a table, and exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from forsooth.core import command as do
from forsooth.core.actor import Actor
from forsooth.core.canonical import digest
from forsooth.core.decide import decide
from forsooth.core.event import NoteAdded, UsageRecorded, body
from forsooth.core.instant import written
from forsooth.ledger.chain import EMPTY, frame
from forsooth.ledger.disk import Disk
from forsooth.ledger.journal import Journal
from forsooth.ledger.ledger import Ledger, Stamp

BRIEF = """Keep the public interface.

@goal: Reject malformed rows
The importer refuses a bad header and says why.
- [ ] importer tests: `pytest -q tests/test_import.py`

@goal: Normalise records
After: G001
- [ ] normaliser tests: `pytest -q tests/test_normalise.py`

@goal: Export the report
- [ ] docs/report.md contains "## Export"
"""
AGENT = Actor(kind="agent", name="bench")
PROGRAM = str(Path(sys.executable).with_name("forsooth"))


class Row(NamedTuple):
    """One figure, what it stands beside, and the bar it must pass."""

    name: str
    ours: str
    beside: str
    result: str
    bar: str
    holds: bool


class SlowDisk(Disk):
    """A disk whose flush takes three milliseconds, as many do."""

    def fsync(self, fd: int) -> None:  # noqa: ARG002
        end = time.perf_counter() + 0.003
        while time.perf_counter() < end:
            pass


def environment(home: Path) -> dict[str, str]:
    """A user with nothing set."""
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


def forsooth(repo: Path, *argv: str) -> subprocess.CompletedProcess[bytes]:
    """The command line, as installed beside this interpreter."""
    command = [PROGRAM, *argv]
    return subprocess.run(command, cwd=repo, env=environment(repo), capture_output=True, check=True)


def sealed_repo(folder: Path) -> Path:
    """A repository with one sealed plan; returns the plan's folder."""
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "BRIEF.md").write_text(BRIEF)
    forsooth(folder, "plan", "BRIEF.md")
    forsooth(folder, "seal", "--yes")
    return next((folder / ".git/forsooth/plans").iterdir())


def grow(repo: Path, events: int) -> None:
    """Lengthen a ledger by bookkeeping of the usual size, then let it be appended to once."""
    plan, anchor = next((repo / ".git/forsooth/plans").iterdir()), anchor_of(repo)
    path = plan / "ledger.jsonl"
    *_, last = Journal(path, repaired=lambda *_: {}).read()
    seq, head = last.seq, last.digest
    at = written(datetime.now(UTC))
    note = NoteAdded(text="compared the two parsers, kept the stricter one " * 3)
    kinds = (note, UsageRecorded(tokens=1200, cost=340, goal="G001"))
    with path.open("ab") as file:
        while seq < events - 1:
            seq += 1
            line = frame(
                body(kinds[seq % 2], id_=uuid.uuid4().hex, at=at, by=AGENT), seq=seq, prev=head
            )
            head = digest(line)
            file.write(line + b"\n")
    anchor.unlink(missing_ok=True)
    append(ledger(plan, anchor), "grown")


def ledger(plan: Path, anchor: Path, disk: Disk | None = None) -> Ledger:
    """A ledger opened anew."""
    return Ledger(plan, anchor=anchor, stamp=_stamp, disk=disk or Disk())


def _stamp() -> Stamp:
    return Stamp(uuid.uuid4().hex, datetime.now(UTC))


def append(to: Ledger, text: str) -> None:
    """One note, through everything a command goes through."""
    now = datetime.now(UTC)
    to.transact(
        lambda state: decide(state, do.Note(text=text), actor=AGENT, now=now),
        by=AGENT,
        now=now,
        id_=uuid.uuid4().hex,
    )


def timed(action: Callable[[], object]) -> float:
    """Seconds of wall clock."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def interleaved(rounds: int, *actions: Callable[[], object]) -> list[float]:
    """The median of each action, taken in turns so that noise falls on all alike."""
    seen: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for times, action in zip(seen, actions, strict=True):
            times.append(timed(action))
    return [statistics.median(times) for times in seen]


def version() -> Row:
    """The quickest thing the command line answers."""
    python = [sys.executable, "-I", "-c", "pass"]
    ours, bare = interleaved(
        30,
        lambda: subprocess.run([PROGRAM, "--version"], capture_output=True, check=True),
        lambda: subprocess.run(python, check=True),
    )
    return ratio("forsooth --version", ours, "python -I -c pass", bare, 2.0)


def append_row(folder: Path, plan: Path, rounds: int, disk: Disk) -> Row:
    """Our append beside a bare write and fsync of as many bytes."""
    ours = ledger(plan, folder / f"anchor-{type(disk).__name__}", disk)
    append(ours, "x" * 150)
    before = (plan / "ledger.jsonl").stat().st_size
    append(ours, "x" * 150)
    data = b"x" * ((plan / "ledger.jsonl").stat().st_size - before)
    fd = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def bare() -> None:
        os.write(fd, data)
        disk.fsync(fd)

    mine, beside = interleaved(rounds, lambda: append(ours, "x" * 150), bare)
    os.close(fd)
    if isinstance(disk, SlowDisk):
        return ratio("append, 3 ms fsync", mine, "write+fsync", beside, 1.3)
    extra = (mine - beside) * 1e3
    told = f"write+fsync {beside * 1e3:.3f} ms"
    return Row("append", f"{mine * 1e3:.3f} ms", told, f"+{extra:.3f} ms", "+0.3 ms", extra <= 0.3)


class Million:
    """One long ledger and one short one, and what is asked of them."""

    def __init__(self, folder: Path, events: int) -> None:
        self.events, self.long, self.short = events, folder / "million", folder / "hundred"
        sealed_repo(self.short)
        grow(self.short, 100)
        self.plan = sealed_repo(self.long)
        grow(self.long, events)

    def status(self) -> Row:
        """Where are we, with a long past and with a short one."""
        told = json.loads(forsooth(self.long, "status", "--json").stdout)
        assert told["plan"]["seq"] == self.events, told["plan"]
        ours, bare = interleaved(
            15,
            lambda: forsooth(self.long, "status", "--json"),
            lambda: forsooth(self.short, "status", "--json"),
        )
        return ratio(f"status, {self.events:,} events", ours, "100 events", bare, 1.5)

    def chain(self) -> Row:
        """Every line's hash and link."""
        chain = Journal(self.plan / "ledger.jsonl", repaired=lambda *_: {})
        took = timed(lambda: sum(1 for _ in chain.read(EMPTY)))
        return rate("chain check", self.events / took, 100_000)

    def fold(self) -> Row:
        """From the first event to the state, nothing taken from a snapshot."""
        fresh = ledger(self.plan, anchor_of(self.long))
        return rate("full fold", self.events / timed(fresh.proven_state), 40_000)


def measure(folder: Path, *, events: int, rounds: int) -> Iterator[Row]:
    """Every figure, cheapest first."""
    yield version()
    plan = sealed_repo(folder / "small")
    yield append_row(folder, plan, rounds, Disk())
    yield append_row(folder, plan, rounds, SlowDisk())
    million = Million(folder, events)
    yield million.status()
    yield million.chain()
    yield million.fold()


def anchor_of(repo: Path) -> Path:
    """Where the command line anchors the one plan of a repository."""
    return next((repo / ".local/state/forsooth").glob("*/*.head"))


def ratio(name: str, ours: float, beside: str, bare: float, bar: float) -> Row:
    """A figure that must stay within a multiple of another."""
    found = ours / bare
    return Row(
        name,
        f"{ours * 1e3:.2f} ms",
        f"{beside} {bare * 1e3:.2f} ms",
        f"× {found:.2f}",
        f"× {bar}",
        found <= bar,
    )


def rate(name: str, found: float, bar: int) -> Row:
    """A figure that must reach a rate."""
    return Row(name, "", "", f"{found:,.0f}/s", f"{bar:,}/s", found >= bar)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=400)
    wanted = parser.parse_args()
    kept = True
    print(f"{'':24} {'ours':>12}  {'beside':28} {'result':>12}  bar")
    with tempfile.TemporaryDirectory() as name:
        for row in measure(Path(name), events=wanted.events, rounds=wanted.rounds):
            mark = "" if row.holds else "  MISSED"
            print(
                f"{row.name:24} {row.ours:>12}  {row.beside:28} {row.result:>12}  {row.bar}{mark}"
            )
            kept &= row.holds
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
