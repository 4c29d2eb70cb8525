"""A repository as hooks find it: a real ledger with its answers, and sessions of agents."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forsooth.core import command as do
from forsooth.core.policy import Policy
from forsooth.hooks.answer import answered
from forsooth.hooks.board import Board, find
from forsooth.hooks.hosts import Answer, Event
from forsooth.hooks.prompts import KEYWORDS
from forsooth.hooks.sessions import Session, Sessions
from tests.ledger.plans import PERSON, Book, a_plan

SOURCE = Path(__file__).parents[2] / "src"
GATE = SOURCE / "forsooth/hooks/gate.sh"
NOON = 1_780_000_000.0
NEXT = {"tool_name": "Bash", "tool_input": {"command": "forsooth next"}}
EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "src/a.py"}}


class Stage:
    """One work tree with one plan, a clock, and the events of sessions in it."""

    def __init__(self, folder: Path, *, host: str = "claude") -> None:
        self.folder, self.host, self.now = folder, host, NOON
        self.common = folder / ".git"
        self.common.mkdir(parents=True)
        (self.common / "HEAD").write_text("ref: refs/heads/main\n")
        self.state = self.common / "forsooth"
        self.plans = self.state / "plans"
        self.home = folder  # as `process` has it

    @property
    def place(self) -> Path:
        return self.plans / "plan"

    def bind(self, plan: str = "plan", *, tree: str = "main") -> None:
        """Have the work tree mean a plan."""
        path = self.state / "bound" / tree
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{plan}\n")

    def know(self, plan: str = "plan") -> None:
        """Note in the home that something was recorded in a plan, as every append does."""
        know(self.folder, plan)

    def draft(self) -> Book:
        """A plan that waits for its seal."""
        book = Book(self.plans)
        book.ask(do.Create(plan=a_plan(2)))
        self.bind()
        self.know()
        return book

    def sealed(self, **policy: Any) -> Book:
        """A plan in force; without a cooldown unless one is asked for."""
        book = self.draft()
        held = Policy(**({"cooldown": 0} | policy))
        book.ask(do.Seal(digest=a_plan(2).digest, policy=held), PERSON)
        return book

    def board(self) -> Board:
        found = find(str(self.folder), home=str(self.home))
        assert found is not None
        return found

    def event(self, name: str, session: str = "s1", **payload: Any) -> Event:
        common = {"session_id": session, "cwd": str(self.folder)}
        return Event(self.host, name, {**common, **payload})

    def ask(self, name: str, session: str = "s1", **payload: Any) -> Answer:
        """What is answered to one event, a second after the last."""
        self.now += 1
        event = self.event(name, session, **payload)
        return answered(event, self.board(), now=self.now, keywords=KEYWORDS)

    def prompt(self, text: str, session: str = "s1") -> str:
        return self.ask("prompt", session, prompt=text).context

    def work(self, session: str = "s1") -> None:
        """A call of a tool that changes something."""
        self.ask("pre_tool", session, **EDIT)

    def stop(self, session: str = "s1", **payload: Any) -> str:
        """The end of a turn: the reason it is held for, or nothing."""
        return self.ask("stop", session, **payload).refusal

    def session(self, name: str = "s1") -> Session | None:
        return Sessions(str(self.state)).load(name)

    def kept(self, name: str = "s1") -> Path:
        return self.state / "sessions" / f"{name}.json"

    def log(self) -> list[dict[str, str]]:
        path = self.state / "hooks.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def process(self, *argv: str, data: bytes | None = None, **env: str) -> Ended:
        """Run a program with a payload, as a host does."""
        given = {"session_id": "s1", "cwd": str(self.folder)}
        return run(argv, self.folder, json.dumps(given).encode() if data is None else data, **env)


def know(folder: Path, plan: str) -> None:
    """Have a repository, which is its own home, know a plan."""
    place = hashlib.sha256(os.fsencode((folder / ".git").resolve())).hexdigest()[:16]
    path = folder / ".local/state/forsooth" / place / f"{plan}.head"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("noted\n")


class Ended:
    """How a process ended."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout.decode(), done.stderr.decode()


def run(argv: tuple[str, ...], folder: Path, data: bytes, **env: str) -> Ended:
    """A process with nothing of ours in its environment."""
    around = {"PATH": os.environ["PATH"], "HOME": str(folder), **env}
    return Ended(
        subprocess.run(
            argv, cwd=folder, input=data, env=around, capture_output=True, timeout=30, check=False
        )
    )


def hook(host: str, event: str) -> tuple[str, ...]:
    """The hook as the gate starts it."""
    start = next(line for line in GATE.read_text().splitlines() if line.startswith("start="))
    code = start.removeprefix("start=").strip("'")
    return (sys.executable, "-I", "-S", "-c", code, str(SOURCE), host, event)


def gate(folder: Path) -> Path:
    """The gate as a package for this machine has it."""
    path = folder / "gate"
    script = GATE.read_text().replace("\npython=\n", f"\npython={sys.executable}\n")
    path.write_text(script.replace("\nlibrary=\n", f"\nlibrary={SOURCE}\n"))
    path.chmod(0o755)
    return path


HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_SH)
print(flush=True)
input()
"""


@contextmanager
def holding_lock(path: Path, *, program: str) -> Generator[None]:
    """A lock that a process of its own holds, run as a program of some name."""
    script = path.parent / program
    script.write_text(HOLD)
    argv = (sys.executable, str(script), str(path))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(argv, **pipes) as process:
        assert process.stdout
        process.stdout.readline()
        yield
        process.communicate(b"\n")
