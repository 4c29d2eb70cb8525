"""The lesser tiers: what Landlock closes, and how places stand in for mounts."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from forsooth.judge.sandbox import confine, root
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.job import MIB, Job, Limits, Mount, Sandbox
from forsooth.judge.sandbox.landlock import Landlock
from forsooth.judge.sandbox.layout import placed
from forsooth.judge.sandbox.mounts import MountGate
from tests.judge.sandbox import probes
from tests.judge.sandbox.account import doing, interpreter
from tests.judge.sandbox.victim import victim
from tests.tools import needs, require

SOURCE = Path(confine.__file__)
needs_landlock = needs("landlock")
CLOSED = """
write_beside_the_repository write_a_git_hook read_home read_a_process trace_a_process
key_ring add_a_key io_uring bpf userfaultfd vsock user_namespace user_namespace_by_clone mount
new_mount_interface kernel_setting type_into_the_terminal stay_behind read_environment
inherited_descriptor
""".split()
SINCE_SCOPES = ["signal_a_process", "abstract_socket"]
OFFLINE = ["tcp_to_host_loopback", "udp_question_to_a_name_server"]


def landlock() -> Landlock:
    return Landlock(root.entries(), confine.abi(), python=interpreter())


@pytest.fixture(params=["none", pytest.param("landlock", marks=needs_landlock)])
def lesser(request) -> Sandbox:
    return Bare() if request.param == "none" else landlock()


@needs_landlock
@pytest.mark.parametrize("name", CLOSED + SINCE_SCOPES + OFFLINE)
def test_landlock_closes_a_way_out(name: str, account: str, place: Path):
    """Files, traces, system calls and left-overs; signals and sockets where the kernel can."""
    if name in SINCE_SCOPES:
        require("landlock-scopes")
    helper = place / "confine.py"
    shutil.copy(SOURCE, helper)
    script = place / "probes.py"
    shutil.copy(Path(probes.__file__), script)
    with victim(account) as facts:
        job = Job(
            (interpreter(), "-I", str(script), name, json.dumps(facts)),
            cwd="/srv/repo",
            mounts=(
                Mount(Path(facts["repo"]), "/srv/repo", "overlay"),
                Mount(script, str(script), "file"),
            ),
            limits=Limits(seconds=20),
            network="none" if name in OFFLINE else "loopback",
        )

        def look():
            confine.__file__ = str(helper)  # an ordinary account may not read our own folder
            return landlock().run(job)

        done = doing(account, look)
        left = Path(facts["common"], "written").exists()
        hook = Path(facts["repo"], ".git", "hooks", "pre-commit").exists()
    assert not left
    assert not hook
    assert done.ended == "exit", done
    if name not in ("write_a_git_hook", "stay_behind"):
        assert done.stdout.startswith(b"closed"), done


@needs_landlock
def test_landlock_keeps_tcp_shut_for_a_job_without_network():
    """Both by the filter, which also covers UDP, and by Landlock's own rule."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ask = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
        job = Job((interpreter(), "-c", ask), "/", limits=Limits(seconds=20))
        assert landlock().run(job).exit == 0
        assert landlock().run(job._replace(network="none")).exit == 1


def test_an_overlay_becomes_a_copy_that_vanishes(lesser: Sandbox, tmp_path: Path):
    """Two runs never see each other's files; names of places are rewritten in argv and env."""
    source = tmp_path / "copy"
    source.mkdir()
    (source / "file").write_text("x")
    (source / "link").symlink_to("file")
    job = Job(
        ("sh", "-c", 'ls; cat /srv/repo/link "$AT"; echo y >made; pwd'),
        "/srv/repo",
        env={"AT": "/srv/repo/file", "OTHER": "/srv/repository"},
        mounts=(Mount(source, "/srv/repo", "overlay"),),
    )
    for _ in range(2):
        done = lesser.run(job)
        assert done.stdout.startswith(b"file\nlink\nxx/"), done
    assert sorted(path.name for path in source.iterdir()) == ["file", "link"]


def test_home_and_temporary_files_are_the_runs_own(lesser: Sandbox):
    """Nothing of the account's home is in reach by name."""
    done = lesser.run(
        Job(("sh", "-c", 'ls -A "$HOME" "$TMPDIR"; touch "$HOME/x" "$TMPDIR/y"'), "/")
    )
    assert done.exit == 0
    assert str(Path.home()).encode() not in done.stdout


def test_places_inside_places_are_links_or_copies(tmp_path: Path):
    """A layer in the tree is a link to it, a file is copied over what was there."""
    for name in ("copy/old", "copy/gone", "layer", "scratch"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "copy" / "ini").write_text("agent's")
    (tmp_path / "ini").write_text("sealed")
    job = Job(
        ("run", "--at=/srv/r/old/x", "/srv/run", "/srv/r"),
        "/srv/r/old",
        mounts=(
            Mount(tmp_path / "copy", "/srv/r", "overlay"),
            Mount(tmp_path / "layer", "/srv/r/old", "ro"),
            Mount(tmp_path / "ini", "/srv/r/ini", "file"),
            Mount(None, "/srv/r/gone", "tmpfs"),
            Mount(tmp_path / "layer", "/srv/r/new/deep", "rw"),
        ),
        before=(("start", "/srv/r/gone"),),
    )
    with MountGate() as gate:
        at = placed(job, tmp_path / "scratch", uid=1000, gate=gate)
    copy = tmp_path / "scratch" / "0"
    assert (copy / "old").resolve() == (tmp_path / "layer")
    assert (copy / "ini").read_text() == "sealed"
    assert (copy / "gone").resolve() == tmp_path / "scratch" / "3"
    assert (copy / "new" / "deep").resolve() == tmp_path / "layer"
    assert (tmp_path / "copy" / "ini").read_text() == "agent's"
    assert at.job.argv == ("run", f"--at={tmp_path / 'layer'}/x", "/srv/run", str(copy))
    assert at.job.cwd == str(tmp_path / "layer")
    assert at.job.before == (("start", str(tmp_path / "scratch" / "3")),)
    assert str(tmp_path / "layer") in at.read
    assert str(copy) in at.write


def test_files_have_a_largest_size(lesser: Sandbox):
    """The disk limit bounds each file, and no core is left."""
    limits = Limits(seconds=20, disk=MIB)
    script = 'ulimit -c; head -c 3000000 /dev/zero >"$TMPDIR/big"'
    done = lesser.run(Job(("sh", "-c", script), "/", limits=limits))
    assert done.stdout == b"0\n"
    assert done.exit != 0


def test_a_folder_that_is_not_there_is_an_error(lesser: Sandbox):
    """The command was never run, and the reason is told."""
    done = lesser.run(Job(("true",), "/no/such/folder"))
    assert (done.ended, done.exit) == ("error", None)
    assert b"No such file" in done.stderr


def test_each_tier_says_what_it_leaves_open():
    """Nobody takes a lesser tier for the strict one."""
    assert "nothing is closed" in Bare().notes[0]
    assert any("network is open" in note for note in Landlock((), 7).notes)
    assert any("signals" in note for note in Landlock((), 3).notes)


def test_fetching_may_look_up_names(tmp_path: Path):
    """A job with the machine's network reads its name servers."""
    job = Job(("true",), "/", network="host")
    with MountGate() as gate:
        fence = Landlock((), 7).fence(placed(job, tmp_path, uid=0, gate=gate))
    assert fence is not None
    assert "/etc/resolv.conf" in fence["read"]
    assert not fence["offline"]


def test_the_helper_needs_nothing_but_an_interpreter():
    """It starts for every run, so it may import nothing of ours."""
    asked = "import runpy, sys; runpy.run_path(sys.argv[1]); print(*sorted(sys.modules))"
    command = [sys.executable, "-I", "-S", "-c", asked, str(SOURCE)]
    loaded = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    assert not [name for name in loaded if name.startswith("forsooth")]
    assert os.fspath(SOURCE).endswith(".py")


def test_the_helper_asks_a_kernel_only_for_what_it_knows():
    """The description grew with the versions; an older kernel refuses a longer one."""
    assert [confine._size(version) for version in (1, 3, 4, 5, 6, 7)] == [8, 8, 16, 16, 24, 24]
    assert os.getpid() not in confine._children()
