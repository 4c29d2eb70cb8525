"""A place to play one scenario in: the repository, a home, and what lies outside both.

Nothing of the caller's home or settings is seen from inside, and all of it goes with the folder.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from forsooth.hooks.lineage import agent_above
from forsooth.testing.adversary.proof import Delivered, Outcome, started
from forsooth.testing.adversary.scenario import Base, Scenario

AGENT = {"CLAUDECODE": "1"}
GIT = "git"


class Repo(NamedTuple):
    """A work tree and the environment of whoever calls from it."""

    folder: Path
    environment: Mapping[str, str]


class Stage:
    """One scenario's folder: what the agent can reach lies in `agent`, and can be taken away."""

    def __init__(self, folder: Path, *, environment: Mapping[str, str]) -> None:
        self.folder, self.agent = folder, folder / "agent"
        self.work, self.home = self.agent / "repo", self.agent / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        let_agents_seal(self.home)
        self.clean = cleaned(environment, self.home)

    def build(self, base: Base) -> str:
        """Make the base repository; its commit."""
        for name, text in base.files.items():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755 if text.startswith("#!") else 0o644)
        self.git("init", "-q", "-b", "main")
        self.git("config", "gc.auto", "0")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "The shop as it is")
        origin = self.folder / "origin.git"
        self.git("clone", "-q", "--bare", str(self.work), str(origin))
        self.git("remote", "add", "origin", str(origin))
        self.git("fetch", "-q", "origin")
        return self.git("rev-parse", "HEAD")

    def git(self, *argv: str, folder: Path | None = None) -> str:
        """Run git over the work tree, or over another folder, in the clean environment."""
        done = started((GIT, *argv), folder or self.work, self.clean)
        if done.code:
            raise ValueError(f"git {' '.join(argv)} exited {done.code}: {done.out[-300:]}")
        return done.out.strip()

    def delivered(self, deliver: str) -> str:
        """The commit that is delivered; a work tree counts as the commit it would make."""
        if deliver != "worktree":
            return started(
                (GIT, "rev-parse", "-q", "--verify", f"refs/heads/{deliver}"),
                self.work,
                self.clean,
            ).out.strip()
        own = {**self.clean, "GIT_INDEX_FILE": str(self.folder / "index")}
        head = self.git("rev-parse", "HEAD")
        for argv in (("read-tree", "HEAD"), ("add", "-A")):
            started((GIT, *argv), self.work, own)
        tree = started((GIT, "write-tree"), self.work, own).out.strip()
        return self.git("commit-tree", tree, "-p", head, "-m", "as it lies")

    def export(self, scenario: Scenario, base: str, *, records: tuple[str, ...] = ()) -> Delivered:
        """Put what is delivered elsewhere and take the agent's folder away."""
        head = self.delivered(scenario.plan.deliver)
        history, folder = self.folder / "history", self.folder / "export"
        shutil.copytree(self.work / ".git", history / ".git", symlinks=True)
        for name in ("hooks", "config", "info", "index"):
            path = history / ".git" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        self.git("init", "-q", folder=history)
        self.agent.rename(self.folder / "gone")
        clean = {**self.clean, "HOME": str(self.folder)}
        checkout(history, head, folder=folder, environment=clean)
        clean |= {
            "PATH": f"{tools(self.folder)}:{clean['PATH']}",
            "GOFLAGS": "-mod=mod",
            "GOCACHE": str(self.folder.parent / "go-build"),
        }
        return Delivered(scenario, folder, history, base, head, clean, records)


def checkout(repo: Path, commit: str, *, folder: Path, environment: Mapping[str, str]) -> Outcome:
    """A commit in a clone of its own, with nothing of the repository's settings."""
    argv = (GIT, "clone", "-q", "--no-local", "--no-checkout", str(repo), str(folder))
    started(argv, repo, environment)
    started((GIT, "fetch", "-q", str(repo), commit), folder, environment)
    return started((GIT, "checkout", "-q", "--detach", commit), folder, environment)


def cleaned(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """Nothing of the caller's environment but where programs lie."""
    who = {f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")}
    mail = {f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")}
    kept = {k: environment[k] for k in ("PATH", "TMPDIR") if k in environment}
    rest = {"HOME": str(home), "USER": "ada", "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
    return {**kept, **rest, **who, **mail}


def let_agents_seal(home: Path) -> None:
    """Allow seals of made-up plans in a made-up home, where an agent runs the whole of it."""
    if agent_above():
        path = home / ".config" / "forsooth" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[policy]\nagents_may_seal = true\n", encoding="utf-8")


def tools(folder: Path) -> Path:
    """A folder with this very interpreter in it, which has the test runner beside it."""
    place = folder / "tools"
    place.mkdir(exist_ok=True)
    python = place / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return place
