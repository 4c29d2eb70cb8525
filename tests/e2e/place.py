"""A fresh repository with a home of its own, and the command line run in it as people run it."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import termios
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FORSOOTH = (sys.executable, "-m", "forsooth")
SECONDS = 60
AGENT = {"CLAUDECODE": "1"}
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

BRIEF = """\
Standard library only.

@goal: Reject malformed rows
The importer refuses a bad header and says why.
- [ ] importer tests: `pytest -q tests/test_import.py`
- [ ] only src/** and tests/** change

@goal: Explain the refusal
After: G001
- [ ] docs/import.md contains "## Errors"

@goal: Import faster
- [ ] benchmark: `python bench.py` exits 0
"""
GROUNDS = ("--evidence", "the log of run 7", "--rationale", "it follows")


class Answer(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str = ""

    @property
    def data(self) -> Any:
        """The one JSON object on standard output."""
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        """The JSON objects on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class Place:
    """A work tree, a home, and nothing of the caller's environment but the interpreter."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home = folder, home

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "USER": "ada",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
            **(more or {}),
        }

    def run(
        self,
        *argv: str | bytes,
        code: int | None = 0,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        prefix: tuple[str, ...] = FORSOOTH,
        seconds: float = SECONDS,
    ) -> Answer:
        """Run forsooth without a terminal; `code` is the exit code it must have, if any."""
        done = subprocess.run(
            [*prefix, *argv],
            cwd=self.folder,
            env=self.environment(env),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        answer = Answer(done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in answer.err, answer.err
        assert code in (None, answer.code), answer
        return answer

    def ask(self, *argv: str, code: int = 0, env: Mapping[str, str] | None = None) -> Any:
        """Run forsooth with --json and return what it says."""
        return self.run(*argv, "--json", code=code, env=env).data

    def typed(
        self,
        *argv: str,
        answer: str = "",
        but: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        prefix: tuple[str, ...] = FORSOOTH,
    ) -> Answer:
        """Run forsooth at a terminal; `answer` is typed at every question not in `but`."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [*prefix, *argv],
            cwd=self.folder,
            env=self.environment(env),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=partial(fcntl.ioctl, theirs, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        ) as process:
            os.close(theirs)
            seen = _dialogue(ours, answer, but or {})
            code = process.wait(SECONDS)
        os.close(ours)
        text = seen.decode().replace("\r\n", "\n")
        assert "Traceback" not in text, text
        return Answer(code, text)

    def git(self, *argv: str, folder: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *argv],
            cwd=folder or self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert not done.returncode, done.stderr
        return done.stdout.strip()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def commit(self, name: str, text: str) -> str:
        """Write a file, commit it and say the commit's id."""
        self.write(name, text)
        self.git("add", name)
        self.git("commit", "-qm", name)
        return self.git("rev-parse", "HEAD")

    def linked(self, name: str) -> Place:
        """Another work tree of the same repository."""
        folder = self.folder.parent / name
        self.git("worktree", "add", "-q", "--detach", str(folder))
        return Place(folder, self.home)

    @property
    def state(self) -> Path:
        return self.folder / ".git" / "forsooth"

    @property
    def plans(self) -> list[Path]:
        return sorted((self.state / "plans").iterdir()) if self.state.exists() else []

    @property
    def ledger(self) -> Path:
        """The ledger of the only plan."""
        (plan,) = self.plans
        return plan / "ledger.jsonl"

    def kinds(self) -> list[str]:
        """The kinds of every event of the only plan, in order, read without our own reader."""
        return [json.loads(line)["kind"] for line in self.ledger.read_bytes().splitlines()]

    def statuses(self) -> dict[str, str]:
        return {goal["id"]: goal["status"] for goal in self.ask("status")["goals"]}


def _dialogue(terminal: int, answer: str, but: Mapping[str, str]) -> bytes:
    seen, answered = b"", 0
    while True:
        ready, _, _ = select.select([terminal], [], [], SECONDS)
        assert ready, f"nothing more came after {seen!r}"
        try:
            part = os.read(terminal, 65536)
        except OSError:  # what Linux says when the other side is closed
            return seen
        if not part:
            return seen
        seen += part
        if answer and seen.endswith(b"]: ") and seen.count(b"]: ") > answered:
            question = seen.splitlines()[-1].decode()
            others = (other for start, other in but.items() if question.startswith(start))
            os.write(terminal, next(others, answer).encode() + b"\n")
            answered = seen.count(b"]: ")


def new(folder: Path) -> Place:
    """A repository with one commit."""
    home, root = folder / "home", folder / "repo"
    home.mkdir(parents=True)
    root.mkdir()
    made = Place(root, home)
    made.git("init", "-q", "-b", "main")
    made.commit("README.md", "An importer.\n")
    return made


@pytest.fixture(scope="session")
def first_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first") / "place"
    new(folder)
    return folder


@pytest.fixture(scope="session")
def sealed_once(first_commit: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sealed") / "place"
    made = _copy(first_commit, folder)
    made.commit("BRIEF.md", BRIEF)
    made.run("plan", "BRIEF.md")
    made.run("seal", "--yes")
    return folder


@pytest.fixture
def place(first_commit: Path, tmp_path: Path) -> Place:
    """A repository with one commit and no plan."""
    return _copy(first_commit, tmp_path / "place")


@pytest.fixture
def sealed(sealed_once: Path, tmp_path: Path) -> Place:
    """A repository with BRIEF sealed by a script that speaks for a person."""
    return _copy(sealed_once, tmp_path / "place")


def _copy(source: Path, target: Path) -> Place:
    shutil.copytree(source, target, symlinks=True)
    return Place(target / "repo", target / "home")
