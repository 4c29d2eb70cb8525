"""One run ends in bounded time, keeps bounded output, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.git import scratch
from forsooth.judge.sandbox import handle, meter, runner
from forsooth.judge.sandbox.bare import Bare
from forsooth.judge.sandbox.job import MIB, Done, Job, Limits, Sandbox
from forsooth.judge.sandbox.runner import STATUS, Launch
from forsooth.judge.sandbox.strict import Strict
from tests.judge.conftest import strict_here
from tests.judge.sandbox.account import ACCOUNTS, doing, interpreter
from tests.judge.sandbox.test_probes import processes_with

# dies only of SIGKILL, leaves its session, keeps its pipes, says `up` once its child is there
STUBBORN = """
import os, signal, sys
for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    print('up', flush=True)
while True: signal.pause()
"""


@pytest.fixture(params=["none", "strict"], scope="module")
def sandbox(request) -> Sandbox:
    return Bare() if request.param == "none" else strict_here()


def python(sandbox: Sandbox, script: str, **more) -> Done:
    limits = more.pop("limits", Limits(seconds=20))
    return sandbox.run(Job((interpreter(), "-c", script), "/", limits=limits), **more)


def mark() -> str:
    return f"mark-{os.getpid()}-{threading.get_ident()}-{os.urandom(4).hex()}"


def test_a_command_ends_with_its_own_status(sandbox: Sandbox):
    """Exit codes as they are, signals with 128 more as a shell says it."""
    assert python(sandbox, "raise SystemExit(3)")[:3] == (3, None, "exit")
    killed = python(sandbox, "import os; os.kill(os.getpid(), 11)")
    assert killed[:3] == (139, signal.SIGSEGV, "exit")
    assert python(sandbox, "pass").took < 10


def test_output_is_kept_apart_and_told_while_it_comes(sandbox: Sandbox):
    """A listener hears each stream in order, before the end."""
    heard: list[tuple[str, bytes]] = []
    script = "import sys; print(1, flush=True); print(2, file=sys.stderr)"
    done = python(sandbox, script, progress=lambda *said: heard.append(said))
    assert (done.stdout, done.stderr) == (b"1\n", b"2\n")
    assert sorted(heard) == [("stderr", b"2\n"), ("stdout", b"1\n")]


def test_standard_input_is_empty(sandbox: Sandbox):
    """A command that asks a person gets no answer, and does not wait for one."""
    assert python(sandbox, "import sys; print(repr(sys.stdin.read()))").stdout == b"''\n"


def test_a_flood_is_cut_and_ended(sandbox: Sandbox):
    """Both streams together stay within the cap."""
    script = "import os\nwhile True: os.write(1, b'x' * 65536); os.write(2, b'y' * 65536)"
    done = python(sandbox, script, limits=Limits(seconds=20, output=100_000))
    assert done.ended == "output"
    assert (done.exit, done.signal) == (None, None)
    assert len(done.stdout) + len(done.stderr) == 100_000


def test_output_at_the_cap_is_not_a_flood(sandbox: Sandbox):
    """The last byte that fits is kept."""
    done = python(sandbox, "print('x' * 9)", limits=Limits(seconds=20, output=10))
    assert (done.ended, done.stdout) == ("exit", b"xxxxxxxxx\n")


def test_a_child_that_closes_its_pipes_is_still_timed(sandbox: Sandbox):
    """End of output is not the end."""
    script = "import os, signal\nos.close(1); os.close(2); signal.pause()"
    done = python(sandbox, script, limits=Limits(seconds=1))
    assert done.ended == "timeout"
    assert done.why == "not finished after 1 seconds"


def test_a_tree_that_ignores_signals_and_forks_twice_is_gone(sandbox: Sandbox):
    """When the run returns, nothing of it is left, and nothing waits to be buried."""
    told, before = mark(), children()
    done = python(sandbox, f"{told!r}\n{STUBBORN}", limits=Limits(seconds=1))
    assert done.ended == "timeout"
    assert processes_with(told) == []
    assert children() == before


def children() -> set[str]:
    """This process's own children, buried ones left out."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


def test_a_daemon_ends_with_the_command(sandbox: Sandbox):
    """What a check leaves running is ended when the check ends well, too."""
    told = mark()
    script = f"{told!r}\nimport os, signal\nif os.fork() == 0:\n os.setsid()\n signal.pause()"
    assert python(sandbox, script).exit == 0
    assert processes_with(told) == []


def test_a_listener_that_fails_leaves_nothing_running(sandbox: Sandbox):
    """An error on our side ends the tree before it travels on."""
    told = mark()

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        python(sandbox, f"{told!r}\n{STUBBORN}", progress=fail)
    wait_until_gone(told)


def wait_until_gone(told: str) -> None:
    """Poll the kernel's own table; the test's time limit is the limit."""
    while processes_with(told):
        os.sched_yield()


def test_memory_is_watched_where_no_group_counts_it():
    """Resident pages count; address space alone does not."""
    for sandbox in (Bare(), Strict(strict_here().host)):
        limits = Limits(seconds=20, memory=150 * MIB)
        reserve = "import mmap; mmap.mmap(-1, 1 << 33); print('reserved')"
        assert python(sandbox, reserve, limits=limits).stdout == b"reserved\n"
        use = "x = bytearray(b'x' * (300 << 20)); import signal; signal.pause()"
        done = python(sandbox, use, limits=limits)
        assert done.ended == "memory", done
        assert done.peak
        assert done.peak > 150 * MIB


def test_pages_that_are_shared_count_once():
    """Many children of one big parent are not many times the parent."""
    script = (
        "import os, signal\nx = bytearray(b'x' * (60 << 20))\n"
        "children = []\n"
        "for _ in range(5):\n"
        "    children.append(os.fork())\n"
        "    if not children[-1]: signal.pause()\n"
        "import time; time.sleep(0.5)\n"
        "for c in children: os.kill(c, 9)\n"
    )
    done = python(Bare(), script, limits=Limits(seconds=20, memory=200 * MIB))
    assert done.ended == "exit", done
    assert done.peak
    assert done.peak > 200 * MIB


def test_a_fork_bomb_is_ended_where_no_group_counts_it():
    """For root no limit of the kernel's holds, so the watchdog must."""
    bomb = "import os, signal\nwhile True:\n    if os.fork() == 0: signal.pause()"
    told = mark()
    for sandbox in (Bare(), Strict(strict_here().host)):
        done = python(sandbox, f"{told!r}\n{bomb}", limits=Limits(seconds=20, processes=60))
        assert done.ended == "error" or b"BlockingIOError" in done.stderr
        assert processes_with(told) == []


def test_a_launcher_that_reports_nothing_is_an_error():
    """An exit status that no report confirms is not believed."""
    ran = runner.run(Launch(("/bin/sh", "-c", "echo ready >&0; exit 0")), Limits(seconds=9))
    assert (ran.done.ended, ran.told) == ("error", "ready")
    assert ran.done.why == "the sandbox ended without a report"


def test_a_report_that_the_exit_status_does_not_confirm_is_an_error():
    """Somebody inside who could write the report still cannot choose the status."""
    write = "import os, sys; os.write(int(sys.argv[1]), b'{ \"exit-code\": 0 }'); sys.exit(1)"
    ran = runner.run(Launch((sys.executable, "-c", write, STATUS)), Limits(seconds=9))
    assert (ran.done.ended, ran.done.exit) == ("error", None)


def test_data_is_handed_over_without_a_name_on_disk():
    """The launcher reads each piece from the descriptor that stands in its argv."""
    read = "import os, sys; sys.stdout.write(os.fdopen(int(sys.argv[1])).read())"
    launch = Launch((sys.executable, "-c", read, "{filter}"), data={"filter": b"bytes"})
    assert runner.run(launch, Limits(seconds=9)).done.stdout == b"bytes"


def test_a_launcher_that_is_not_there_could_not_verify():
    """It is not the judged work that is missing."""
    with pytest.raises(CouldNotVerify) as caught:
        runner.run(Launch(("/no/such/launcher",)), Limits())
    assert caught.value.code == "sandbox:start"


def test_a_launcher_that_will_not_end_is_taken_down(monkeypatch):
    """When the end of the inner process is not the end, the launcher goes as well."""
    monkeypatch.setattr(runner, "GRACE", 0.2)
    script = (
        "import os, signal, sys\n"
        "child = os.fork()\n"
        "if child == 0: signal.pause()\n"
        "os.write(int(sys.argv[1]), b'{ \"child-pid\": %d }' % child)\n"
        "while True: signal.pause()\n"
    )
    ran = runner.run(Launch((sys.executable, "-c", script, STATUS)), Limits(seconds=0.5))
    assert ran.done.ended == "timeout"
    assert ran.done.took < 10


def test_the_number_of_a_process_that_is_gone_is_not_trusted():
    """After the launcher's end a number may be another's: only its namespace proves it."""
    bystander = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=-1)
    story = f'{{ "child-pid": {bystander.pid}, "pid-namespace": 1 }}'
    watch = runner._Watch(Launch(()), Limits(), None)
    watch.kept["status"] += story.encode()
    watch.status = 0
    watch._learn_inner()
    assert watch.inner is None
    own = Path("/proc/self/ns/pid").stat().st_ino
    watch.kept["status"][:] = story.replace(": 1 ", f": {own} ").encode()
    watch._learn_inner()
    assert watch.inner is not None
    os.close(watch.inner)
    watch.selector.close()
    assert not handle.is_in(2**22 + 1, own)
    bystander.communicate()
    assert bystander.returncode == 0


def test_where_no_descriptor_tells_the_end_it_is_looked_for(monkeypatch):
    """Other systems have no pidfd; the run ends all the same."""
    told = mark()
    monkeypatch.delattr(os, "pidfd_open")
    assert python(Bare(), "print(1)").stdout == b"1\n"
    done = python(Bare(), f"{told!r}\n{STUBBORN}", limits=Limits(seconds=1))
    assert done.ended == "timeout"
    assert processes_with(told) == []


def test_killing_us_ends_the_tree(tmp_path: Path):
    """A judge that is killed leaves nothing of what it was running."""
    told = mark()
    for tier in ("Bare()", "strict_here()"):
        script = (
            "from forsooth.judge.sandbox.bare import Bare\n"
            "from forsooth.judge.sandbox.job import Job, Limits\n"
            "from tests.judge.conftest import strict_here\n"
            f"job = Job(({interpreter()!r}, '-c', {f'{told!r}{STUBBORN}'!r}), '/')\n"
            f"{tier}.run(job, progress=lambda *_: print('up', flush=True))\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[3],
            env={"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)},
        )
        assert child.stdout
        assert child.stdout.readline() == b"up\n"
        child.kill()
        child.communicate()
        wait_until_gone(told)


def test_a_launcher_ends_with_us_before_it_has_asked_for_anything():
    """Not only once bubblewrap has asked to die with its parent."""
    told = mark()
    waits = f"import signal; {told!r}; print('up', flush=True); signal.pause()"
    script = (
        "from forsooth.judge.sandbox.runner import Launch, run\n"
        "from forsooth.judge.sandbox.job import Limits\n"
        f"launch = Launch(({interpreter()!r}, '-c', {waits!r}))\n"
        "run(launch, Limits(), progress=lambda *_: print('up', flush=True))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert child.stdout.readline() == b"up\n"
        assert processes_with(told) != []
        child.kill()
    wait_until_gone(told)


def test_a_launcher_whose_parent_is_gone_before_it_begins_goes_no_further():
    """A death signal is for a death to come; one that was earlier is seen by the number."""
    argv = runner.attached(("/bin/echo", "begun"))
    ours = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (ours.returncode, ours.stdout) == (0, "begun\n")
    orphan = ["/bin/sh", "-c", '"$@"; exit $?', "sh", *argv]
    others = subprocess.run(orphan, capture_output=True, text=True, check=False)
    assert (others.returncode, others.stdout) == (125, "")


def test_a_system_that_cannot_ask_for_the_signal_starts_launchers_as_they_are(monkeypatch):
    """Other systems have no such program, and small ones have it without the option."""
    runner._asks.cache_clear()
    monkeypatch.setattr(runner, "answer", lambda _: "Usage: setpriv PROGRAM")
    assert runner.attached(("/bin/true",)) == ("/bin/true",)
    runner._asks.cache_clear()


def waiting_for_good(told: str) -> bool:
    """Leave a bubblewrap behind whose launcher could not report, and sweep; whether it waited."""
    bwrap = ("bwrap", "--unshare-user", "--unshare-pid", "--dev-bind", "/", "/")
    reads, writes = os.pipe()
    os.close(reads)
    with tempfile.TemporaryDirectory() as name, subprocess.Popen(["true"]) as gone:
        gone.wait()
        folder = Path(name, f"forsooth-{gone.pid}-dead")
        folder.mkdir()
        subprocess.run(
            [*bwrap, "--json-status-fd", str(writes), "--setenv", "TOLD", told, "true"],
            env={**runner.ENVIRONMENT, scratch.MARK: folder.name},
            pass_fds=[writes],
            check=False,
        )
        os.close(writes)
        waited = processes_with(told) != []
        scratch.sweep(Path(name))
    return waited


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_sandbox_that_waits_for_a_dead_launcher_is_ended_by_the_next_start(account: str):
    """Nothing else would: it waits on a descriptor that it holds itself."""
    told = mark()
    assert doing(account, partial(waiting_for_good, told))
    wait_until_gone(told)


def test_a_process_that_is_gone_weighs_nothing():
    """A tree is read while it changes."""
    assert meter.load(2**22 + 1) == (0, 0)
    assert meter.proportional(2**22 + 1) == 0
    assert meter.load(os.getpid()).memory > MIB
    assert meter.proportional(os.getpid()) > MIB


def test_a_program_can_be_asked_a_question():
    """As for its version; what it says on either stream is the answer."""
    assert runner.answer(("/bin/sh", "-c", "echo one; echo two >&2")) == "one\ntwo"
