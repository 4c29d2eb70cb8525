"""`forsooth gc`: keep the judge's disk within a bound."""

from __future__ import annotations

import click

from forsooth.cli import options, show

GIB = 1 << 30


@click.command()
@click.option(
    "--most",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="GIB",
    help="The bound.",
)
@options.as_json
def command(*, most: int, as_json: bool) -> None:
    """Remove environments not used for longest until all take at most this many GiB."""
    removed = options.project().gc(most=most * GIB)
    if as_json:
        show.data({"removed": removed})
        return
    show.lines([f"removed {removed} environments"])
