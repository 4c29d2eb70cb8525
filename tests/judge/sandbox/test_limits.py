"""What a run may use is bounded without anybody asking for it: memory, scratch, folders on disk."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from forsooth.judge.sandbox import cgroup
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.filling import Filling
from forsooth.judge.sandbox.job import MIB, Job, Limits, Mount
from forsooth.judge.sandbox.tiers import available
from tests.tools import absent

RAM = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
WRITES = """
import sys, time
for n in range(8):
    with open(f"{sys.argv[1]}/{n}", "wb") as file:
        file.write(b"x" * (4 << 20))
time.sleep(60)
"""


def test_memory_and_scratch_are_a_share_of_the_machines_by_default():
    """Five scratch folders in memory leave some of it to everybody else."""
    limits = Limits()
    assert limits.memory is not None
    assert limits.memory <= max(1 << 30, RAM // 2)
    assert 5 * limits.disk <= max(5 * 256 * MIB, RAM * 5 // 8)


def limit_of(folder: Path) -> int:
    texts = [folder / name for name in ("memory.max", "memory.limit_in_bytes")]
    return next((int(path.read_text()) for path in texts if path.exists()), 0)


def test_a_run_without_limits_of_its_own_is_in_a_control_group():
    """Where there is one, the kernel keeps the default limit."""
    homes = [home for home in cgroup.homes() if "memory" in home.controllers]
    strict = available()
    if not homes or strict.tier != "strict":
        absent("cgroup", "no control group for memory here")
    seen: list[int] = []

    def look(*_: object) -> None:
        made = homes[0].folder.glob(f"{cgroup.PREFIX}*")
        seen.extend(limit_of(one) for one in made if (one / "cgroup.procs").read_text())

    script = ("sh", "-c", "echo ready; sleep 0.2")
    assert strict.run(Job(script, "/"), progress=look).exit == 0
    page = os.sysconf("SC_PAGE_SIZE")
    assert (Limits().memory or 0) // page * page in seen
    assert "control group" in "".join(strict.notes)


@pytest.mark.parametrize("kind", ["strict", "bare"])
def test_what_a_run_adds_to_a_folder_on_disk_is_bounded(kind: str, tmp_path: Path):
    """Many files count as one large file does, and the run is ended."""
    sandbox = available() if kind == "strict" else Bare()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "before").write_bytes(b"x" * (32 << 20))
    target = "/srv/out" if kind == "strict" else str(tmp_path / "out")
    mounts = (Mount(tmp_path / "out", target, "rw"),)
    python = "/usr/bin/python3" if kind == "strict" else sys.executable
    job = Job((python, "-c", WRITES, target), "/", mounts=mounts)
    done = sandbox.run(job._replace(limits=Limits(seconds=30, disk=8 * MIB)))
    assert (done.ended, done.why) == ("error", f"more than {8 * MIB} bytes written to disk")


def test_a_folder_that_is_gone_has_not_grown(tmp_path: Path):
    """What cannot be seen is not counted."""
    filling = Filling((tmp_path / "gone",), 1)
    assert not filling.is_over()
    assert not Filling((), 0).is_over()
