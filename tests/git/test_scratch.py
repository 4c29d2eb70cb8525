"""What a killed process left behind is gone after the next start."""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from forsooth.git import scratch
from forsooth.judge.sandbox import cgroup
from tests.e2e.place import Place
from tests.processes import running, until
from tests.tools import absent

BEGIN = """
import os, sys, tempfile
from forsooth.git.scratch import enter
enter()
tempfile.mkdtemp(prefix="forsooth-git-")
print(tempfile.gettempdir(), flush=True)
"""
DIES = BEGIN + "os.kill(os.getpid(), int(sys.argv[1]))\n"
RUNS = """
from forsooth.git.scratch import enter
from forsooth.judge.sandbox.job import Limits
from forsooth.judge.sandbox.runner import Launch, run
enter()
launch = Launch(("/bin/sh", "-c", {command!r}))
run(launch, Limits(), progress=lambda *_: print("up", flush=True))
"""
WAITS = BEGIN + "input()\n"


def started(code: str, place: Path, *argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *argv],
        env={**os.environ, "TMPDIR": str(place)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_next_start_removes_what_a_killed_process_left(place: Place, tmp_path: Path, how):
    """And leaves nothing of its own."""
    (tmp_path / "tmp").mkdir()
    with started(DIES, tmp_path / "tmp", str(int(how))) as process:
        left = Path(process.stdout.read().strip() if process.stdout else "")
    assert [one.name for one in left.iterdir() if one.name != "lock"]
    place.run("status", "--all", env={"TMPDIR": str(tmp_path / "tmp")}, code=None)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_next_start_ends_what_a_killed_process_was_running(place: Place, tmp_path: Path):
    """Also what was not reached by the death of its parent, and nothing of the living."""
    argv = ("sleep", f"600.{os.getpid()}{secrets.randbelow(10**6):06}")
    runs = RUNS.format(command=f"{shlex.join(argv)} & echo up; wait")
    other = ("sleep", f"{argv[1]}1")
    alive = RUNS.format(command=f"{shlex.join(other)} & echo up; wait")
    with started(alive, tmp_path) as living, started(runs, tmp_path) as process:
        for one in (living, process):
            assert one.stdout
            assert one.stdout.read(3) == "up\n"
        process.kill()
        process.wait()
        assert running(*argv)
        place.run("status", "--all", env={"TMPDIR": str(tmp_path)}, code=None)
        until(lambda: not running(*argv))
        assert running(*other)
        living.kill()
    scratch.sweep(tmp_path)
    until(lambda: not running(*other))


def test_what_a_living_process_has_stays(tmp_path: Path):
    """Its lock says that it lives, and it takes its folder with it when it ends."""
    with started(WAITS, tmp_path) as process:
        folder = Path(process.stdout.readline().strip() if process.stdout else "")
        scratch.sweep(tmp_path)
        assert folder.is_dir()
        process.communicate("\n")
    assert list(tmp_path.iterdir()) == []


def test_only_folders_of_ours_are_swept_and_no_link_is_followed(tmp_path: Path):
    """One killed before it had a lock is known by its number."""
    with started(WAITS, tmp_path) as process:
        number = process.pid
        process.communicate("\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / f"forsooth-{number}-link").symlink_to(tmp_path / "mine")
    (tmp_path / f"forsooth-{number}-dead").mkdir()
    (tmp_path / f"forsooth-{os.getpid()}-mine").mkdir()
    (tmp_path / "forsooth-demo-x").mkdir()
    (tmp_path / f"forsooth-{number}-odd" / "lock").mkdir(parents=True)
    scratch.sweep(tmp_path)
    left = sorted(path.name for path in tmp_path.iterdir())
    kept = [f"forsooth-{number}-link", f"forsooth-{number}-odd", f"forsooth-{os.getpid()}-mine"]
    assert left == sorted(["mine", "forsooth-demo-x", *kept])
    scratch.sweep(tmp_path / "gone")


def test_the_processes_of_a_dead_run_are_ended_with_its_group(tmp_path: Path):
    """Whatever outlived the judge is found by the control group it was put in."""
    homes = cgroup.homes()
    if not homes:
        absent("cgroup", "this account has no control group")
    with started(WAITS, tmp_path) as gone:
        number = gone.pid
        gone.communicate("\n")
    group = homes[0].folder / f"{cgroup.PREFIX}{number}-left"
    group.mkdir()
    with subprocess.Popen(["sleep", "600"]) as sleeper:
        (group / "cgroup.procs").write_text(str(sleeper.pid))
        cgroup.sweep(homes)
        assert sleeper.wait(30) == -signal.SIGKILL
    cgroup.sweep(homes)
    assert not group.exists()
