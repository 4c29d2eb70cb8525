"""The shipped filters: their bytes are the generator's, and each decision is read from them."""

from __future__ import annotations

import subprocess

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.sandbox import seccomp
from tests.judge.sandbox import filters
from tests.tools import needs

NEWUSER, NEWNET, NEWNS, THREAD = 0x10000000, 0x40000000, 0x00020000, 0x00010F00
MACHINES = list(filters.MACHINES)


def decided(machine: str, profile: str, name: str, *arguments: int) -> str:
    known = filters.DENIED | filters.LOOKED_AT | {"read": (0, 63)}
    number = known[name][MACHINES.index(machine)]
    return filters.decide(seccomp.program(machine, profile), machine, number, arguments)


def test_the_shipped_bytes_are_what_the_generator_writes():
    """Nobody edits a filter by hand."""
    assert filters.MODULE.read_text("utf-8") == filters.module()


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("profile", filters.PROFILES)
def test_what_is_denied_is_denied_in_every_profile(machine: str, profile: str):
    """Key rings, io_uring, bpf, userfaultfd, mounts and the rest have no arguments that help."""
    answers = {name: decided(machine, profile, name) for name in filters.DENIED}
    assert set(answers.values()) == {"deny"}
    assert decided(machine, profile, "read") == "allow"


@pytest.mark.parametrize("machine", MACHINES)
def test_only_the_first_process_cannot_be_traced(machine: str):
    """Sanitizers and debuggers trace their own; the one that reports the end is out of reach."""
    assert decided(machine, "default", "ptrace", 16, 1) == "deny"
    assert decided(machine, "default", "ptrace", 16, 7) == "allow"
    assert decided(machine, "default", "process_vm_writev", 1) == "deny"
    assert decided(machine, "default", "process_vm_writev", 7) == "allow"


@pytest.mark.parametrize("machine", MACHINES)
def test_namespaces_are_for_a_browser_alone(machine: str):
    """A thread or a plain fork is no namespace; clone3 hides its flags, so it does not exist."""
    for name in ("clone", "unshare"):
        for flag in (NEWUSER, NEWNET, NEWNS, NEWUSER | 17):
            assert decided(machine, "default", name, flag) == "deny"
            assert decided(machine, "browser", name, flag) == "allow"
    assert decided(machine, "default", "clone", THREAD) == "allow"
    assert decided(machine, "default", "unshare", 0x400) == "allow"
    assert decided(machine, "default", "unshare", 0x80) == "deny"
    assert decided(machine, "default", "clone3") == "absent"
    assert decided(machine, "default", "clone", 0xF_0000_0000 | NEWUSER) == "deny"


@pytest.mark.parametrize("machine", MACHINES)
def test_only_everyday_sockets_can_be_made(machine: str):
    """Unix, internet and netlink; offline has no internet, and nobody has vsock or AF_ALG."""
    for family, default, offline in [
        (1, "allow", "allow"),
        (2, "allow", "family"),
        (10, "allow", "family"),
        (16, "allow", "allow"),
        (38, "family", "family"),
        (40, "family", "family"),
    ]:
        assert decided(machine, "default", "socket", family) == default
        assert decided(machine, "offline", "socket", family) == offline


@pytest.mark.parametrize("machine", MACHINES)
def test_nobody_types_into_a_terminal(machine: str):
    """The command is judged by its low half, as the kernel does."""
    for command in (*filters.TYPING, 0xFFFF_0000_0000 | 0x5412):
        assert decided(machine, "default", "ioctl", 0, command) == "deny"
    assert decided(machine, "default", "ioctl", 0, 0x5401) == "allow"


def test_another_architectures_calls_do_not_exist():
    """Numbers mean other things there, so a filter for one must not judge the other."""
    program = seccomp.program("x86_64", "default")
    assert filters.decide(program, "aarch64", 0) == "absent"
    assert filters.decide(program, "i386", 0) == "absent"
    assert filters.decide(program, "x86_64", filters.X32 | 16) == "absent"


def test_a_machine_without_a_filter_is_not_a_machine_without_a_fence():
    """It is an error, never an empty program."""
    with pytest.raises(CouldNotVerify, match="riscv64") as caught:
        seccomp.program("riscv64", "default")
    assert caught.value.code == "sandbox:machine"


@needs("scmp_sys_resolver")
@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_libseccomps(machine: str):
    """Each system call has the number that a second table gives it."""
    for name, numbers in (filters.DENIED | filters.LOOKED_AT).items():
        found = subprocess.run(
            ["scmp_sys_resolver", "-a", machine, name], capture_output=True, check=True, text=True
        ).stdout.strip()
        if not found.startswith("-"):  # newer than the tool
            assert int(found) == numbers[MACHINES.index(machine)], name
