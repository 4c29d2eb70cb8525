"""An agent's own program, asked for a moment: bounded, alone, and understood as it prints."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from forsooth.agents import program, trust
from forsooth.agents.program import Slow, Told, ask

ENV = {"PATH": os.environ["PATH"]}


def sh(script: str, folder: Path, *, seconds: float = 30, stdin: str = "") -> Told:
    return ask(("sh", "-c", script), env=ENV, folder=folder, seconds=seconds, stdin=stdin)


def test_a_program_is_given_its_input_its_folder_and_nothing_else(tmp_path: Path):
    """What it says comes back, errors apart."""
    told = sh('cat; pwd; echo "$HOME" >&2; exit 3', tmp_path, stdin="asked\n")
    assert told == (3, f"asked\n{tmp_path}\n", "\n")


def is_running(state: Path) -> bool:
    try:
        return state.read_text().split()[2] != "Z"
    except OSError:
        return False


def test_one_that_hangs_is_ended_with_all_it_started(tmp_path: Path):
    """A question that nobody can answer must not keep `init` waiting."""
    begun = time.monotonic()
    script = f"(sleep 60; touch {tmp_path}/alive) & echo $! >{tmp_path}/pid; wait"
    with pytest.raises(Slow, match="within 1 second"):
        sh(script, tmp_path, seconds=1)
    assert time.monotonic() - begun < 30
    if Path("/proc/self/stat").exists():
        state = Path("/proc", (tmp_path / "pid").read_text().strip(), "stat")
        while is_running(state):  # a busy machine takes its time over a signal
            assert time.monotonic() - begun < 30
            time.sleep(0.01)


def test_json_is_found_wherever_it_was_printed():
    """Some print a warning first, and one prints its lists where errors go."""
    assert Told(0, "note: new version\n[1]\nbye\n", "").data() == [1]
    assert Told(0, "", 'warning [x]\n{\n "a": 1\n}\n').data() == {"a": 1}
    assert Told(0, "[not json\n", "").data() is None


def test_the_last_line_says_why_it_failed():
    """The error's line if there is one, else that there was none."""
    assert Told(1, "trying\n", "warning\nthe disk is full\n\n").last == "the disk is full"
    assert Told(1, "sorry\n", "").last == "sorry"
    assert Told(4, "", "").last == "it said nothing and exited 4"


@pytest.mark.parametrize(
    "answer", ["", "not json", '{"id": 1, "error": {}}', '{"id": 1, "result": 1}']
)
def test_a_codex_that_does_not_say_is_not_taken_for_one_that_trusts(tmp_path: Path, answer: str):
    """Silence, noise and refusals are no answer."""
    script = tmp_path / "codex"
    script.write_text(f"#!{sys.executable}\nprint({answer!r})\n")
    script.chmod(0o755)
    assert trust.hooks(script, tmp_path, env=ENV) is None
    assert trust.hooks(tmp_path / "absent", tmp_path, env=ENV) is None


def test_more_than_can_be_read_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A program gone wild does not fill our memory."""
    monkeypatch.setattr(program, "LARGEST", 10)
    assert sh("echo 12345678901234567890", tmp_path).out == "1234567890"
