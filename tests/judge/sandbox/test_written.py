"""Which files of its tree a run wrote, however it hides that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.job import Done, Job, Limits, Mount
from forsooth.judge.sandbox.upper import Upper
from tests.judge.conftest import strict_here
from tests.judge.sandbox.account import doing, uid_of

FILES = ("a/b/c.txt", "a/d.txt", "top.txt", "z/q.txt")
PUT_BACK = (
    "cp -p top.txt /tmp/was; echo 2 >top.txt; cat /tmp/was >top.txt; touch -r /tmp/was top.txt"
)
WRITES = {
    "its bytes": ("echo 2 >a/b/c.txt", ["a/b/c.txt"]),
    "put back with its time": (PUT_BACK, ["top.txt"]),
    "gone": ("rm top.txt", ["top.txt"]),
    "replaced": ("echo 2 >new; mv new a/d.txt", ["a/d.txt"]),
    "moved away and back": ("mv z/q.txt z/k; mv z/k z/q.txt", ["z/q.txt"]),
    "its folder moved away and back": ("mv a x; mv x a", ["a/b/c.txt", "a/d.txt"]),
    "its folder made anew": ("rm -r a/b; mkdir a/b", ["a/b/c.txt"]),
    "a folder above made anew": ("rm -r a; mkdir a; echo 3 >a/d.txt", ["a/b/c.txt", "a/d.txt"]),
    "a link instead of its folder": ("mv z y; ln -s y z", ["z/q.txt"]),
    "a folder instead of it": ("rm top.txt; mkdir top.txt", ["top.txt"]),
}
READS = {
    "nothing": "true",
    "reads": "cat a/b/c.txt top.txt; ls -lR; cp -a a /tmp/a; tar cf /tmp/t.tar .",
    "new files beside": "touch a/new a/b/new; mkdir z/__pycache__; echo >z/__pycache__/q.pyc",
    "a link to it": "ln -s q.txt z/k",
    "it fails": "exit 3",
}


def ran(place: Path, account: str, script: str, **more) -> Done:
    folder = place / "copy"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("1\n")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid_of(account), uid_of(account))
    mounts = (Mount(folder, "/srv/repo", "overlay"), *more.pop("mounts", ()))
    asked = {"watched": FILES, "limits": Limits(seconds=20), **more}
    job = Job(("sh", "-c", script), "/srv/repo", mounts=mounts, **asked)
    return doing(account, lambda: strict_here().run(job))


@pytest.mark.parametrize("how", WRITES)
def test_what_a_run_writes_is_seen(how: str, place: Path, account: str):
    """Also what is as before once the run is over."""
    script, written = WRITES[how]
    done = ran(place, account, script)
    assert (done.exit, list(done.written or ())) == (0, written), done


@pytest.mark.parametrize("how", READS)
def test_what_a_run_only_reads_is_not_taken_for_written(how: str, place: Path, account: str):
    """Nor are files that were not there before, or lie beside."""
    assert ran(place, account, READS[how]).written == ()


def test_a_run_that_nobody_watches_tells_nothing(place: Path, account: str):
    """It is begun without waiting for anybody."""
    assert ran(place, account, "echo 2 >top.txt", watched=()).written is None


def test_a_run_is_watched_to_its_end_however_it_ends(place: Path, account: str):
    """A run that is stopped wrote what it wrote."""
    done = ran(place, account, "echo 2 >top.txt; sleep 60", limits=Limits(seconds=1))
    assert (done.ended, done.written) == ("timeout", ("top.txt",))


def test_a_file_laid_over_the_tree_can_only_be_read(place: Path, account: str):
    """Neither it nor a folder above it can be changed, and it does not count as written."""
    place.joinpath("still").write_text("sealed\n")
    place.joinpath("still").chmod(0o644)
    still = (Mount(place / "still", "/srv/repo/a/d.txt", "file"),)
    script = "{ echo 2 >a/d.txt; rm a/d.txt; mv a x; } 2>/dev/null; cat a/d.txt"
    done = ran(place, account, script, mounts=still)
    assert done.stdout == b"sealed\n"
    assert "a/d.txt" not in (done.written or ("a/d.txt",))


def test_where_the_layer_cannot_be_opened_nothing_is_known():
    """Not knowing is told apart from nothing written."""
    with Upper("/no/such/folder") as upper:
        upper.open(os.getpid())
        assert upper.written(["x"]) is None


@pytest.mark.parametrize("how", ["its bytes", "put back with its time", "gone", "replaced"])
def test_without_an_overlay_the_copy_is_compared(how: str, tmp_path: Path):
    """By what no program can set: the time a file's record was changed."""
    script, written = WRITES[how]
    done = in_a_copy(tmp_path, script.replace("/tmp/", "$TMPDIR/"))
    assert (done.exit, list(done.written or ())) == (0, written)
    assert in_a_copy(tmp_path, "cat top.txt; touch a/new").written == ()


def in_a_copy(folder: Path, script: str) -> Done:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("1\n")
    mounts = (Mount(folder, "/srv/repo", "overlay"),)
    return Bare().run(Job(("sh", "-c", script), "/srv/repo", mounts=mounts, watched=FILES))
