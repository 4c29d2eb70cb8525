"""`forsooth demo`: a false claim refused and a true one proven, in a temporary repository."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from forsooth.cli import options, show
from forsooth.cli.main import VERBS
from forsooth.git import folder as folders
from forsooth.testing.demo import Demo, Step, scene


@click.command()
@click.option("--keep", is_flag=True, help="Keep the temporary repository.")
@options.as_json
def command(*, keep: bool, as_json: bool) -> int:
    """Watch a false claim refused and a true one proven, offline, in a temporary repository.

    The repository and the agent are scripted; the commands and their output are real.
    """
    began = time.monotonic()
    # An end that is asked for is an end all the same: what was made goes first.
    signal.signal(signal.SIGTERM, _ended)
    place = Path(tempfile.mkdtemp(prefix="forsooth-demo-")).resolve()
    try:
        demo = Demo(place, environment=os.environ, tell=_silent if as_json else _tell)
        if not as_json:
            show.lines(["A made-up repository and a scripted agent; the commands are real."])
        steps = tuple(demo.played(scene(), VERBS))
    finally:
        if not keep:
            folders.empty(place)
            place.rmdir()
    is_right = all(step.is_right for step in steps)
    took = time.monotonic() - began
    if as_json:
        told = [{**step._asdict(), "seconds": round(step.seconds, 3)} for step in steps]
        kept = {"folder": str(place)} if keep else {}
        show.data({"ok": is_right, "seconds": round(took, 3), "steps": told, **kept})
    else:
        show.lines(_end(steps[-1], place if keep else None, took=took))
    return 0 if is_right else 1


def _ended(number: int, _frame: FrameType | None) -> NoReturn:
    """Leave as a program that was told to end."""
    sys.exit(128 + number)


def _tell(text: str, style: str) -> None:
    show.lines([(text, style)])
    sys.stdout.flush()


def _silent(text: str, style: str) -> None:
    """Say nothing: the answer is data."""


def _end(last: Step, place: Path | None, *, took: float) -> list[show.Line]:
    rows: list[show.Line] = [""]
    if not last.is_right:
        says = f"This should have ended with exit {last.expected}, and did with {last.code}."
        return [*rows, (says, "red"), "next: forsooth doctor"]
    rows.append((f"Told in {took:.0f} s.", "dim"))
    if place:
        rows.append(f"to look at it: cd {place / 'repo'} && HOME={place / 'home'} forsooth log")
    else:
        rows.append("Nothing of it is left.")
    return [*rows, "next, in a repository of yours: forsooth init"]
