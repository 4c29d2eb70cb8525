"""Run the suites of released packages plainly and in the judge, and compare them test by test.

    python -m tests.campaigns.real_repos --only click --only go-version --json

No package has settings of its own. The list was made before any of them was tried.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from forsooth.errors import CouldNotVerify
from forsooth.judge.reports.ids import base_of, placed
from forsooth.judge.sandbox.tiers import available
from tests.judge.environment.real import Comparison, Outcomes, compare, fetch

PACKAGES = {
    "python": """
        anyio==4.11.0 attrs==25.4.0 blinker==1.9.0 cachetools==6.2.1 click==8.3.0 flask==3.1.2
        h11==0.16.0 humanize==4.14.0 idna==3.11 iniconfig==2.3.0 itsdangerous==2.2.0 jinja2==3.1.6
        markupsafe==3.0.3 marshmallow==4.0.1 pluggy==1.6.0 python-dateutil==2.9.0.post0
        requests==2.32.5 sqlparse==0.5.3 structlog==25.5.0 tomlkit==0.13.3
    """,
    "go": """
        github.com/google/uuid@v1.6.0 github.com/hashicorp/go-version@v1.7.0
        github.com/kr/pretty@v0.3.1 github.com/kr/text@v0.2.0 github.com/mattn/go-isatty@v0.0.20
        github.com/spf13/pflag@v1.0.5
    """,
    "cargo": "cfg-if@1.0.4 fnv@1.0.7 lazy_static@1.5.0 memoffset@0.9.1 scopeguard@1.2.0",
    "node": """
        concat-map@0.0.1 deep-equal@1.0.1 find-my-way@9.3.0 function-bind@1.1.2 minimist@1.2.8
        text-table@0.2.0 wordwrap@1.0.0
    """,
}
SHOWN = 12
NEITHER = "runs on neither side"


class Row(NamedTuple):
    """One package: `same` with how many tests, or a typed reason and what differed."""

    name: str
    kind: str
    tests: int
    result: str
    different: tuple[str, ...] = ()
    judged: float = 0.0
    plain: float = 0.0
    says: str = ""


def short(name: str) -> str:
    """A package's name without where it comes from and its version."""
    return re.split(r"[=@]", name.rpartition("/")[2])[0]


def chosen(only: list[str]) -> list[tuple[str, str]]:
    """Kind and full name of every package that is meant."""
    every = [(kind, name) for kind, names in PACKAGES.items() for name in names.split()]
    return [(kind, name) for kind, name in every if not only or short(name) in only]


def lasting(outcomes: Outcomes, root: str) -> Counter[tuple[str, str]]:
    """Outcomes by names without this machine's paths."""
    return Counter((placed(name, root), outcome) for name, outcome in outcomes.items())


def differences(found: Comparison, root: str) -> tuple[str, ...]:
    """What differs once tests whose parameters have no lasting names count by their number.

    A test that is unsteady with one of its parameters is left out with all of them.
    """
    unsteady = {base_of(placed(name, root)) for name in found.unsteady}
    plain, judged = (
        Counter({r: n for r, n in lasting(side, root).items() if base_of(r[0]) not in unsteady})
        for side in (found.plain, found.judged)
    )
    left, right = plain - judged, judged - plain
    folded = [Counter((base_of(i), o) for i, o in side.elements()) for side in (left, right)]
    rows = [f"plain {i}: {o}" for i, o in (folded[0] - folded[1]).elements()]
    return tuple(sorted(rows + [f"judge {i}: {o}" for i, o in (folded[1] - folded[0]).elements()]))


def tried(kind: str, name: str, home: Path) -> Row:
    """Fetch one package, run it both ways and say how they compare."""
    folder = Path(tempfile.mkdtemp(prefix=f"{short(name)}-", dir=home))
    try:
        root = fetch(kind, name, folder / "fetched")
        found = compare(root, cache=folder / "cache", sandbox=available())
    except CouldNotVerify as error:
        return Row(name, kind, 0, error.code, says=error.message[:400])
    except (subprocess.SubprocessError, OSError, StopIteration) as error:
        return Row(name, kind, 0, "not-compared", says=f"{type(error).__name__}: {error}"[:400])
    finally:
        for path in (folder / "cache", folder / "run"):
            shutil.rmtree(path, ignore_errors=True)
    times = (found.took["judged"], found.took["plain"])
    if not {*found.plain.values(), *found.judged.values()} - {"error"}:
        return Row(name, kind, len(found.plain), NEITHER, (), *times, says=found.output[-400:])
    different = differences(found, str(root))
    result = "different" if different else "same, but unsteady" if found.unsteady else "same"
    says = found.output[-400:] if not found.judged else ""
    return Row(name, kind, len(found.plain), result, different, *times, says=says)


def told(row: Row) -> str:
    """One line of the table, and the first differences below it."""
    line = f"{row.kind:7} {row.name:42} {row.tests:6} {row.result:24}"
    line += f" {row.judged:7.1f} s {row.plain:7.1f} s" if row.judged else ""
    more = [*row.different[:SHOWN], *([row.says] if row.says else [])]
    return "\n".join([line, *(f"          {text}" for text in more)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--json", action="store_true", help="one object a line")
    options = parser.parse_args()
    begun, rows = time.monotonic(), list[Row]()
    with tempfile.TemporaryDirectory(prefix="forsooth-real-", ignore_cleanup_errors=True) as home:
        for kind, name in chosen(options.only):
            rows.append(tried(kind, name, Path(home)))
            print(json.dumps(rows[-1]._asdict()) if options.json else told(rows[-1]), flush=True)
    ran = [row for row in rows if row.result != NEITHER]
    same = sum(row.result.startswith("same") for row in ran)
    took = time.monotonic() - begun
    says = f"{same} of {len(ran)} the same, {len(rows) - len(ran)} {NEITHER} ({took:.0f} s)"
    print(says, file=sys.stderr)
    return 0 if same >= 0.9 * len(ran) else 1


if __name__ == "__main__":
    sys.exit(main())
