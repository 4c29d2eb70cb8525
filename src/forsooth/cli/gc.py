"""`forsooth gc`: limit the judge's disk usage."""

from __future__ import annotations

import click

from forsooth.cli import options, show

MIB = 1 << 20
GIB = 1 << 30


@click.command()
@click.option(
    "--most",
    type=click.IntRange(0),
    default=10,
    metavar="GIB",
    help="Disk space the judge may keep (default 10).",
)
@options.as_json
def command(*, most: int, as_json: bool) -> None:
    """Remove what the judge has not used for longest, until the rest fits into the limit."""
    found = options.project().gc(most=most * GIB)
    if as_json:
        show.data({"before": found.before, "after": found.after, "removed": found.removed})
        return
    rows = [
        f"{kind:<10} {size / MIB:>9,.1f} MiB, before {found.before[kind] / MIB:,.1f}"
        for kind, size in sorted(found.after.items())
    ]
    show.lines([*rows, f"removed {found.removed}"])
