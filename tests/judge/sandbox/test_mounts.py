"""The gate for mounts: what is shown to judged code is what was meant, or nothing is."""

from __future__ import annotations

import ast
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest

import forsooth
from forsooth.errors import CouldNotVerify
from forsooth.judge import openat
from forsooth.judge.sandbox import runner, seccomp
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.job import Job, Limits, Mode, Mount
from forsooth.judge.sandbox.mounts import MountGate
from forsooth.judge.sandbox.runner import Launch
from forsooth.judge.sandbox.strict import Strict, plan
from tests.judge.conftest import strict_here
from tests.judge.sandbox.account import doing, uid_of

SECRET = "the key"
MODES: list[Mode] = ["ro", "rw", "overlay", "file"]


@pytest.fixture
def home(place: Path, account: str) -> Path:
    """A person's home with a key, and beside it a folder `ours` that judged code filled."""
    for name in ("home/.ssh", "ours/real/.ssh"):
        (place / name).mkdir(parents=True)
    (place / "home/.ssh/id").write_text(SECRET)
    (place / "ours/real/.ssh/id").write_text("nothing")
    (place / "ours/a").symlink_to(place / "home")
    (place / "ours/real/key").symlink_to(place / "home/.ssh/id")
    (place / "ours/real/.keys").symlink_to(place / "home/.ssh")
    for path in (place, *place.rglob("*")):
        os.chown(path, uid_of(account), uid_of(account), follow_symlinks=False)
    return place / "home"


def refused(account: str, mount: Mount) -> str:
    """The code with which a job with this mount is refused."""

    def run() -> str:
        try:
            done = strict_here().run(Job(("true",), "/", mounts=(mount,)))
        except CouldNotVerify as error:
            return error.code
        return f"{done.ended} {done.why}"

    return doing(account, run)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "source", ["a/.ssh", "real/.keys", "real/../../home/.ssh", "../home/.ssh", "/etc"]
)
def test_a_source_that_leads_out_is_refused(home: Path, account: str, mode: Mode, source: str):
    """A link at the end or on the way, a step up, an absolute name: in every mode."""
    ours = home.parent / "ours"
    if mode == "file":
        source = source.replace(".keys", "key") if ".keys" in source else f"{source}/id"
    assert refused(account, Mount(ours / source, "/srv/x", mode, root=ours)) == "sandbox:link"


def test_without_a_root_no_link_is_followed_either(home: Path, account: str):
    """Whoever forgets the root is refused, not led out."""
    for source in ("a/.ssh", "real/.keys", "real/../../home"):
        mount = Mount(home.parent / "ours" / source, "/srv/x", "ro")
        assert refused(account, mount) == "sandbox:link"


def test_only_folders_and_plain_files_are_shown(place: Path):
    """A pipe, a socket or a device in the place of a file is refused, and not waited for."""
    os.mkfifo(place / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place / "socket"))
        for name in ("pipe", "socket", "/dev/null"):
            for mode in MODES:
                with MountGate() as gate, pytest.raises(CouldNotVerify) as caught:
                    gate.open(Mount(place / name, "/srv/x", mode))
                assert caught.value.code == "sandbox:source"


def test_a_command_inherits_no_descriptor_of_the_machine(place: Path, account: str):
    """From a folder outside that is open, judged code could climb to every other."""
    (place / "copy").mkdir()
    os.chown(place / "copy", uid_of(account), -1)
    mounts = tuple(
        Mount(place / "copy", f"/srv/{mode}", mode) for mode in ("overlay", "ro", "rw", "overlay")
    )
    job = Job(("sh", "-c", "echo /proc/self/fd/*"), "/srv", mounts=mounts)
    done = doing(account, lambda: strict_here().run(job))
    # the shell's own folder is open while it lists
    assert done.stdout.split()[:3] == [b"/proc/self/fd/0", b"/proc/self/fd/1", b"/proc/self/fd/2"]
    assert len(done.stdout.split()) <= 4


@pytest.mark.parametrize("mode", ["ro", "overlay"])
def test_a_link_swapped_in_after_the_check_shows_nothing(home: Path, account: str, mode: Mode):
    """What is mounted is what was opened, wherever that is by now; an overlay is not made."""
    ours = home.parent / "ours"

    def run() -> bytes:
        strict = strict_here()
        job = Job(("cat", "/srv/x/id"), "/", mounts=(Mount(ours / "real/.ssh", "/srv/x", mode),))
        with MountGate() as gate:
            argv = plan(job, strict.host, etc=strict.etc, hand=gate.hand)
            (ours / "real").rename(ours / "away")
            (ours / "real").symlink_to(home)
            data = {"seccomp": seccomp.program(strict.host.machine, "default")}
            launch = Launch(argv, data=data, descriptors=tuple(gate.descriptors))
            return runner.run(launch, Limits(seconds=20)).done.stdout

    assert doing(account, run) == (b"nothing" if mode == "ro" else b"")


def test_a_folder_that_is_swapped_all_the_time_never_shows_the_other(home: Path, strict: Strict):
    """Thirty runs while somebody exchanges a folder of ours for a link as fast as can be."""
    ours, over = home.parent / "ours", threading.Event()

    def swap() -> None:
        while not over.is_set():
            (ours / "real").rename(ours / "away")
            (ours / "real").symlink_to(home)
            (ours / "real").unlink()
            (ours / "away").rename(ours / "real")

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: set[bytes] = set()
    try:
        for number in range(30):
            mode: Mode = "overlay" if number % 2 else "ro"
            mount = Mount(ours / "real/.ssh", "/srv/x", mode, root=ours)
            with suppress(CouldNotVerify):
                seen.add(strict.run(Job(("cat", "/srv/x/id"), "/", mounts=(mount,))).stdout)
    finally:
        over.set()
        swapping.join()
    assert seen <= {b"nothing", b""}


@pytest.mark.parametrize("name", ["it's $(id)", "line\nbreak", "-n", "x,y:z\\", "ünï"])
def test_an_odd_name_is_a_name(place: Path, account: str, name: str):
    """No name of a source becomes a word of the shell or an option of a mount."""
    (place / name).mkdir()
    (place / name / "file").write_text("here")
    os.chown(place / name, uid_of(account), -1)
    mounts = tuple(
        Mount(place / name, f"/srv/{mode}", mode, root=place) for mode in ("ro", "overlay")
    )
    job = Job(("cat", "/srv/ro/file", "/srv/overlay/file"), "/", mounts=mounts)
    assert doing(account, lambda: strict_here().run(job)).stdout == b"herehere"


def test_a_lesser_tier_refuses_the_same(home: Path):
    """Where nothing is mounted, nothing is copied or opened through a link either."""
    ours = home.parent / "ours"
    for mode in ("ro", "rw", "overlay"):
        mount = Mount(ours / "a/.ssh", "/srv/x", mode, root=ours)
        with pytest.raises(CouldNotVerify) as caught:
            Bare().run(Job(("true",), "/", mounts=(mount,)))
        assert caught.value.code == "sandbox:link"


def test_a_kernel_without_openat2_gives_the_same_answers(home: Path, monkeypatch):
    """Each part is opened by itself; the first is the kernel's answer, the second ours."""
    ours = home.parent / "ours"
    paths = ["real/.ssh", "real/.ssh/id", "a/.ssh", "real/.keys", "real/key", "none", "real/key/x"]

    def opened() -> list[tuple[int, int] | None]:
        answers: list[tuple[int, int] | None] = []
        for path in paths:
            try:
                number = openat.open_path(ours / path, root=ours)
            except OSError:
                answers.append(None)
                continue
            answers.append((os.fstat(number).st_dev, os.fstat(number).st_ino))
            os.close(number)
        return answers

    by_kernel = opened()
    monkeypatch.delattr(os, "O_PATH")
    openat._system_call.cache_clear()
    try:
        assert opened() == by_kernel
    finally:
        monkeypatch.undo()
        openat._system_call.cache_clear()
    assert [answer is None for answer in by_kernel] == [False, False, *[True] * 5]


def test_mounts_are_written_in_one_module():
    """A mount made elsewhere would not pass the gate; neither would a source used by its path."""
    words = ("--bind", "--ro-bind", "--dev-bind", "--overlay", "lowerdir", "mount --", "-t tmpfs")
    package = Path(forsooth.__file__).parent
    gate = package / "judge/sandbox/mounts.py"
    found: list[str] = []
    for path in sorted(package.rglob("*.py")):
        tree = ast.parse(path.read_bytes())
        notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and id(node) not in notes and any(word in node.value for word in words):
                found.append(f"{path.relative_to(package)}:{node.lineno}")
            if isinstance(node, ast.Attribute) and node.attr in ("mount", "umount", "open_tree"):
                found.append(f"{path.relative_to(package)}:{node.lineno}")
    own = str(gate.relative_to(package))
    others = [place for place in found if not place.startswith(own)]
    assert others == [place for place in others if place.startswith("judge/sandbox/host.py")]
    assert len(found) > len(others)
