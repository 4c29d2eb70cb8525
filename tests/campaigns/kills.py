"""Kill forsooth at random moments of plan, seal, check and done; printed commands lead on.

    make campaign-kills ARGS="--kills 200"
    python tests/campaigns/kills.py --first 41 --kills 1 --show

Each kill is SIGKILL of the forsooth process alone, in a fresh repository with a home of its own. A
number decides which command is killed and at which part of its usual time; a command that ended
earlier is run again and killed sooner. Then `forsooth` is asked, and nothing is typed but what is
printed, until the goal is proven. After the next start no process, no mount and no temporary file
of the killed one may be left, and the ledger must be whole.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from forsooth.judge.sandbox import cgroup
from tests.e2e.place import AGENT, FORSOOTH, Answer, Place, new

BRIEF = '@goal: Greet\n- [ ] greet says day: `sh greet.sh` exits 0, stdout has "day"\n'
WORK = "echo good day\n"
VERBS = {
    "plan": ("plan", "BRIEF.md"),
    "seal": ("seal", "--yes"),
    "check": ("check",),
    "done": ("done", "G001"),
}
OF_PERSONS = ("plan", "seal")
STEPS = 12  # commands after one kill; more is a circle
SECONDS = 120
GONE = 10.0  # seconds in which what was ended must be gone
TRIES = 10  # of one kill, each at half the time of the last
LATEST = 1.2  # of a command's usual time
HANDED = 0.5  # how many claims are of an attempt that `next` opened
CLAIM = re.compile(r"^When it holds: +forsooth (.+)$", re.MULTILINE)
PRINTED = re.compile(r"^ *(?:next|try): forsooth ([^\n]+)$", re.MULTILINE)
UNFINISHED = ("*.tmp", "tmp*", "*.lock")


class Failed(Exception):
    """What must not happen happened."""


class Kill(NamedTuple):
    """One kill: of what, when, what was typed after it, how it ended, and what is wrong."""

    number: int
    verb: str
    after: float
    typed: tuple[str, ...]
    end: str
    problem: str = ""


class Stages:
    """A repository as it is before each command, and how long each usually takes."""

    def __init__(self, folder: Path, *, show: bool = False) -> None:
        self.folder, self.show = folder, show
        self.usual: dict[str, float] = {}
        place = new(folder / "place")
        (folder / "place" / "tmp").mkdir()
        place.write("greet.sh", "echo hi\n")
        place.write("BRIEF.md", BRIEF)
        place.git("add", "-A")
        place.git("commit", "-qm", "begin")
        for verb, argv in VERBS.items():
            if verb == "check":
                do_work(place)
            shutil.copytree(folder / "place", folder / verb, symlinks=True)
            self.run(place, *argv)

    def fresh(self, verb: str) -> Place:
        """The repository as it is before a command, always at the same path."""
        place = self.folder / "place"
        shutil.rmtree(place)
        shutil.copytree(self.folder / verb, place, symlinks=True)
        return Place(place / "repo", place / "home")

    def environment(self, place: Place, verb: str) -> dict[str, str]:
        who = {} if verb in OF_PERSONS else AGENT
        return place.environment({**who, "TMPDIR": str(self.folder / "place" / "tmp")})

    def run(self, place: Place, *argv: str) -> Answer:
        """Run a command to its end; how long it took is usual from then on."""
        began = time.monotonic()
        done = subprocess.run(
            [*FORSOOTH, *argv],
            cwd=place.folder,
            env=self.environment(place, argv[0] if argv else ""),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if argv:
            self.usual[argv[0]] = time.monotonic() - began
        if self.show:
            print(f"$ forsooth {' '.join(argv)}\n{done.stdout}{done.stderr}")
        if "Traceback" in done.stderr:
            raise Failed(f"{argv}: {done.stderr}")
        return Answer(done.returncode, done.stdout, done.stderr)

    def kill(self, place: Place, argv: tuple[str, ...], after: float) -> int | None:
        """Kill a command after some seconds; its number, or none when it had ended before."""
        with subprocess.Popen(
            [*FORSOOTH, *argv],
            cwd=place.folder,
            env=self.environment(place, argv[0]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(after)
                return None
            process.kill()
        return process.pid


def follow(stages: Stages, place: Place, typed: list[str], *, killed: int) -> str:
    """Type what is printed until everything is proven; how it ended."""
    argv: list[str] = []
    for _ in range(STEPS):
        answer = stages.run(place, *argv)
        typed.append(f"forsooth {' '.join(argv)}".strip())
        if len(typed) == 1:
            require_nothing_left(place, killed, whole=False)
        claims, printed = CLAIM.findall(answer.out), PRINTED.findall(answer.out + answer.err)
        if claims:
            do_work(place)
        elif not printed:
            break
        argv = (claims or printed)[-1].split()
        if argv == ["seal"]:
            argv = ["seal", "--yes"]  # a script answers the question for a person
    else:
        raise Failed("it goes round in a circle")
    if not is_proven(stages, place):
        raise Failed(f"no command is named, and nothing is proven:\n{answer.out}{answer.err}")
    return "proven"


def do_work(place: Place) -> None:
    """What the goal asks for, committed once."""
    if (place.folder / "greet.sh").read_text(encoding="utf-8") != WORK:
        place.commit("greet.sh", WORK)


def is_proven(stages: Stages, place: Place) -> bool:
    """Whether the plan is proven, as `status` and a verifier say."""
    status = stages.run(place, "status", "--json")
    is_done = status.code == 0 and (status.data.get("plan") or {}).get("status") == "done"
    return is_done and stages.run(place, "verify").code == 0


def processes(place: Place, killed: int) -> Iterator[str]:
    """Everything that runs or is mounted for a killed process."""
    root = os.fsencode(place.folder.parent)
    marks = (b"HOME=" + root, b"FORSOOTH_SCRATCH=forsooth-%d-" % killed)
    for entry in Path("/proc").glob("[0-9]*"):
        if int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            said = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
            mounts = (entry / "mountinfo").read_bytes()
            if root in said[0] or any(mark in said[1] for mark in marks):
                yield f"process {entry.name}: {said[0][:200].decode(errors='replace')}"
            elif root in mounts:
                yield f"a mount in process {entry.name}"


def files(place: Place, *, whole: bool) -> Iterator[str]:
    """Temporary files and folders that are left; `whole` also where state and objects are kept."""
    folder = place.folder.parent
    yield from (f"temporary {path.name}" for path in (folder / "tmp").iterdir())
    for home in (place.folder / ".git", place.home) if whole else ():
        for pattern in UNFINISHED:
            for path in home.rglob(pattern):
                if path.suffix != ".lock" or home != place.home:
                    yield f"temporary {path.relative_to(folder)}"


def groups(killed: int) -> Iterator[str]:
    """Control groups that are left."""
    for home in cgroup.homes():
        yield from map(str, home.folder.glob(f"{cgroup.PREFIX}{killed}-*"))


def require_nothing_left(place: Place, killed: int, *, whole: bool) -> None:
    """Nothing of a killed process is left, at the latest a moment after the start that ended it."""
    end = time.monotonic() + GONE
    while left := [*processes(place, killed), *files(place, whole=whole)]:
        if time.monotonic() > end:
            raise Failed(f"left behind: {left}")
        time.sleep(0.05)
    if whole and (left := [*groups(killed)]):
        raise Failed(f"left behind: {left}")


def one_kill(number: int, stages: Stages) -> Kill:
    """One kill and what follows it."""
    chance = random.Random(number)
    verb = tuple(VERBS)[number % len(VERBS)]
    after = chance.random() * LATEST * stages.usual[verb]
    is_handed = verb == "done" and chance.random() < HANDED
    typed: list[str] = []
    for _ in range(TRIES):
        place, argv = stages.fresh(verb), VERBS[verb]
        if is_handed:
            argv = tuple(CLAIM.findall(stages.run(place, "next").out)[0].split())
        killed = stages.kill(place, argv, after)
        if killed:
            break
        after *= 0.5
    else:
        return Kill(number, verb, after, (), "ended before", "")
    try:
        end = follow(stages, place, typed, killed=killed)
        require_nothing_left(place, killed, whole=True)
        if (fsck := stages.run(place, "fsck")).code:
            raise Failed(f"fsck: {fsck.out}{fsck.err}")
    except (Failed, subprocess.TimeoutExpired) as error:
        return Kill(number, verb, after, tuple(typed), "failed", str(error))
    return Kill(number, verb, after, tuple(typed), end)


def campaign(kills: int, *, first: int = 1, show: bool = False) -> Iterator[Kill]:
    """So many kills, the commands in turn."""
    with tempfile.TemporaryDirectory(prefix="forsooth-kills-") as folder:
        stages = Stages(Path(folder).resolve(), show=show)
        for number in range(first, first + kills):
            yield one_kill(number, stages)


def main() -> int:
    """Kill, follow, and count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="the number of the first kill")
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    began, ends, wrong = time.monotonic(), Counter[tuple[str, str]](), 0
    for kill in campaign(args.kills, first=args.first, show=args.show):
        ends[kill.verb, kill.end] += 1
        wrong += bool(kill.problem)
        typed = " · ".join(kill.typed)
        print(f"{kill.number} {kill.verb} after {kill.after:.2f} s: {kill.end} ({typed})")
        print(kill.problem, end="\n" if kill.problem else "", flush=True)
    for (verb, end), count in sorted(ends.items()):
        print(f"{verb} {end}: {count}")
    print(f"{args.kills} kills, {wrong} not as they must be, {time.monotonic() - began:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
