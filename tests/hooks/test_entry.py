"""The way in: it always ends well, in time, and says where it could not work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from forsooth.hooks import entry, log
from tests.hooks.stage import Stage, hook
from tests.requirements import requirement

ALLOWED = set(
    """
    __future__ __main__ _abc _codecs _collections_abc _frozen_importlib
    _frozen_importlib_external _imp _io _json _signal _stat _thread _warnings _weakref abc
    builtins codecs encodings encodings.aliases encodings.utf_8 errno fcntl forsooth genericpath
    _sha2 _sha256 io marshal os os.path posix posixpath stat sys time winreg zipimport
    """.split()
)
LOOK = {"tool_name": "Bash", "tool_input": {"command": "ls -la src"}}


@pytest.fixture
def fed() -> Iterator[object]:
    """Standard input that holds what a test puts there."""
    kept = os.dup(0)

    left: list[int] = []

    def feed(data: bytes, *, ends: bool = True) -> None:
        read, write = os.pipe()
        os.write(write, data)
        os.dup2(read, 0)
        os.close(read)
        os.close(write) if ends else left.append(write)

    yield feed
    os.dup2(kept, 0)
    for fd in (kept, *left):
        os.close(fd)


@pytest.fixture
def called(stage: Stage, fed, monkeypatch, capfd):
    """The way in, called in this process."""

    def call(host: str, event: str, payload=None, *, ends: bool = True, **env: str) -> str:
        given = {"session_id": "s1", "cwd": str(stage.folder)}
        is_raw = isinstance(payload, bytes)
        data = payload if is_raw else json.dumps({**given, **(payload or {})}).encode()
        fed(data, ends=ends)
        monkeypatch.setattr(sys, "argv", ["forsooth-hook", host, event])
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        assert entry.main() == 0
        out, err = capfd.readouterr()
        assert err == ""
        return out

    monkeypatch.chdir(stage.folder)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return call


def test_a_hold_is_printed_as_the_host_wants_it(stage: Stage, called):
    """From the payload on standard input to the answer on standard output."""
    stage.sealed()
    assert "Next: forsooth next" in called("claude", "prompt", {"prompt": "ulw"})
    assert json.loads(called("claude", "stop"))["decision"] == "block"
    assert called("claude", "stop") == "{}\n"


def test_the_keywords_come_from_the_environment(stage: Stage, called):
    """As the gate hands them on."""
    stage.sealed()
    assert called("claude", "prompt", {"prompt": "ulw"}, FORSOOTH_KEYWORDS="ship") == ""
    assert "done means proven" in called("claude", "prompt", {"prompt": "ship"})


def test_outside_of_a_repository_nothing_is_said(called, tmp_path, monkeypatch):
    """Unless the session began in one."""
    assert called("gemini", "stop", {"cwd": str(tmp_path)}) == "{}\n"


def test_an_agent_that_went_elsewhere_is_still_in_its_project(stage: Stage, called, tmp_path):
    """The host says where the session began."""
    stage.sealed()
    began = {"CLAUDE_PROJECT_DIR": str(stage.folder)}
    told = called("claude", "session_start", {"cwd": str(tmp_path)}, **began)
    assert "Forsooth plan" in told


@requirement("D7", "R186")
@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff\xfe", b"[1] 2", b"[" * 100_000, b'{"session_id":"' + b"x" * (17 << 20)],
)
def test_a_payload_that_cannot_be_read_lets_the_agent_go_on_and_is_recorded(
    data, stage: Stage, called
):
    """Empty, torn, of another alphabet, endless or huge."""
    stage.sealed()
    if len(data) < 1 << 16:
        assert called("claude", "stop", data) == "{}\n"
    else:
        ended = stage.process(*hook("claude", "stop"), data=data)
        assert (ended.code, ended.out, ended.err) == (0, "{}\n", "")
    assert [row["what"] for row in stage.log()] == ["failed open"]


@pytest.mark.parametrize(("host", "event"), [("emacs", "stop"), ("claude", "Stop"), ("", "")])
def test_a_host_or_event_that_is_not_known_is_let_through(host, event, stage: Stage, called):
    """With an empty object and a line in the log."""
    stage.sealed()
    assert called(host, event) == "{}\n"
    assert "known here" in stage.log()[0]["why"]


def test_a_payload_that_is_no_object_says_nothing(stage: Stage, called):
    """It is an event without a session."""
    stage.sealed()
    assert called("claude", "stop", b"[1]") == "{}\n"


def test_the_time_is_limited(stage: Stage, called, monkeypatch):
    """A host that never ends what it sends is not waited for, and the agent goes on."""
    stage.sealed()
    monkeypatch.setattr(entry, "SECONDS", 0.05)
    assert called("claude", "stop", ends=False) == "{}\n"
    assert stage.log()[0]["why"] == "Late: no answer within 0.05 seconds"


def test_where_nothing_of_ours_is_nothing_is_recorded(stage: Stage, called):
    """A repository without a plan stays as it was."""
    assert called("claude", "stop", b"{") == "{}\n"
    assert not stage.state.exists()


def test_a_failure_while_recording_a_failure_is_nobody_s_trouble(stage: Stage, called, monkeypatch):
    """The folder is gone, or the disk is full."""
    stage.sealed()
    monkeypatch.setattr(entry, "find", None)
    assert called("claude", "stop") == "{}\n"


def test_a_payload_is_read_to_its_end_and_no_further_than_a_bound(stage, called, monkeypatch):
    """What is too large is not kept, and the host is not left with a closed pipe."""
    stage.sealed()
    monkeypatch.setattr(entry, "LARGEST", 10)
    assert called("claude", "stop") == "{}\n"
    assert "too large" in stage.log()[0]["why"]


def test_an_answer_nobody_takes_is_nobody_s_trouble():
    """In this process, where a closed pipe is an error and not an end."""
    kept, (read, write) = os.dup(1), os.pipe()
    os.close(read)
    os.dup2(write, 1)
    try:
        entry._write("{}")
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(write)


def test_a_host_that_does_not_listen_any_more_is_nobody_s_trouble(stage: Stage):
    """Its end of the pipe is closed."""
    stage.sealed()
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        hook("claude", "stop"), cwd=stage.folder, input=b"{}", stdout=write, check=False
    )
    os.close(write)
    assert done.returncode == 0


def test_the_log_keeps_its_later_half(tmp_path):
    """It is bounded, and what is new is what counts."""
    for n in range(3000):
        log.record(str(tmp_path), {"n": str(n), "what": "x" * 30})
    path = tmp_path / "hooks.log"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert path.stat().st_size <= log.LARGEST + 100
    assert rows[-1]["n"] == "2999"
    assert len(rows) > 400


def test_a_log_that_cannot_be_written_is_nobody_s_trouble(tmp_path):
    """There is nothing better to do."""
    log.record(str(tmp_path / "gone"), {"what": "x"})


@pytest.mark.parametrize(
    ("event", "payload"), [("stop", {}), ("pre_tool", LOOK), ("prompt", {"prompt": "ulw"})]
)
def test_a_hook_loads_a_handful_of_modules_and_nothing_else(event, payload, stage: Stage):
    """No json, no regular expressions, no enumerations: each costs more than the hook itself."""
    stage.sealed()
    stage.prompt("ulw")
    *command, code, source, host, name = hook("claude", event)
    code += "; sys.stderr.write(' '.join(sys.modules))"
    given = {"session_id": "s1", "cwd": str(stage.folder), **payload}
    argv = (*command, code, source, host, name)
    ended = stage.process(*argv, data=json.dumps(given).encode())
    loaded = {name for name in ended.err.split() if not name.startswith("forsooth.hooks")}
    assert "fcntl" in loaded or event != "stop"
    assert loaded - ALLOWED == set()


def test_the_installed_program_is_the_same_hook(stage: Stage):
    """`forsooth-hook`, for packages that were made for any machine."""
    stage.sealed()
    program = os.path.join(os.path.dirname(sys.executable), "forsooth-hook")  # noqa: PTH118, PTH120
    ended = stage.process(program, "codex", "session_start")
    assert "Forsooth plan" in ended.out
