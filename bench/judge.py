"""What a look and a claim cost beside the bare commands, as ratios in one run.

Bare is the criterion and the suite one after another, in the work tree. Each ratio is of two times
taken right after each other, and the median of `--times` such pairs: other load weighs on both.
`--seconds` is how long the suite sleeps.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

BRIEF = """
@goal: Fix add
Intent: fix
- [ ] add works: `python3 -m unittest -q tests.test_calc`
"""
UNITTEST = """
import time
import unittest

from calc import add


class Adds(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_slow(self):
        time.sleep({seconds})
"""
SUITE = ("python3", "-m", "unittest", "-q", "tests.test_calc")
FIXED = "def add(a, b):\n    return a + b\n"
TOLD = re.compile(r"a claim will take about (?P<many>\d+) (?P<unit>s|min)")
UNCHANGED = 0.05  # seconds beyond process start
SHORT, LONG = 2.0, 60.0  # seconds of suite: below and above these the bars are others
WITHIN = 0.5  # of the estimate


class Row(NamedTuple):
    """One figure beside its bar."""

    name: str
    figure: float
    bar: float

    @property
    def holds(self) -> bool:
        """Whether it is within its bar."""
        return self.figure <= self.bar


class Pair(NamedTuple):
    """Ours and the bare thing, taken right after each other."""

    ours: float
    bare: float


class Place:
    """A repository with one bug and a suite that takes its time."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder, self.home = folder / "repo", folder / "home"
        self.folder.mkdir()
        self.home.mkdir()
        self.write("calc.py", "def add(a, b):\n    return a - b\n")
        self.write("tests/__init__.py", "")
        self.write(".gitignore", "__pycache__/\n")
        self.write("tests/test_calc.py", UNITTEST.format(seconds=seconds))
        self.write("BRIEF.md", f"Suite: `{' '.join(SUITE)}`\n{BRIEF}")
        for argv in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "base"]):
            self.run("git", "-c", "user.name=a", "-c", "user.email=a@b", *argv)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def run(self, *argv: str) -> float:
        """How long a command takes; what it printed is in `said`."""
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        begun = time.perf_counter()
        done = subprocess.run(argv, cwd=self.folder, env=env, capture_output=True, check=False)
        took = time.perf_counter() - begun
        self.said = done.stdout.decode()
        if done.returncode:
            raise SystemExit(f"{argv}: {self.said}{done.stderr.decode()}")
        return took

    def forsooth(self, *argv: str) -> float:
        """How long a verb takes."""
        return self.run(sys.executable, "-m", "forsooth", *argv)

    def bare(self) -> float:
        """How long the criterion and the suite take, one after the other."""
        return self.run(*SUITE) + self.run(*SUITE)


class Costs:
    """A sealed place, and what is asked of it over and over."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.place, self.seconds = Place(folder, seconds), seconds
        self.place.forsooth("plan", "BRIEF.md")
        self.place.forsooth("seal", "--yes")
        self.estimate = estimated(self.place.said)
        self._edits = 0

    def look(self) -> Pair:
        """A look at everything, beyond process start."""
        self._edit()
        bare, start = self.place.bare(), self.place.forsooth("--version")
        return Pair(self.place.forsooth("check", "--fresh") - start, bare)

    def again(self) -> Pair:
        """A look at what was looked at before."""
        return Pair(self.place.forsooth("check"), self.place.forsooth("--version"))

    def claim(self) -> Pair:
        """A claim of what was never claimed."""
        self._edit()
        bare = self.place.bare()
        return Pair(self.place.forsooth("done", "G001"), bare)

    def _edit(self) -> None:
        self._edits += 1
        self.place.write("calc.py", f"{FIXED}# {self._edits}\n")

    def look_row(self, times: int) -> Row:
        """Within 15 % on a short suite and 5 % on a long one."""
        bar = 1.15 if self.seconds < SHORT else 1.05
        return Row(
            "check, × bare", median(one.ours / one.bare for one in self._of(self.look, times)), bar
        )

    def again_row(self, times: int) -> Row:
        """A twentieth of a second."""
        self._edit()
        self.place.forsooth("check")
        pairs = self._of(self.again, times)
        return Row("unchanged, s", median(one.ours - one.bare for one in pairs), UNCHANGED)

    def claim_rows(self, times: int) -> tuple[Row, Row]:
        """Eight times a short suite, 3.5 times a longer, 1.3 and a minute of a very long one."""
        pairs = self._of(self.claim, times)
        bare = median(one.bare for one in pairs)
        bar = 8.0 if self.seconds < SHORT else 3.5 if self.seconds < LONG else 1.3 + 60 / bare
        off = median(abs(self.estimate - one.ours) / one.ours for one in pairs)
        return (
            Row("done, × bare", median(one.ours / one.bare for one in pairs), bar),
            Row("estimate, off by", off, WITHIN),
        )

    def _of(self, ask: Callable[[], Pair], times: int) -> list[Pair]:
        return [ask() for _ in range(times)]


def estimated(said: str) -> float:
    """How many seconds a claim was said to take."""
    found = TOLD.search(said)
    if found is None:
        raise SystemExit(f"no estimate: {said}")
    return int(found["many"]) * (60 if found["unit"] == "min" else 1)


def measured(seconds: float, times: int) -> list[Row]:
    """Every figure for one length of suite."""
    with tempfile.TemporaryDirectory() as name:
        costs = Costs(Path(name), seconds)
        return [costs.look_row(times), costs.again_row(times), *costs.claim_rows(times)]


def main() -> None:
    """Print each figure beside its bar; fail when one does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, nargs="*", default=[0.5, 10.0])
    parser.add_argument("--times", type=int, default=5)
    told = parser.parse_args()
    rows = [(seconds, row) for seconds in told.seconds for row in measured(seconds, told.times)]
    for seconds, row in rows:
        word = "holds" if row.holds else "TOO MUCH"
        print(f"suite {seconds:g} s: {row.name:18} {row.figure:6.3f} of {row.bar:5.2f} {word}")
    sys.exit(not all(row.holds for _, row in rows))


if __name__ == "__main__":
    main()
