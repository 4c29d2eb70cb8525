"""Judge and gate put wrong in one small place at a time: does a test notice?

Run by hand: `make campaign-mutants ARGS="--share 0.2 gate doubt"`. Each mutant is tried in a copy
of the sources, first against the module's own tests, then against all of its package, unless
`--own` leaves that out: quicker, and it counts as missed what only the package's tests would see.
Survivors are printed with their line. Texts are left out, unless `--words` asks for them.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from forsooth.judge.disbelief.sites import sites
from forsooth.judge.disbelief.sites.site import Site

ROOT = Path(__file__).parents[2]
SECONDS = 300
ENDLESS = 30  # no test of a module's own takes as long: what was put wrong never ends

# module: the tests that are about it, quickest first
MODULES: dict[str, tuple[str, ...]] = {
    "core/gate": (
        "tests/core/test_gate.py",
        "tests/core/test_decide.py",
        "tests/core/test_next.py",
    ),
    "core/verdict": (
        "tests/core/test_verdict.py",
        "tests/core/test_values.py",
        "tests/core/test_gate.py",
    ),
    "core/evolve": (
        "tests/core/test_evolve.py",
        "tests/core/test_gate.py",
        "tests/core/test_cadence.py",
    ),
    "judge/disbelief/doubt": ("tests/judge/disbelief/test_doubt.py",),
    "judge/disbelief/inventory": ("tests/judge/disbelief/test_inventory.py",),
    "judge/disbelief/leave": ("tests/judge/disbelief/test_inventory.py",),
    "judge/disbelief/colour": (
        "tests/judge/disbelief/test_mutation.py",
        "tests/judge/disbelief/test_counterfactual.py",
    ),
    "judge/disbelief/repeat": ("tests/judge/disbelief/test_repeat.py",),
    "judge/disbelief/audit": ("tests/judge/disbelief/test_doubt.py",),
    "judge/disbelief/counterfactual": ("tests/judge/disbelief/test_counterfactual.py",),
    "judge/disbelief/mutation": ("tests/judge/disbelief/test_mutation.py",),
    "judge/disbelief/script": (
        "tests/judge/disbelief/test_script_flips.py",
        "tests/judge/disbelief/test_script_plain.py",
        "tests/judge/disbelief/test_scripts.py",
        "tests/judge/disbelief/test_python_scripts.py",
    ),
    "judge/disbelief/scripts/golden": ("tests/judge/disbelief/test_script_plain.py",),
    "judge/disbelief/scripts/inline": ("tests/judge/disbelief/test_script_plain.py",),
    "judge/disbelief/scripts/shell_units": ("tests/judge/disbelief/test_script_plain.py",),
    "judge/disbelief/chance": ("tests/judge/disbelief/test_chance.py",),
    "judge/disbelief/answers": ("tests/judge/disbelief/test_answers.py",),
    "judge/announced": ("tests/judge/test_plain_scripts.py",),
    "judge/checks/tests": ("tests/judge/checks/test_tests.py",),
    "judge/checks/scope": ("tests/judge/checks/test_scope.py",),
    "judge/checks/commits": ("tests/judge/checks/test_commits.py",),
    "judge/checks/files": ("tests/judge/checks/test_files.py",),
    "judge/views": ("tests/judge/test_views.py", "tests/judge/test_within.py"),
    "judge/oracles": (
        "tests/judge/test_oracles.py",
        "tests/judge/test_support.py",
        "tests/judge/test_within.py",
    ),
    "judge/support": ("tests/judge/test_support.py",),
    "judge/words": (
        "tests/judge/test_words.py",
        "tests/judge/test_oracles.py",
        "tests/judge/test_support.py",
    ),
    "judge/loaded": ("tests/judge/test_loaded.py", "tests/judge/test_oracles.py"),
    "judge/sides": ("tests/judge/test_oracles.py",),
    "judge/novelty": ("tests/judge/test_novelty.py", "tests/judge/test_oracles.py"),
    "judge/within/python": ("tests/judge/test_within.py",),
    "judge/within/rust": ("tests/judge/test_within.py",),
    "judge/deaf": ("tests/judge/test_leave_given.py",),
    "judge/protected": ("tests/judge/test_leave_given.py",),
    "judge/softened": ("tests/judge/test_softened.py",),
    "judge/moved": ("tests/judge/test_moved.py",),
    "judge/untouched": ("tests/judge/test_untouched.py",),
    "judge/rewritten": ("tests/judge/test_rewritten.py",),
    "judge/standard": ("tests/judge/test_proof.py",),
    "judge/proof": ("tests/judge/test_proof.py",),
    "receipts/verify": ("tests/receipts/test_verify.py",),
}


WIDER = {"core": "tests/core", "judge": "tests/judge/test_proof.py", "receipts": "tests/receipts"}


class Mutant(NamedTuple):
    """One module with one thing put wrong."""

    module: str
    site: Site

    @property
    def is_word(self) -> bool:
        """Whether only a text was changed."""
        return self.site.says.endswith('became "changed"')

    @property
    def shown(self) -> str:
        return f"src/forsooth/{self.module}.py:{self.site.line} {self.site.says}"


def mutants(module: str) -> Iterator[Mutant]:
    data = (ROOT / f"src/forsooth/{module}.py").read_bytes()
    for site in sites(f"{module}.py", None, data):
        yield Mutant(module, site)


class Bench:
    """Copies of the tree, one a worker, in which mutants are tried."""

    def __init__(self, folder: Path, many: int, *, wider: bool) -> None:
        self._wider = wider
        self._free = [self._made(folder / str(number)) for number in range(many)]

    def _made(self, place: Path) -> Path:
        leave = shutil.ignore_patterns(".git", ".venv", "__pycache__", "plugins", ".hypothesis")
        shutil.copytree(ROOT, place, ignore=leave, symlinks=True)
        return place

    def survives(self, mutant: Mutant) -> bool:
        place = self._free.pop()
        path = place / f"src/forsooth/{mutant.module}.py"
        sound = path.read_bytes()
        try:
            at, data, over = mutant.site.put
            path.write_bytes(sound[:at] + data + sound[at + over :])
            own = f"--timeout={ENDLESS}"
            if not all(self.green(place, tests, own) for tests in MODULES[mutant.module]):
                return False
            wider = WIDER[mutant.module.partition("/")[0]]
            return not self._wider or self.green(place, wider)
        finally:
            path.write_bytes(sound)
            self._free.append(place)

    @staticmethod
    def green(place: Path, *asked: str) -> bool:
        argv = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *asked]
        env = {**os.environ, "PYTHONPATH": str(place / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                argv, cwd=place, env=env, capture_output=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def main() -> int:
    asks = argparse.ArgumentParser()
    asks.add_argument("names", nargs="*", help="only modules whose name holds one of these")
    asks.add_argument("--share", type=float, default=1.0)
    asks.add_argument("--own", action="store_true", help="the module's own tests alone")
    asks.add_argument("--words", action="store_true", help="texts for people as well")
    asks.add_argument("--seed", type=int, default=random.randrange(10**6))
    asks.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = asks.parse_args()
    chosen = [m for m in MODULES if not given.names or any(name in m for name in given.names)]
    chance = random.Random(given.seed)
    found = [one for module in chosen for one in mutants(module) if chance.random() < given.share]
    every = [one for one in found if given.words or not one.is_word]
    print(f"seed {given.seed}: {len(every)} mutants of {len(chosen)} modules", flush=True)
    alive: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = Bench(Path(folder), given.jobs, wider=not given.own)
        for module, tests in ((m, t) for m in chosen for t in MODULES[m]):
            if not bench.green(Path(folder) / "0", tests):
                print(f"{tests} is red before anything is put wrong in {module}")
                return 2
        with ThreadPoolExecutor(given.jobs) as pool:
            for mutant, lives in zip(every, pool.map(bench.survives, every), strict=True):
                if lives:
                    alive.append(mutant)
                    print(f"survives: {mutant.shown}", flush=True)
    print(f"{len(every) - len(alive)} of {len(every)} noticed")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
