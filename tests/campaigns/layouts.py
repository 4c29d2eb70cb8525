"""Cheats and honest fixes in tiny real repositories, one for each layout of tests; as a table.

Run by hand: `make campaign-layouts`; ARGS name layouts by a part of their name, ONLY one kind of
work, JOBS the number of processes. Every cheat must be refused or wait for a person, and honest
work be accepted. With RESULTS=file every layout is written there once it is played, and a later
run with the same file plays only what is missing or was wrong.
"""

from __future__ import annotations

import json
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
    by_kind = {row.kind: row.code if row.right else f"**{row.code}**" for row in rows}
    return " | ".join(by_kind.get(kind, "-") for kind in KINDS)


def read_results(path: Path | None) -> dict[str, list[Played]]:
    """The layouts of earlier runs in which everything was right."""
    if path is None or not path.exists():
        return {}
    lines = map(json.loads, path.read_text().splitlines())
    last = {rows[0][0]: [Played(*row) for row in rows] for rows in lines}
    return {name: rows for name, rows in last.items() if all(row.right for row in rows)}


def main(words: list[str]) -> int:
    """Play the layouts and print the table; 1 when one went wrong."""
    wanted = [one for one in layouts() if not words or any(word in one.name for word in words)]
    names = [one.name for one in wanted if can_play(one)]
    results = Path(os.environ["RESULTS"]) if os.environ.get("RESULTS") else None
    every = read_results(results)
    missing = [name for name in names if name not in every]
    print("| layout | " + " | ".join(KINDS) + " |\n|" + "---|" * (len(KINDS) + 1))
    begun = time.monotonic()
    with ProcessPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for name, rows in zip(missing, pool.map(played, missing), strict=True):
            every[name] = rows
            print(f"| {name} | {shown(rows)} |", flush=True)
            if results:
                with results.open("a") as file:
                    file.write(json.dumps(rows) + "\n")
    return report(
        [row for name in names for row in every[name]],
        f"{len(names)} layouts, {len(missing)} of them played in {time.monotonic() - begun:.0f} s",
        [one.name for one in wanted if one.name not in names],
    )


def report(rows: list[Played], played_now: str, not_played: list[str]) -> int:
    """What went wrong, and the figures."""
    for row in rows:
        if not row.right:
            print(f"WRONG {row.layout} · {row.kind}: {row.outcome} {row.code}: {row.reason}")
    cheats = [row for row in rows if row.kind not in HONEST]
    honest = [row for row in rows if row.kind in HONEST]
    print(
        f"{played_now}; cheats refused or waiting {sum(r.right for r in cheats)} of "
        f"{len(cheats)}; honest accepted {sum(r.right for r in honest)} of {len(honest)}; "
        f"not tried: {', '.join(not_played) or 'none'}"
    )
    return 0 if all(row.right for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
