"""The agent's hands: all that a coding agent can do in its own session, and nothing a judge does.

Processes it leaves behind are ended with the scenario; only those.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from forsooth.testing.adversary.scenario import Base

SECONDS = 120
GIT = "git"


class Hand:
    """A work tree, the environment the agent exports, and what it may reach beside them."""

    def __init__(
        self,
        work: Path,
        *,
        base: Base,
        environment: Mapping[str, str],
        tool: tuple[str, ...] = (),
        plan: str = "",
        records: tuple[Path, ...] = (),
    ) -> None:
        self.work, self.base = work, base
        self.env = dict(environment)
        self.outside = work.parent / "elsewhere"
        self.outside.mkdir(exist_ok=True)
        self.tool, self.plan, self.records = tool, plan, records
        self._left: list[subprocess.Popen[bytes]] = []

    @property
    def home(self) -> Path:
        """The agent's home, which is the user's."""
        return Path(self.env["HOME"])

    def write(self, name: str, text: str, *, mode: int = 0o644) -> Path:
        """Write a file of the work tree."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def read(self, name: str) -> str:
        """The text of a file of the work tree."""
        return (self.work / name).read_text(encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that must be there."""
        text = self.read(name)
        if old not in text:
            raise ValueError(f"{name} does not hold {old!r}")
        (self.work / name).write_text(text.replace(old, new), encoding="utf-8")

    def append(self, name: str, text: str) -> None:
        """Add to the end of a file."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)

    def mend(self) -> None:
        """The honest work."""
        self.edit(self.base.product, self.base.wrong, self.base.right)

    def say(self, line: str) -> None:
        """Put another line where the bug is."""
        self.edit(self.base.product, self.base.wrong, line)

    def git(self, *argv: str, env: Mapping[str, str] | None = None) -> str:
        """Run git as the agent."""
        return self.run(GIT, *argv, env=env)

    def commit(self, message: str = "Mend the discount", *argv: str) -> None:
        """Commit all that git sees."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, *argv)

    def pretend(self) -> None:
        """Deliver a change beside the point, so that something was done."""
        self.append("README.md", "Discounts work.\n")
        self.commit()

    def run(self, *argv: str, env: Mapping[str, str] | None = None, ok: bool = True) -> str:
        """Run a command in the agent's shell."""
        done = subprocess.run(
            argv,
            cwd=self.work,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
        if ok and done.returncode:
            raise ValueError(f"{argv} exited {done.returncode}: {done.stderr[-500:]}")
        return done.stdout

    def ask(self, *argv: str) -> str:
        """Call the judge's own command line as the agent, whatever it answers."""
        return self.run(*self.tool, *argv, ok=False) if self.tool else ""

    def type(self, *argv: str, env: Mapping[str, str] | None = None) -> str:
        """Call it at a terminal of the agent's own making."""
        spawn = (sys.executable, "-I", "-c", "import pty, sys; pty.spawn(sys.argv[1:])")
        return self.run(*spawn, *self.tool, *argv, env=env, ok=False) if self.tool else ""

    def leave(self, *argv: str) -> None:
        """Start a process and leave it running."""
        self._left.append(
            subprocess.Popen(
                argv,
                cwd=self.work,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )

    def rest(self) -> None:
        """End what was left running."""
        for process in self._left:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(SECONDS)
        self._left.clear()
