"""The strict sandbox: its argv word by word, and what a command sees inside."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.sandbox import cgroup
from forsooth.judge.sandbox.host import Host
from forsooth.judge.sandbox.job import MIB, Job, Limits, Mount
from forsooth.judge.sandbox.root import Entry
from forsooth.judge.sandbox.strict import Strict, plan
from tests.judge.conftest import strict_here
from tests.judge.sandbox.account import doing, interpreter, uid_of
from tests.tools import needs

GOLDEN = Path(__file__).parent / "golden"
PROGRAMS = {name: f"/usr/bin/{name}" for name in ("bwrap", "mkdir", "mount", "sh", "unshare")}
ENTRIES = (
    Entry("bind", "/usr", "/usr"),
    Entry("link", "usr/bin", "/bin"),
    Entry("copy", "/etc/services", "/etc/services"),
    Entry("bind", "/etc/ssl/certs", "/etc/ssl/certs"),
    Entry("link", "/usr/share/zoneinfo/UTC", "/etc/localtime"),
)
ROOT = Host(
    programs=PROGRAMS,
    ip="/usr/sbin/ip",
    uid=0,
    gid=0,
    direct=True,
    machine="x86_64",
    entries=ENTRIES,
    kernel=("sys",),
    hidden=("keys",),
)
USER = ROOT._replace(uid=1000, gid=100, direct=False, kernel=(), hidden=())
JOB = Job(
    argv=("pytest", "-q", "it's a test"),
    cwd="/srv/it's mine",
    env={"PATH": "/srv/layer/bin:/usr/bin", "TZ": "UTC"},
    mounts=(
        Mount(Path("/var/cache/copy,a:b"), "/srv/it's mine", "overlay"),
        Mount(Path("/var/cache/layer"), "/srv/layer", "overlay"),
        Mount(Path("/var/cache/ini"), "/srv/it's mine/.ini", "file"),
        Mount(Path("/opt/python"), "/opt/python", "ro"),
        Mount(Path("/var/out"), "/run/forsooth/out", "rw"),
        Mount(None, "/srv/scratch", "tmpfs"),
    ),
    limits=Limits(seconds=1, memory=MIB, processes=64, disk=8 * MIB),
    before=(("pg_ctl", "start", "-w"),),
)
CASES = {
    "root": (JOB._replace(before=()), ROOT, ("/sys/fs/cgroup/memory/f-1/cgroup.procs",)),
    "watched": (JOB._replace(before=(), watched=("tests/data",)), ROOT, ()),
    "service": (JOB._replace(mounts=()), ROOT, ()),
    "user": (JOB, USER, ()),
    "browser": (JOB._replace(profile="browser", mounts=(), before=()), ROOT, ()),
    "offline": (JOB._replace(network="none", mounts=(), before=()), USER, ()),
    "without-ip": (JOB._replace(mounts=(), before=()), USER._replace(ip=""), ()),
}


def named(mount: Mount) -> str:
    """A source by its path, where a run has the number of its descriptor."""
    return f"<{mount.source}>"


@pytest.mark.parametrize("name", CASES)
def test_the_whole_argv_is_as_written_down(name: str):
    """A change to what a sandbox is made of is read by a person, word by word."""
    job, host, joins = CASES[name]
    argv = plan(job, host, etc=Path("/var/tmp/etc"), hand=named, joins=joins)
    assert "\n".join(argv) + "\n" == (GOLDEN / f"strict-{name}.txt").read_text("utf-8")


def test_fetching_sees_the_machines_own_names():
    """Dependencies are fetched with the machine's network, hosts and name servers."""
    job = JOB._replace(network="host", mounts=())
    argv = plan(job, USER, etc=Path("/var/tmp/etc"), hand=named)
    assert argv[1] == "-Urm"
    assert "--unshare-net" not in argv
    names = str(Path("/etc/resolv.conf").resolve())
    assert f"--ro-bind-fd <{names}> /etc/resolv.conf" in " ".join(argv)


def folder_for(place: Path, account: str, name: str = "copy") -> Path:
    """A folder that an account owns, where it can reach it."""
    folder = place / name
    folder.mkdir()
    os.chown(folder, uid_of(account), uid_of(account))
    return folder


def run(place: Path, account: str, *argv: str, **more):
    folder = folder_for(place, account)
    mounts = (Mount(folder, "/srv/repo", "overlay"), *more.pop("mounts", ()))
    job = Job(argv, "/srv/repo", mounts=mounts, **({"limits": Limits(seconds=20)} | more))
    return doing(account, lambda: strict_here().run(job))


def test_the_environment_is_ours_and_the_jobs(place: Path, account: str):
    """Nothing is inherited; what the job says wins."""
    done = run(place, account, "env", env={"LANG": "C", "X": "a b"})
    seen = dict(line.split("=", 1) for line in done.stdout.decode().splitlines())
    user = account if account == "root" else "judge"
    assert seen == {
        "HOME": "/home/judge",
        "LANG": "C",
        "LOGNAME": user,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PWD": "/srv/repo",
        "SHELL": "/bin/sh",
        "TERM": "dumb",
        "USER": user,
        "X": "a b",
    }


def test_loopback_is_a_network_of_its_own_with_two_families(place: Path, account: str):
    """Both families can be bound and reached, names resolve by AI_ADDRCONFIG, nothing else does."""
    script = (
        "import socket as s\n"
        "for f, a in ((s.AF_INET, '127.0.0.1'), (s.AF_INET6, '::1')):\n"
        "    l = s.create_server((a, 0), family=f)\n"
        "    s.create_connection(l.getsockname()[:2], timeout=3).close()\n"
        "    print(len(s.getaddrinfo(a, 80, f, s.SOCK_STREAM, 0, s.AI_ADDRCONFIG)))\n"
        "try: s.create_connection(('203.0.113.1', 80), timeout=3)\n"
        "except OSError as e: print(e.errno)\n"
    )
    done = run(place, account, interpreter(), "-c", script)
    assert done.stdout.decode().split() == ["1", "1", "101"], done


def test_without_network_not_even_loopback_is_up(place: Path, account: str):
    """A job that asks for none has none."""
    script = "import socket as s; s.create_connection(('127.0.0.1', 1), timeout=3)"
    done = run(place, account, interpreter(), "-c", script, network="none")
    assert b"Network is unreachable" in done.stderr


def test_a_command_has_its_own_account_and_nothing_more(place: Path, account: str):
    """Root keeps the rights over its own files that its tests rely on, others have none."""
    show = "id -u; id -un; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; hostname"
    done = run(place, account, "sh", "-c", show)
    rights = "000000000000000e" if account == "root" else "0000000000000000"
    uid = {"root": 0}.get(account, 1000 if os.getuid() == 0 else os.getuid())
    name = "root" if account == "root" else "judge"
    words = done.stdout.decode().split()
    expected = [str(uid), name, "CapEff:", rights, "CapBnd:", rights, "NoNewPrivs:", "1"]
    assert words == [*expected, "forsooth"]


def test_what_a_run_writes_vanishes_with_it(place: Path, account: str):
    """Two runs over one folder never see each other's files, and the folder sees neither's."""
    folder = folder_for(place, account)
    job = Job(
        ("sh", "-c", "ls; echo x >made; rm -rf kept; mkdir kept; ls kept"),
        "/srv/repo",
        mounts=(Mount(folder, "/srv/repo", "overlay"),),
    )

    def twice():
        (folder / "kept").mkdir()
        (folder / "kept" / "file").write_text("")
        sandbox = strict_here()
        return [sandbox.run(job) for _ in range(2)]

    assert [done.stdout for done in doing(account, twice)] == [b"kept\n", b"kept\n"]
    assert sorted(path.name for path in folder.rglob("*")) == ["file", "kept"]


def test_places_are_shown_as_the_job_says(tmp_path: Path, strict: Strict):
    """Read-only is read-only, rw reaches the machine, tmpfs is empty, a file is one file."""
    for name in ("ro", "rw"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "here").write_text(name)
    job = Job(
        ("sh", "-c", "cat ro/here f; touch rw/new t/new; ls t; touch ro/new f 2>/dev/null; :"),
        "/srv",
        mounts=(
            Mount(tmp_path / "ro", "/srv/ro", "ro"),
            Mount(tmp_path / "rw", "/srv/rw", "rw"),
            Mount(None, "/srv/t", "tmpfs"),
            Mount(tmp_path / "ro" / "here", "/srv/f", "file"),
        ),
    )
    assert strict.run(job).stdout == b"roro" + b"new\n"
    assert (tmp_path / "rw" / "new").exists()
    assert not (tmp_path / "ro" / "new").exists()


def test_a_file_larger_than_the_disk_limit_cannot_be_left_outside(tmp_path: Path, strict: Strict):
    """A folder that outlives the run holds no file beyond the limit."""
    job = Job(
        ("sh", "-c", "head -c 9000000 /dev/zero >/srv/out/big"),
        "/",
        mounts=(Mount(tmp_path, "/srv/out", "rw"),),
        limits=Limits(seconds=20, disk=4 * MIB),
    )
    assert strict.run(job).exit != 0
    assert (tmp_path / "big").stat().st_size <= 4 * MIB


def test_a_place_behind_a_link_of_the_judged_tree_is_refused(tmp_path: Path, strict: Strict):
    """A link in the copy could otherwise lead the making of a mount point out of the sandbox."""
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "node_modules").symlink_to("/etc")
    mounts = (
        Mount(copy, "/srv/repo", "overlay"),
        Mount(tmp_path, "/srv/repo/node_modules/x", "ro"),
    )
    with pytest.raises(CouldNotVerify, match="behind the link") as caught:
        strict.run(Job(("true",), "/", mounts=mounts))
    assert caught.value.code == "sandbox:link"
    mounts = (Mount(copy, "/srv/repo", "overlay"), Mount(tmp_path, "/srv/repo/../x", "ro"))
    with pytest.raises(CouldNotVerify, match="behind the link"):
        strict.run(Job(("true",), "/", mounts=mounts))


def test_a_service_is_started_before_and_ends_with_the_run(strict: Strict, tmp_path: Path):
    """`before` shares the run's loopback and temporary folder."""
    server = tmp_path / "serve.py"
    server.write_text(
        "import os, socket\n"
        "l = socket.create_server(('127.0.0.1', 5555))\n"
        "if os.fork() == 0:\n"
        "    while True: l.accept()[0].sendall(b'served')\n"
    )
    ask = "import socket; print(socket.create_connection(('127.0.0.1', 5555)).recv(9))"
    job = Job(
        (interpreter(), "-c", ask),
        "/",
        mounts=(Mount(server, "/run/forsooth/serve.py", "file"),),
        before=(("true",), (interpreter(), "/run/forsooth/serve.py")),
        limits=Limits(seconds=20),
    )
    assert strict.run(job).stdout == b"b'served'\n"


def test_what_could_not_start_is_an_error_and_says_why(strict: Strict, tmp_path: Path):
    """Never a failed check: a missing program, a service, a mount that does not exist."""
    absent = strict.run(Job(("no-such-program", "x"), "/"))
    assert (absent.ended, absent.exit) == ("error", None)
    assert absent.why == "no-such-program was not found in the sandbox"
    service = strict.run(Job(("true",), "/", before=(("true",), ("sh", "-c", "exit 7"))))
    assert (service.ended, service.exit) == ("error", None)
    assert service.why == "sh -c 'exit 7' exited with 7 before the check could start"
    with pytest.raises(CouldNotVerify, match="gone is not mounted: No such file") as caught:
        strict.run(Job(("true",), "/", mounts=(Mount(tmp_path / "gone", "/srv/x"),)))
    assert caught.value.code == "sandbox:source"


def test_a_lock_in_shared_memory_and_a_pool_of_processes_work(strict: Strict):
    """Suites that spread themselves over processes find what they need."""
    script = (
        "import multiprocessing as m\n"
        "if __name__ == '__main__':\n"
        "    with m.Pool(2) as p: print(sum(p.map(abs, range(-9, 1))))\n"
    )
    done = strict.run(Job((interpreter(), "-c", script), "/", limits=Limits(seconds=30)))
    assert done.stdout == b"45\n", done


def test_the_sandbox_says_what_a_verdict_should_record(strict: Strict):
    """Identity, who counts memory, and the shape of loopback."""
    said = "; ".join(strict.notes)
    assert ("CAP_DAC_OVERRIDE" in said) == (os.getuid() == 0)
    assert "loopback: two addresses" in said or "ip is missing" in said
    assert any("memory (watchdog)" in note for note in Strict(USER._replace(ip="")).notes)


@needs("cgroup")
def test_a_control_group_holds_memory_and_tasks(strict: Strict):
    """The kernel itself ends what is too much, and the group is gone afterwards."""
    limits = Limits(seconds=30, memory=100 * MIB, processes=20)
    use = "x = bytearray(b'x' * (300 << 20)); import signal; signal.pause()"
    done = strict.run(Job((interpreter(), "-c", use), "/", limits=limits))
    assert done.ended == "memory", done
    quick = "import os; x = bytearray(b'x' * (300 << 20)); os._exit(0)"
    done = strict.run(Job((interpreter(), "-c", quick), "/", limits=limits))
    assert done.ended == "memory", done
    fork = "import os\nfor _ in range(50):\n    if os.fork() == 0: import signal; signal.pause()"
    done = strict.run(Job((interpreter(), "-c", fork), "/", limits=limits))
    assert b"BlockingIOError" in done.stderr
    assert done.peak
    own = f"{cgroup.PREFIX}{os.getpid()}-*"
    assert [found for home in strict.homes for found in home.folder.glob(own)] == []


def test_many_runs_at_once_do_not_disturb_each_other(tmp_path: Path, strict: Strict):
    """Threads of one judge share the lower folder and nothing else."""
    (tmp_path / "n").write_text("0")

    def one(number: int) -> bytes:
        script = f"cat n; echo {number} >n; cat n"
        mounts = (Mount(tmp_path, "/srv/repo", "overlay"),)
        return strict.run(Job(("sh", "-c", script), "/srv/repo", mounts=mounts)).stdout

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(one, range(12)))
    assert said == [f"0{number}\n".encode() for number in range(12)]
