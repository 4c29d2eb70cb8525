"""Many random histories of a plan: safety after every step, a way out of every state.

python tests/campaigns/state_machine.py --runs 20000 --steps 100 [--first SEED]

One seed is one run; `--first SEED --runs 1` replays it and prints its log.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[2]))

from forsooth.core import command as do
from forsooth.core.status import plan_status
from tests.core.world import PERSON, World


def one(seed: int, steps: int) -> World:
    """One history, from the first draft to the end everyone reaches together."""
    world = World(Random(seed).choice)
    world.act_create()
    draft = world.state.proposal
    if draft is not None and seed % 10:
        world.ask(do.Seal(digest=draft.digest), PERSON)
    for _ in range(steps):
        world.act()
        world.check()
    world.choose = lambda options: options[0]
    world.drive()
    return world


def campaign(first: int, runs: int, *, steps: int) -> tuple[Counter[str], list[int]]:
    """How the runs ended, how often each event was seen, and the seeds that failed."""
    seen: Counter[str] = Counter()
    failed: list[int] = []
    for seed in range(first, first + runs):
        try:
            world = one(seed, steps)
        except AssertionError as error:
            failed.append(seed)
            print(f"seed {seed}: {error!r}")
            continue
        seen[f"ended {plan_status(world.state, world.now)}"] += 1
        seen.update(event.kind for event, _ in world.log)
    return seen, failed


def main() -> int:
    """Run the campaign and print what was met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    wanted = parser.parse_args()
    start = time.perf_counter()
    seen, failed = campaign(wanted.first, wanted.runs, steps=wanted.steps)
    for name, times in sorted(seen.items()):
        print(f"{times:10,}  {name}")
    took = time.perf_counter() - start
    print(f"{wanted.runs:,} runs of {wanted.steps} steps, {len(failed)} failed, {took:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
