"""A claim killed at any step goes on with the commands that are printed, and with no others."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.place import AGENT, Place
from tests.e2e.proving import begun
from tests.requirements import requirement

BRIEF = '@goal: Greet\n- [ ] greet says day: `sh greet.sh` exits 0, stdout has "day"\n'
# The process ends itself, as a kill would, when the ledger is about to hear the nth such command,
# or has just heard it.
KILLED = """
import os, signal, sys
from forsooth.project.shelf import Shelf
kind, nth, before = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "before"
ask, seen = Shelf.ask, []
def dying(self, plan, command, *, by=None):
    due = type(command).__name__ == kind and not seen.append(kind) and len(seen) == nth
    if due and before:
        os.kill(os.getpid(), signal.SIGKILL)
    told = ask(self, plan, command, by=by)
    if due:
        os.kill(os.getpid(), signal.SIGKILL)
    return told
Shelf.ask = dying
from forsooth.cli.main import run
run(sys.argv[4:])
"""
POINTS = [
    ("Open", 1, "after"),
    ("Submit", 1, "after"),
    ("Give", 1, "before"),
    ("Give", 1, "after"),
    ("Attest", 1, "after"),
    ("Give", 2, "after"),
    ("Attest", 2, "after"),
]
# An attempt that `next` opened is open before the claim.
CASES = [(point, False) for point in POINTS] + [(point, True) for point in POINTS[1:]]


def kill(place: Place, *point: object, argv: list[str]) -> None:
    """Run a command that is killed at one point."""
    words = [sys.executable, "-c", KILLED, *map(str, point), *argv]
    done = subprocess.run(
        words, cwd=place.folder, env=place.environment(AGENT), capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def follow(place: Place) -> list[str]:
    """Type what is printed, as an agent, until everything is proven and carried."""
    typed: list[str] = []
    command = "status"
    for _ in range(8):
        told = place.run(*command.split(), code=None, env=AGENT).out
        printed = [row for row in told.splitlines() if row.startswith("next: forsooth ")]
        if not printed:
            break
        command = printed[-1].removeprefix("next: forsooth ")
        typed.append(command.partition(" --token")[0])
    return typed


@requirement("R035")
@pytest.mark.parametrize(("point", "token"), CASES, ids=str)
def test_a_killed_claim_goes_on_with_the_printed_commands(
    tmp_path: Path, point: tuple[str, int, str], *, token: bool
):
    """Wherever it was killed: one goal proven, the plan proven, and both carried."""
    place = begun(tmp_path, BRIEF)
    argv = ["done", "G001"]
    if token:
        argv += ["--token", place.ask("next", env=AGENT)["token"]]
    place.commit("greet.sh", "echo good day\n")
    kill(place, *point, argv=argv)
    typed = follow(place)
    assert place.ask("status")["plan"]["status"] == "done", typed
    assert place.ask("verify")["missing"] == [], typed
    assert not any(command.startswith(("run", "block")) for command in typed)
