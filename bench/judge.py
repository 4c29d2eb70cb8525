"""What a look and a claim cost beside the bare commands, as ratios in one run.

Bare is the criterion and the suite one after another, in the work tree. `--seconds` is how long the
suite sleeps; each figure is the best of `--times`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


class Place:
    """A repository with one bug and a suite that takes its time."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder, self.home = folder / "repo", folder / "home"
        self.folder.mkdir()
        self.home.mkdir()
        self.write("calc.py", "def add(a, b):\n    return a - b\n")
        self.write("tests/__init__.py", "")
        self.write("tests/test_calc.py", UNITTEST.format(seconds=seconds))
        self.write("BRIEF.md", f"Suite: `{' '.join(SUITE)}`\n{BRIEF}")
        for argv in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "base"]):
            self.run("git", "-c", "user.name=a", "-c", "user.email=a@b", *argv)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def run(self, *argv: str, ok: bool = True) -> float:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        begun = time.perf_counter()
        done = subprocess.run(argv, cwd=self.folder, env=env, capture_output=True, check=False)
        if ok and done.returncode:
            raise SystemExit(f"{argv}: {done.stdout.decode()}{done.stderr.decode()}")
        return time.perf_counter() - begun

    def forsooth(self, *argv: str) -> float:
        return self.run(sys.executable, "-m", "forsooth", *argv)


def measured(seconds: float, times: int) -> dict[str, float]:
    """Every figure for one length of suite."""
    with tempfile.TemporaryDirectory() as name:
        place = Place(Path(name), seconds)
        place.forsooth("plan", "BRIEF.md")
        seal = place.forsooth("seal", "--yes")
        place.write("calc.py", "def add(a, b):\n    return a + b\n")
        start = min(place.forsooth("--version") for _ in range(3))
        bare = min(place.run(*SUITE) + place.run(*SUITE) for _ in range(times))
        look = min(place.forsooth("check", "--fresh") for _ in range(times))
        again = min(place.forsooth("check") for _ in range(3))
        claim = place.forsooth("done", "G001")
        return {
            "suite": seconds,
            "bare": bare,
            "start": start,
            "seal": seal,
            "check": look,
            "check/bare": look / bare,
            "(check-start)/bare": (look - start) / bare,
            "unchanged-start": again - start,
            "done": claim,
            "done/bare": claim / bare,
        }


def main() -> None:
    """Print one line a suite."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, nargs="*", default=[0.5, 10.0])
    parser.add_argument("--times", type=int, default=3)
    told = parser.parse_args()
    for seconds in told.seconds:
        found = measured(seconds, told.times)
        print(json.dumps({name: round(value, 3) for name, value in found.items()}))


if __name__ == "__main__":
    main()
