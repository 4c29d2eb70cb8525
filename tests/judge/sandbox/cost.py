"""What sandbox and clean copy cost, as ratios in one run: `python -m tests.judge.sandbox.cost`."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from forsooth.git.repository import locate
from forsooth.judge.copies import Copies
from forsooth.judge.sandbox import confine, root
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.job import GIB, Job, Limits, Mount, Sandbox
from forsooth.judge.sandbox.landlock import Landlock
from tests.judge.conftest import strict_here

ROUNDS = 60
FILES = 5000


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def shown(name: str, taken: list[float], bare: float) -> None:
    taken.sort()
    middle, least = statistics.median(taken), taken[0]
    sys.stdout.write(f"{name:32} median {middle:7.1f} ms  least {least:7.1f} ms")
    sys.stdout.write(f"  +{middle - bare:6.1f} ms  × {middle / bare:5.1f} bare\n")


def starts(folder: Path) -> None:
    mounts = (Mount(folder, "/srv/repo", "overlay"),)
    job = Job(("true",), "/srv/repo", mounts=mounts)
    limited = job._replace(limits=Limits(memory=GIB))
    strict = strict_here()
    lesser: Sandbox = Landlock(root.entries(), confine.abi())
    ways: dict[str, Callable[[], object]] = {
        "bare exec of true": lambda: subprocess.run(["/bin/true"], check=True),
        "python -c pass": lambda: subprocess.run([sys.executable, "-I", "-c", ""], check=True),
        "strict": lambda: strict.run(job),
        "strict, memory limit": lambda: strict.run(limited),
        "landlock": lambda: lesser.run(job),
        "none": lambda: Bare().run(job),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            taken[name].append(milliseconds(way))
    bare = statistics.median(taken["bare exec of true"])
    for name, times in taken.items():
        shown(name, times, bare)


def copies(folder: Path) -> None:
    repo = folder / "repo"
    chance = random.Random(1)
    for number in range(FILES):
        path = repo / f"d{number % 97}" / f"e{number % 7}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(chance.randbytes(3000).hex())
    git = ["git", "-C", str(repo), "-c", "user.name=a", "-c", "user.email=a@example.invalid"]
    trees: list[str] = []
    subprocess.run([*git, "init", "-q"], check=True)
    for number in range(2):
        for path in list(repo.glob("d1/*/*.py"))[:20]:
            path.write_text(str(number))
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
        asked = [*git, "rev-parse", "HEAD^{tree}"]
        trees.append(subprocess.run(asked, check=True, capture_output=True, text=True).stdout[:-1])
    pool = Copies(locate(repo), folder / "pool", most=1)

    def hold(tree: str, *, written: bool = False) -> None:
        with pool.at(tree, written=written):
            pass

    sys.stdout.write(f"first copy {milliseconds(lambda: hold(trees[0])):.0f} ms\n")
    taken: dict[str, list[float]] = {"moved": [], "same tree": [], "after a run wrote in it": []}
    for number in range(20):
        tree = trees[(number + 1) % 2]
        taken["moved"].append(milliseconds(lambda tree=tree: hold(tree)))
        taken["same tree"].append(milliseconds(lambda tree=tree: hold(tree)))
        hold(tree, written=True)
        taken["after a run wrote in it"].append(milliseconds(lambda tree=tree: hold(tree)))
    for name, times in taken.items():
        shown(name, times, 1.0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "empty").mkdir()
        starts(Path(name) / "empty")
        copies(Path(name))
