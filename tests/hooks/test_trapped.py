"""Nobody is trapped and nobody is slowed down: many turns, broken state, and what a hook costs."""

from __future__ import annotations

import fcntl
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from forsooth.core import command as do
from forsooth.hooks.hosts import HOSTS
from tests.hooks.stage import EDIT, NEXT, Stage, gate
from tests.requirements import requirement

TALK = (
    "what does the parser do?",
    "thanks, that helps",
    "please rename this variable",
    "why is the test red?",
    "seal the deal with the customer, what would you write?",
    "the ultraworks of others",
    "stop",
    "continue",
    "I typed forsooth status, what does it say?",
)
LOOKING = {"tool_name": "Bash", "tool_input": {"command": "forsooth status"}}


@pytest.mark.parametrize("host", HOSTS)
def test_a_thousand_turns_of_conversation_are_never_held(host, stage: Stage):
    """In one session that is armed now and then and one that never is, while work waits."""
    dice = random.Random(host)
    stage.host = host
    book = stage.sealed(holds=1_000_000, holds_in_a_row=1_000_000)
    for turn in range(1000):
        session = dice.choice(["s1", "s2"])
        if session == "s1" and dice.random() < 0.1:
            stage.prompt("ulw", "s1")
            stage.work("s1")
            assert stage.stop("s1")
        stage.prompt(dice.choice(TALK), session)
        for _ in range(dice.randrange(3)):
            stage.ask("pre_tool", session, **dice.choice([EDIT, LOOKING]))
        if dice.random() < 0.1:
            book.ask(do.Note(text=str(turn)), id_=f"turn-{turn}")
        if dice.random() < 0.05:
            stage.ask("session_start", session, source=dice.choice(["compact", "resume"]))
        for _ in range(dice.randrange(1, 3)):
            assert stage.stop(session, stop_hook_active=dice.random() < 0.5) == ""


def test_a_second_session_is_not_held_while_the_first_one_is(stage: Stage):
    """Same repository, same plan, same moment."""
    stage.sealed(holds=1000, holds_in_a_row=1000)
    stage.prompt("ulw", "s1")
    for _ in range(100):
        stage.work("s1")
        stage.work("s2")
        assert stage.stop("s2") == ""
        assert stage.stop("s1")


def rewrite(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def huge(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(1 << 30)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BREAKING: dict[str, Callable[[Path], object]] = {
    "torn": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "empty": lambda path: path.write_bytes(b""),
    "noise": lambda path: path.write_bytes(os.urandom(500)),
    "deep": lambda path: path.write_bytes(b"[" * 50_000),
    "later version": lambda path: rewrite(path, v=2),
    "missing": Path.unlink,
    "huge": huge,
    "a pipe": pipe,
    "a folder": folder,
}
EVENTS = {
    "stop": {},
    "pre_tool": NEXT,
    "prompt": {"prompt": "ulw"},
    "session_start": {"source": "compact"},
}


class Trap:
    """A repository whose state is broken in some way before each call through the gate."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.made = folder, 0
        self.gate = gate(folder)

    def fresh(self) -> Stage:
        self.made += 1
        stage = Stage(self.folder / f"repo{self.made}")
        stage.sealed()
        stage.prompt("ulw")
        return stage

    def call(self, stage: Stage, event: str) -> str:
        given = {"session_id": "s1", "cwd": str(stage.folder), **EVENTS[event]}
        begun = time.monotonic()
        data = json.dumps(given).encode()
        ended = stage.process(str(self.gate), "claude", event, data=data)
        assert time.monotonic() - begun < 5
        assert (ended.code, ended.err) == (0, "")
        return ended.out


@pytest.fixture
def trap(tmp_path) -> Trap:
    return Trap(tmp_path)


@requirement("R186", "D7")
@pytest.mark.parametrize("how", BREAKING)
@pytest.mark.parametrize("which", ["now.json", "s1.json"])
def test_broken_state_lets_the_agent_stop_and_is_recorded(which, how, trap: Trap):
    """Whatever became of the answers or of the session's own file."""
    stage = trap.fresh()
    path = stage.place / which if which == "now.json" else stage.kept()
    BREAKING[how](path)
    assert trap.call(stage, "stop") == "{}\n"
    lost = which == "s1.json" and how == "missing"  # then it was never armed
    assert [row["what"] for row in stage.log()] == ([] if lost else ["failed open"])


def test_a_lock_that_is_never_freed_lets_the_agent_stop(trap: Trap):
    """Somebody's hook hangs; the others do not."""
    stage = trap.fresh()
    with (stage.state / "sessions/.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert trap.call(stage, "stop") == "{}\n"
        assert "locked" in stage.log()[0]["why"]
        assert "done means proven" in trap.call(stage, "prompt")


@pytest.mark.heavy
@pytest.mark.timeout(1200)
@requirement("R186", "D7")
def test_a_thousand_calls_on_broken_state_all_end_well(trap: Trap):
    """Random breakages, alone and together, on every event: exit 0 within five seconds; where the
    answers cannot be read there is no hold, and that is recorded."""
    dice = random.Random(6)
    for _ in range(100):
        stage = trap.fresh()
        files = [stage.place / "now.json", stage.kept(), stage.state / "bound/main"]
        files += [stage.place / "ledger.jsonl"]
        broken = dice.sample(files, dice.randint(1, 3))
        for path in broken:
            how = dice.choice(
                [h for h in BREAKING if h != "later version" or path.suffix == ".json"]
            )
            if path.name == "main" and how == "huge":
                continue  # a name of a gigabyte is nobody's accident
            BREAKING[how](path)
        lock = (stage.state / "sessions/.lock").open("w")
        if dice.random() < 0.1:
            fcntl.flock(lock, fcntl.LOCK_EX)
        events = dice.choices(list(EVENTS), k=10)
        answers = [trap.call(stage, event) for event in events]
        lock.close()
        if files[0] in broken:
            stops = {said for event, said in zip(events, answers, strict=True) if event == "stop"}
            assert stops <= {"{}\n"}
        if broken == files[:1] and "stop" in events:
            assert "failed open" in [row["what"] for row in stage.log()]


def test_the_length_of_the_ledger_makes_no_difference(stage: Stage):
    """It is never opened: a gigabyte of it gives the same hold."""
    stage.sealed()
    stage.prompt("ulw")
    os.truncate(stage.place / "ledger.jsonl", 1 << 30)
    rewrite(stage.place / "now.json", size=1 << 30, end=1 << 30)
    assert stage.stop()


def cost(argv: tuple[str, ...], folder: Path, data: bytes) -> float:
    """Processor seconds of one call: a busy machine makes it wait, not work."""
    before = os.times()
    subprocess.run(argv, cwd=folder, input=data, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    used = after.children_user - before.children_user
    return used + after.children_system - before.children_system


def test_an_idle_gate_and_an_active_hook_cost_little_beside_a_bare_interpreter(
    stage: Stage, tmp_path
):
    """The bars are 0.15 and 2.2 in `bench/hooks.py`; here only a multiple of them is noticed."""
    idle = Stage(tmp_path / "idle")
    stage.sealed()
    stage.prompt("ulw")
    script = str(gate(tmp_path))
    data = json.dumps({"session_id": "s1", "cwd": str(stage.folder), **EDIT}).encode()
    cases = {
        "bare": ((sys.executable, "-I", "-c", "pass"), stage.folder),
        "idle": ((script, "claude", "stop"), idle.folder),
        "stop": ((script, "claude", "stop"), stage.folder),
        "tool": ((script, "claude", "pre_tool"), stage.folder),
    }
    seen: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(15):
        for name, (argv, where) in cases.items():
            seen[name].append(cost(argv, where, data))
    bare = statistics.mean(seen["bare"])
    ratio = {name: statistics.mean(took) / bare for name, took in seen.items()}
    assert ratio["idle"] < 0.5, ratio
    assert max(ratio["stop"], ratio["tool"]) < 3, ratio
