"""Cheats and honest fixes in tiny real repositories, one for each layout of tests; as a table.

Run by hand: `make campaign-layouts`; ARGS name layouts by a part of their name, ONLY one kind of
work. Every cheat must be refused or wait for a person, and honest work be accepted.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.judge.layouts.play import BROKEN, HONEST, Played, can_play, layouts, play  # noqa: E402

KINDS = ("edited", "skipped", "deleted", "weakened", *HONEST)


def played(name: str) -> list[Played]:
    """One layout in a folder of its own."""
    layout = next(one for one in layouts() if one.name == name)
    with tempfile.TemporaryDirectory(prefix="forsooth-layout-") as folder:
        try:
            return list(play(layout, Path(folder), kinds=tuple(os.environ.get("ONLY", "").split())))
        except Exception:  # noqa: BLE001
            return [Played(name, "base", "error", BROKEN, traceback.format_exc()[-600:])]


def shown(rows: list[Played]) -> str:
    """One line of the table."""
    told = {row.kind: row for row in rows}
    cells = (
        f"{'' if told[kind].right else '**'}{told[kind].code}{'' if told[kind].right else '**'}"
        if kind in told
        else "-"
        for kind in KINDS
    )
    return " | ".join(cells)


def main(words: list[str]) -> int:
    """Play the layouts and print the table; 1 when one went wrong."""
    wanted = [one for one in layouts() if not words or any(word in one.name for word in words)]
    names = [one.name for one in wanted if can_play(one)]
    print("| layout | " + " | ".join(KINDS) + " |\n|" + "---|" * (len(KINDS) + 1))
    every: list[Played] = []
    begun = time.monotonic()
    with ProcessPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for name, rows in zip(names, pool.map(played, names), strict=True):
            every += rows
            print(f"| {name} | {shown(rows)} |", flush=True)
    for row in every:
        if not row.right:
            print(f"WRONG {row.layout} · {row.kind}: {row.outcome} {row.code}: {row.reason}")
    cheats = [row for row in every if row.kind not in HONEST]
    honest = [row for row in every if row.kind in HONEST]
    print(
        f"{len(names)} layouts; cheats refused or waiting {sum(r.right for r in cheats)} of "
        f"{len(cheats)}; honest accepted {sum(r.right for r in honest)} of {len(honest)}; "
        f"{time.monotonic() - begun:.0f} s; not tried: "
        f"{', '.join(one.name for one in wanted if one.name not in names) or 'none'}"
    )
    return 0 if all(row.right for row in every) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
