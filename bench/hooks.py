"""What a hook costs, as ratios to a bare interpreter in one run, taken in random turns.

python bench/hooks.py [--rounds 60] [--events 1000000]

Prints a table, and exits 1 when a bar is missed: an idle gate 0.15, an active hook 2.2, and the
same with a long ledger. `bare` is `python -I -c pass`; payloads are of a usual size.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from perf import grow, sealed_repo

SOURCE = Path(__file__).parents[1] / "src"
IDLE, ACTIVE = 0.15, 2.2


class Case(NamedTuple):
    """One call that is timed, and the bar it must pass."""

    name: str
    argv: tuple[str, ...]
    folder: Path
    payload: bytes
    bar: float


class Took(NamedTuple):
    """Wall clock and processor time, in seconds."""

    wall: float
    cpu: float


def gate(folder: Path) -> str:
    """The gate as a package for this machine has it."""
    path = folder / "gate"
    script = (SOURCE / "forsooth/hooks/gate.sh").read_text()
    script = script.replace("\npython=\n", f"\npython={sys.executable}\n")
    path.write_text(script.replace("\nlibrary=\n", f"\nlibrary={SOURCE}\n"))
    path.chmod(0o755)
    return str(path)


def called(case: Case) -> Took:
    """Run one case as a host does, and see what it took."""
    read, write = os.pipe()
    os.write(write, case.payload)
    os.close(write)
    os.chdir(case.folder)
    quiet = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    begun = time.perf_counter()
    actions = [(os.POSIX_SPAWN_DUP2, read, 0), quiet]
    pid = os.posix_spawn(case.argv[0], case.argv, os.environ, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    wall = time.perf_counter() - begun
    os.close(read)
    assert status == 0, case
    return Took(wall, used.ru_utime + used.ru_stime)


def payload(folder: Path, **more: object) -> bytes:
    """What a host sends, with the fields that all events have."""
    common = {"session_id": "s1", "transcript_path": str(folder / "t.jsonl"), "cwd": str(folder)}
    return json.dumps({**common, "permission_mode": "default", **more}).encode()


def cases(folder: Path, events: int) -> list[Case]:
    """Bare, idle, active, and active beside a long ledger."""
    script = gate(folder)
    plain = folder / "plain" / "src" / "deep"
    plain.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder / "plain")], check=True)
    sealed_repo(folder / "short")
    sealed_repo(folder / "long")
    grow(folder / "long", events)
    ls = {"tool_name": "Bash", "tool_input": {"command": "ls -la src"}}
    talk = {"prompt": "please have a look at the parser " * 20}
    rows = [Case("bare", (sys.executable, "-I", "-c", "pass"), folder, b"", 9.9)]
    for event, more in (("stop", {}), ("pre_tool", ls), ("prompt", talk)):
        argv = (script, "claude", event)
        rows.append(Case(f"idle {event}", argv, plain, payload(plain, **more), IDLE))
    for name in ("short", "long"):
        at = folder / name
        wide = f", {events:,} events" if name == "long" else ""
        armed = Case("", (script, "claude", "prompt"), at, payload(at, prompt="ulw"), ACTIVE)
        called(armed)
        for event, more in (("stop", {}), ("pre_tool", ls), ("prompt", talk)):
            argv = (script, "claude", event)
            rows.append(Case(f"active {event}{wide}", argv, at, payload(at, **more), ACTIVE))
    return rows


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--events", type=int, default=1_000_000)
    wanted = parser.parse_args()
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        rows = cases(Path(name), wanted.events)
        seen: dict[str, list[Took]] = {case.name: [] for case in rows}
        for _ in range(wanted.rounds):
            for case in random.sample(rows, len(rows)):
                seen[case.name].append(called(case))
        os.chdir(here)
    middle = {
        name: Took(*(statistics.median(column) for column in zip(*took, strict=True)))
        for name, took in seen.items()
    }
    bare, kept = middle["bare"], True
    print(f"{'':36} {'wall':>9} {'ratio':>6} {'cpu':>6}  bar")
    for case in rows:
        took = middle[case.name]
        ratio = took.wall / bare.wall
        mark = "" if ratio <= case.bar else "  MISSED"
        bar = "" if case.name == "bare" else f"{case.bar}{mark}"
        cpu = took.cpu / bare.cpu
        print(f"{case.name:36} {took.wall * 1e3:6.2f} ms {ratio:6.2f} {cpu:6.2f}  {bar}")
        kept &= ratio <= case.bar
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
