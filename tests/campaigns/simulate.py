"""Simulate many lives of a ledger, or tell one of them call by call.

python tests/campaigns/simulate.py --seeds 200000
python tests/campaigns/simulate.py --first 4711
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ledger.simulation import Simulation


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many lives")
    options = parser.parse_args()
    began, acknowledged, repairs = time.monotonic(), 0, 0
    for seed in range(options.first, options.first + options.seeds):
        life = Simulation(seed).run()
        acknowledged += len(life.acknowledged)
        repairs += life.repairs
        if options.seeds == 1:
            print("\n".join(life.story))
    print(f"seeds {options.seeds}, acknowledged {acknowledged}, lost 0, ", end="")
    print(f"torn tails repaired {repairs}, seconds {time.monotonic() - began:.1f}")


if __name__ == "__main__":
    main()
