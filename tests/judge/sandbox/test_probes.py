"""Every way out is shown open outside and closed inside, for root and an ordinary account."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from forsooth.judge.sandbox.job import MIB, Done, Job, Limits, Mount
from tests.judge.conftest import strict_here
from tests.judge.sandbox import probes
from tests.judge.sandbox.account import doing, interpreter
from tests.judge.sandbox.victim import victim

SCRIPT = Path(probes.__file__)
LIMITS = Limits(seconds=20, memory=256 * MIB, processes=100, disk=64 * MIB)
AMOUNTS = {"processes": 100, "memory": 512 * MIB, "disk": 128 * MIB}

ALWAYS = """
tcp_to_host_loopback udp_question_to_a_name_server abstract_socket path_socket
write_beside_the_repository write_into_the_repository write_a_git_hook
read_home read_environment shared_memory_of_the_machine system_v_memory_of_the_machine
inherited_descriptor see_a_process signal_a_process read_a_process limits_of_a_process
many_processes much_memory much_disk stay_behind
""".split()
# Open or not by kernel, account and container; closed inside whatever they are outside.
DEPENDS = """
tcp_to_the_machines_own_address tcp6_to_host_loopback vsock kernel_crypto_socket
write_to_the_systems_programs read_roots_home read_password_hashes read_raw_disk
root_of_the_first_process program_of_the_first_process handle_of_a_file trace_a_process
exit_status_of_the_sandbox
mount new_mount_interface user_namespace user_namespace_by_clone network_namespace time_namespace
join_a_namespace kernel_setting kernel_log key_ring add_a_key io_uring bpf userfaultfd
performance_counters type_into_the_terminal paste_into_the_console
""".split()
ON_A_TERMINAL = ("type_into_the_terminal", "paste_into_the_console")
SEEN_FROM_OUTSIDE = {
    "write_beside_the_repository": ("common", "written"),
    "write_into_the_repository": ("repo", "written"),
    "write_a_git_hook": ("repo", ".git/hooks/pre-commit"),
}


@pytest.mark.parametrize("name", ALWAYS + DEPENDS)
def test_a_way_out_is_closed(name: str, account: str, record_property):
    """What works on the machine itself does not work from within the sandbox."""
    with victim(account) as found:
        facts = found | AMOUNTS
        terminal = name in ON_A_TERMINAL
        outside = doing(account, lambda: _outside(name, facts), terminal=terminal)
        record_property("outside", outside)
        if name in ALWAYS:
            assert outside == "open", "a probe that does not work outside proves nothing"
        inside = doing(account, lambda: _inside(name, facts), terminal=terminal)
        record_property("inside", inside)
        assert inside.startswith("closed"), inside


def _outside(name: str, facts: dict[str, Any]) -> str:
    handed = [os.open("/dev/null", os.O_RDONLY)]
    ran = subprocess.run(
        [interpreter(), "-I", str(_readable(facts)), name, json.dumps(facts)],
        env={"FORSOOTH_SECRET": facts["secret"]},
        pass_fds=handed,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    said = ran.stdout.decode().strip() or f"closed: {ran.returncode} {ran.stderr.decode()}"
    return _seen(name, facts, said)


def _readable(facts: dict[str, Any]) -> Path:
    """The script where an ordinary account can read it."""
    copy = Path(facts["tmp"], "probes.py")
    if not copy.exists():
        copy.write_text(SOURCE)
    return copy


SOURCE = SCRIPT.read_text()


def _inside(name: str, facts: dict[str, Any]) -> str:
    os.environ["FORSOOTH_SECRET"] = facts["secret"]
    leaked = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(leaked, True)
    script = _readable(facts)
    told = facts | {"tmp": "/tmp/own"}
    prepare = ("mkdir", "-p", told["tmp"])
    mounts = (
        Mount(Path(facts["repo"]), facts["repo"], "overlay"),
        Mount(script, "/run/forsooth/probes.py", "file"),
    )
    if not interpreter().startswith("/usr/"):
        mounts += (Mount(Path(sys.base_prefix), sys.base_prefix),)
    job = Job(
        (interpreter(), "-I", "/run/forsooth/probes.py", name, json.dumps(told)),
        cwd=facts["repo"],
        mounts=mounts,
        limits=LIMITS,
        before=(prepare,),
    )
    done = strict_here().run(job)
    return _seen(name, facts, _said(done))


def _said(done: Done) -> str:
    if done.ended in ("memory", "timeout", "output") or done.why.endswith("processes"):
        return f"closed: {done.ended} {done.why}"
    assert done.ended == "exit", done
    return done.stdout.decode().strip() or f"closed: {done.exit} {done.stderr.decode()}"


def _seen(name: str, facts: dict[str, Any], said: str) -> str:
    """What the machine shows afterwards counts for more than what the probe believes."""
    if name in SEEN_FROM_OUTSIDE:
        folder, file = SEEN_FROM_OUTSIDE[name]
        path = Path(facts[folder], file)
        if not path.exists():
            return "closed: nothing was written"
        path.unlink()
        return "open"
    if name == "stay_behind":
        left = processes_with(facts["mark"])
        for pid in left:
            os.kill(pid, 9)
        return "open" if left else "closed: nobody is left"
    return said


def processes_with(mark: str) -> list[int]:
    """Processes whose command line holds a mark, this test's own excepted."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line:
                found.append(int(folder.name))
    return found


def test_a_disk_of_bounded_size_is_all_there_is(account: str):
    """Every folder that can be written is bounded, the root and the devices cannot be written."""
    limits = Limits(seconds=20, disk=8 * MIB)
    script = (
        "for f in /tmp /var/tmp /home/judge /run /dev/shm .; do "
        'head -c 80000000 /dev/zero >"$f/big" 2>/dev/null && echo "$f"; rm -f "$f/big"; done; '
        "for f in / /dev /etc /home /var /usr /proc; do touch $f/x 2>/dev/null && echo $f; done; :"
    )

    def look() -> Done:
        with tempfile.TemporaryDirectory() as name:
            mounts = (Mount(Path(name), "/srv/repo", "overlay"),)
            job = Job(("sh", "-c", script), "/srv/repo", mounts=mounts, limits=limits)
            return strict_here().run(job)

    done = doing(account, look)
    assert (done.exit, done.stdout) == (0, b""), done


def test_nobody_inside_can_choose_the_exit_status(account: str):
    """Without our cover, writing one number to bubblewrap's own event ends the run as a success."""
    forge = (
        "import ctypes, os, signal, struct, sys\n"
        "libc = ctypes.CDLL(None)\n"
        "process = libc.syscall(434, 1, 0)\n"
        "for fd in range(3, 10):\n"
        "    held = libc.syscall(438, process, fd, 0)\n"
        "    if held >= 0: os.write(held, struct.pack('Q', 1)); signal.pause()\n"
        "sys.exit(3)\n"
    )
    job = Job((interpreter(), "-c", forge), "/", limits=LIMITS)
    bwrap = [
        "bwrap",
        "--unshare-user",
        "--unshare-pid",
        "--dev-bind",
        "/",
        "/",
        "--die-with-parent",
    ]
    bare = [*bwrap, "--proc", "/proc", interpreter(), "-c", forge]

    def both() -> tuple[int, int | None]:
        return subprocess.run(bare, check=False, timeout=20).returncode, strict_here().run(job).exit

    assert doing(account, both) == (0, 3)
