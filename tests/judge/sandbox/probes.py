"""Ways out of a sandbox, one function each; run by path, inside and outside, with facts as JSON.

A function returns when its way is open and raises when it is closed. Standard library only.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import platform
import resource
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

FACTS: dict = {}
LIBC = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"
NUMBERS = {  # x86_64, aarch64
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "syslog": (103, 116),
    "open_by_handle_at": (304, 265),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "fsopen": (430, 430),
}


class Closed(Exception):
    """The way is shut."""


def call(name: str, *arguments) -> int:
    number = NUMBERS[name][ARM]
    answer = LIBC.syscall(number, *arguments)
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return answer


def checked(answer: int) -> int:
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return answer


# network


def tcp_to_the_machines_own_address() -> None:
    socket.create_connection((FACTS["address"], FACTS["tcp"]), timeout=2)


def tcp_to_host_loopback() -> None:
    socket.create_connection(("127.0.0.1", FACTS["tcp"]), timeout=2)


def tcp6_to_host_loopback() -> None:
    socket.create_connection(("::1", FACTS["tcp6"]), timeout=2)


def udp_question_to_a_name_server() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(1)
        asking.sendto(b"who?", ("127.0.0.1", FACTS["udp"]))
        asking.recv(10)


def abstract_socket() -> None:
    with socket.socket(socket.AF_UNIX) as to:
        to.connect("\0" + FACTS["abstract"])


def path_socket() -> None:
    with socket.socket(socket.AF_UNIX) as to:
        to.connect(FACTS["socket"])


def vsock() -> None:
    socket.socket(40, socket.SOCK_STREAM).close()


def kernel_crypto_socket() -> None:
    socket.socket(38, socket.SOCK_SEQPACKET).close()


# files


def write_beside_the_repository() -> None:
    _write(Path(FACTS["common"], "written"))


def write_into_the_repository() -> None:
    _write(Path(FACTS["repo"], "written"))


def write_a_git_hook() -> None:
    hooks = Path(FACTS["repo"], ".git", "hooks")
    hooks.mkdir(parents=True, exist_ok=True)
    _write(hooks / "pre-commit")


def _write(path: Path) -> None:
    """Only what the machine itself sees counts, and that is looked at from outside."""
    path.write_text("was here")


def write_to_the_systems_programs() -> None:
    Path("/usr/bin/forsooth-probe").write_text("")
    Path("/usr/bin/forsooth-probe").unlink()


def read_home() -> None:
    _same(Path(FACTS["home"], "secret").read_text(), FACTS["secret"])


def read_roots_home() -> None:
    if not any(Path("/root").iterdir()):
        raise Closed("empty")


def read_password_hashes() -> None:
    Path("/etc/shadow").read_text()


def read_raw_disk() -> None:
    disk = next(
        path for path in Path("/dev").iterdir() if path.is_block_device() and path.stat().st_rdev
    )
    disk.open("rb").read(1)


def read_environment() -> None:
    _same(os.environ["FORSOOTH_SECRET"], FACTS["secret"])


def shared_memory_of_the_machine() -> None:
    _same(Path("/dev/shm", FACTS["shm"]).read_text(), FACTS["secret"])


def system_v_memory_of_the_machine() -> None:
    checked(LIBC.shmget(FACTS["ipc"], 0, 0))


def inherited_descriptor() -> None:
    for fd in range(3, 256):
        try:
            name = str(Path(f"/proc/self/fd/{fd}").readlink())
        except OSError:
            continue
        if not name.startswith("/proc/"):
            return
    raise Closed("none")


def root_of_the_first_process() -> None:
    _same(Path("/proc/1/root" + FACTS["home"], "secret").read_text(), FACTS["secret"])


def program_of_the_first_process() -> None:
    """Through /proc/1/exe the machine's own file could be written once nobody runs it."""
    name = Path("/proc/1/exe").readlink()
    if not name.exists():
        raise Closed(f"{name} is not a file of the machine")
    with Path("/proc/1/exe").open("r+b"):
        pass


def exit_status_of_the_sandbox() -> None:
    """The first process tells the outside how the command ended, through a descriptor or memory."""
    ways = (_by_descriptor, _by_trace, _by_memory, _by_memory_of_its_thread)
    for way in ways:
        try:
            way()
        except OSError:
            continue
        return
    raise Closed("no way to the first process")


def _by_descriptor() -> None:
    process = call("pidfd_open", 1, 0)
    for fd in range(10):
        try:
            os.write(call("pidfd_getfd", process, fd, 0), struct.pack("Q", 1))
        except OSError:
            continue
        return
    raise PermissionError


def _by_trace() -> None:
    checked(LIBC.ptrace(16, 1, 0, 0))


def _by_memory() -> None:
    Path("/proc/1/mem").open("r+b").close()


def _by_memory_of_its_thread() -> None:
    Path("/proc/1/task/1/mem").open("r+b").close()


def handle_of_a_file() -> None:
    call("open_by_handle_at", -100, ctypes.create_string_buffer(128), os.O_RDONLY)


# processes


def see_a_process() -> None:
    _same(Path(f"/proc/{FACTS['pid']}/comm").read_text().strip(), FACTS["comm"])


def signal_a_process() -> None:
    see_a_process()
    os.kill(FACTS["pid"], 0)


def read_a_process() -> None:
    if FACTS["secret"] not in Path(f"/proc/{FACTS['pid']}/environ").read_text():
        raise Closed("not this one")


def trace_a_process() -> None:
    see_a_process()
    checked(LIBC.ptrace(16, FACTS["pid"], 0, 0))  # PTRACE_ATTACH
    LIBC.ptrace(17, FACTS["pid"], 0, 0)


def limits_of_a_process() -> None:
    see_a_process()
    resource.prlimit(FACTS["pid"], resource.RLIMIT_NOFILE)


# rights


def mount() -> None:
    folder = Path(FACTS["tmp"])
    checked(LIBC.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, None))
    LIBC.umount2(str(folder).encode(), 2)


def new_mount_interface() -> None:
    call("fsopen", b"tmpfs", 0)


def user_namespace() -> None:
    checked(LIBC.unshare(0x10000000))


def user_namespace_by_clone() -> None:
    child = LIBC.syscall(220 if ARM else 56, 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(checked(child), 0)


def network_namespace() -> None:
    checked(LIBC.unshare(0x40000000))


def time_namespace() -> None:
    checked(LIBC.unshare(0x80))


def join_a_namespace() -> None:
    fd = os.open("/proc/1/ns/net", os.O_RDONLY)
    checked(LIBC.setns(fd, 0x40000000))


def kernel_setting() -> None:
    path = Path("/proc/sys/kernel/core_pattern")
    path.write_text(path.read_text())


def kernel_log() -> None:
    call("syslog", 3, ctypes.create_string_buffer(64), 64)


def key_ring() -> None:
    call("keyctl", 0, -3, 1)  # the id of the session's key ring, made if need be


def add_a_key() -> None:
    call("add_key", b"user", b"forsooth", b"x", 1, -3)


def io_uring() -> None:
    call("io_uring_setup", 4, ctypes.create_string_buffer(120))


def bpf() -> None:
    attributes = struct.pack("<IIII", 2, 4, 4, 1).ljust(120, b"\0")  # an array of one
    call("bpf", 0, attributes, len(attributes))


def userfaultfd() -> None:
    call("userfaultfd", 0o2000000 | 1)


def performance_counters() -> None:
    attributes = struct.pack("<IIQ", 1, 112, 0).ljust(112, b"\0")  # a software clock, of ourselves
    call("perf_event_open", attributes, 0, -1, -1, 0)


def type_into_the_terminal() -> None:
    terminal = os.open("/dev/tty", os.O_RDWR)
    fcntl.ioctl(terminal, termios.TIOCSTI, b"x")


def paste_into_the_console() -> None:
    terminal = os.open("/dev/tty", os.O_RDWR)
    fcntl.ioctl(terminal, 0x541C, b"\x03")  # TIOCLINUX


# amounts


def many_processes() -> None:
    children: list[int] = []
    try:
        for _ in range(FACTS["processes"] + 50):
            children.append(os.fork())
            if children[-1] == 0:
                signal.pause()
        time.sleep(0.5)  # long enough for a watchdog
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)


def much_memory() -> None:
    held = bytearray(FACTS["memory"])
    for place in range(0, len(held), 4096):
        held[place] = 1
    time.sleep(1)  # long enough for a watchdog


def much_disk() -> None:
    chunk = bytes(1 << 20)
    with Path(FACTS["tmp"], "big").open("wb") as file:
        try:
            file.writelines(chunk for _ in range(FACTS["disk"] >> 20))
        finally:
            file.truncate(0)


def stay_behind() -> None:
    """A process that left its session, closed its pipes and ignores what it can."""
    ignore = "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)"
    subprocess.Popen(
        [sys.executable, "-c", f"import signal\n{ignore}\n{FACTS['mark']!r}\nsignal.pause()"],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _same(seen: str, wanted: str) -> None:
    if seen != wanted:
        raise Closed("something else is there")


def main(name: str, facts: str) -> None:
    FACTS.update(json.loads(facts))
    try:
        globals()[name]()
    except Exception as error:  # noqa: BLE001 — every failure is an answer
        sys.stdout.write(f"closed: {type(error).__name__} {error}\n")
    else:
        sys.stdout.write("open\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
