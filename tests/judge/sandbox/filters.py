"""Where the bytes of `seccomp` come from, and a reader that says what they decide.

`python -m tests.judge.sandbox.filters` writes the module anew. A filter denies what namespaces and
dropped capabilities leave open: kernel interfaces without a namespace of their own (key rings,
vsock, AF_ALG), those with a long record of escapes (io_uring, bpf, userfaultfd), ways to a
namespace with new rights, typing into a terminal, and ways into the process that reports the exit
status.
"""

from __future__ import annotations

import base64
import errno
import struct
import textwrap
from pathlib import Path
from typing import NamedTuple

MODULE = Path(__file__).parents[3] / "src" / "forsooth" / "judge" / "sandbox" / "seccomp.py"
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*
PROFILES = ("default", "browser", "offline")

DENIED = {  # x86_64, aarch64
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setns": (308, 268),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "userfaultfd": (323, 282),
}
PORTS = {"ioperm": 173, "iopl": 172}  # x86_64 only
LOOKED_AT = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "ioctl": (16, 29),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "socket": (41, 198),
    "unshare": (272, 97),
}

NAMESPACES = 0x7E020000  # CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}
NEWTIME = 0x80
TYPING = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
LOCAL, INTERNET = (1, 16), (2, 10)  # unix and netlink; the two internet families
X32 = 0x40000000
FIRST = 1  # the sandbox's own first process, which reports how the command ended

LOAD, JEQ, JGE, JSET, RET = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
ALLOW, DENY = 0x7FFF0000, 0x00050000
ANSWERS = {
    "allow": ALLOW,
    "deny": DENY | errno.EPERM,
    "absent": DENY | errno.ENOSYS,  # as an older kernel would say, so that libraries fall back
    "family": DENY | errno.EAFNOSUPPORT,
}


class Step(NamedTuple):
    """One instruction; `yes` and `no` name where to go, "" is the next one."""

    code: int
    value: int
    yes: str = ""
    no: str = ""
    label: str = ""


def steps(machine: str, profile: str) -> list[Step]:
    """The program, in order: machine, flat denials, then the calls whose arguments matter."""
    column = list(MACHINES).index(machine)
    numbers = {name: pair[column] for name, pair in LOOKED_AT.items()}
    program = [Step(LOAD, MACHINE), Step(JEQ, MACHINES[machine], no="absent"), Step(LOAD, NUMBER)]
    denied = sorted(pair[column] for pair in DENIED.values())
    if machine == "x86_64":
        program.append(Step(JGE, X32, yes="absent"))
        denied = sorted([*denied, *PORTS.values()])
    program += [Step(JEQ, number, yes="deny") for number in denied]
    program.append(Step(JEQ, numbers["clone3"], yes="absent"))
    if profile != "browser":  # a browser's own sandbox is made of namespaces
        program += [
            Step(JEQ, numbers["clone"], yes="clone"),
            Step(JEQ, numbers["unshare"], yes="unshare"),
        ]
    program += [
        Step(JEQ, numbers["ioctl"], yes="ioctl"),
        Step(JEQ, numbers["ptrace"], yes="ptrace"),
        Step(JEQ, numbers["process_vm_writev"], yes="write"),
        Step(JEQ, numbers["socket"], yes="socket", no="allow"),
    ]
    if profile != "browser":
        program += [
            Step(LOAD, ARGUMENTS, label="clone"),
            Step(JSET, NAMESPACES, yes="deny", no="allow"),
            Step(LOAD, ARGUMENTS, label="unshare"),
            Step(JSET, NAMESPACES | NEWTIME, yes="deny", no="allow"),
        ]
    program += [
        Step(LOAD, ARGUMENTS + 8, label="ptrace"),
        Step(JEQ, FIRST, yes="deny", no="allow"),
        Step(LOAD, ARGUMENTS, label="write"),
        Step(JEQ, FIRST, yes="deny", no="allow"),
        Step(LOAD, ARGUMENTS + 8, label="ioctl"),
    ]
    program += [Step(JEQ, command, yes="deny") for command in TYPING]
    program += [Step(RET, ANSWERS["allow"]), Step(LOAD, ARGUMENTS, label="socket")]
    families = LOCAL if profile == "offline" else LOCAL + INTERNET
    program += [Step(JEQ, family, yes="allow") for family in families]
    program.append(Step(RET, ANSWERS["family"]))
    return program + [Step(RET, value, label=name) for name, value in ANSWERS.items()]


def assemble(machine: str, profile: str) -> bytes:
    """The program as the kernel reads it: eight bytes an instruction."""
    program = steps(machine, profile)
    places = {step.label: place for place, step in enumerate(program) if step.label}

    def jump(place: int, name: str) -> int:
        return places[name] - place - 1 if name else 0

    return b"".join(
        struct.pack("<HBBI", step.code, jump(place, step.yes), jump(place, step.no), step.value)
        for place, step in enumerate(program)
    )


def decide(program: bytes, machine: str, number: int, arguments: tuple[int, ...] = ()) -> str:
    """What a filter answers to one system call, by running it as the kernel would."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number, MACHINES.get(machine, 0), 0, *padded)
    names = {value: name for name, value in ANSWERS.items()}
    place = accumulator = 0
    while True:
        code, yes, no, value = struct.unpack_from("<HBBI", program, place * 8)
        place += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, value)
            case 0x06:
                return names[value]
            case _:
                holds = {
                    JEQ: accumulator == value,
                    JGE: accumulator >= value,
                    JSET: bool(accumulator & value),
                }[code]
                place += yes if holds else no


HEADER = '''"""The system calls a sandbox refuses, as programs for the kernel; generated.

`python -m tests.judge.sandbox.filters` writes this file and says what is refused and why.
`default` is for judged code, `browser` lets a browser make its own namespaces, `offline` has no
internet sockets.
"""

from __future__ import annotations

import base64
from typing import Literal

from forsooth.errors import CouldNotVerify

Filter = Literal["default", "browser", "offline"]

'''
FOOTER = '''

def program(machine: str, name: Filter) -> bytes:
    """The filter for a machine as `uname` calls it."""
    try:
        return base64.b64decode(PROGRAMS[machine, name])
    except KeyError:
        says = f"there is no system call filter for {machine}"
        raise CouldNotVerify(says, code="sandbox:machine") from None
'''


def module() -> str:
    """The text of the shipped module."""
    rows: list[str] = []
    for machine in MACHINES:
        for profile in PROFILES:
            text = base64.b64encode(assemble(machine, profile)).decode()
            lines = "\n".join(f'        "{line}"' for line in textwrap.wrap(text, 88))
            rows.append(f'    ("{machine}", "{profile}"): (\n{lines}\n    ),\n')
    table = "PROGRAMS: dict[tuple[str, Filter], str] = {\n" + "".join(rows) + "}\n"
    return HEADER + table + FOOTER


if __name__ == "__main__":
    MODULE.write_text(module(), encoding="utf-8")
