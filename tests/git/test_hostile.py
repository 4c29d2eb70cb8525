"""A repository's own configuration names programs; none of them ever runs for us.

Each trap is first shown to spring under plain git, so that its silence means something.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from forsooth.core.actor import Actor
from forsooth.git.objects import base, file_at
from forsooth.git.repository import locate
from forsooth.project import Project
from tests.e2e.place import BRIEF, Place

Trap = Callable[[Place, str], Mapping[str, str] | None]


def fsmonitor(place: Place, program: str) -> None:
    place.git("config", "core.fsmonitor", program)


def included(place: Place, program: str) -> None:
    place.write(".git/more", f"[core]\n\tfsmonitor = {program}\n")
    place.git("config", "include.path", "more")


def hook(place: Place, program: str) -> None:
    hooks = place.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).symlink_to(program)


def hooks_path(place: Place, program: str) -> None:
    place.write("hooks/.keep", "")
    (place.folder / "hooks" / "pre-commit").symlink_to(program)
    place.git("config", "core.hooksPath", str(place.folder / "hooks"))


def smudge(place: Place, program: str) -> None:
    place.commit(".gitattributes", "* filter=evil\n")
    place.git("config", "filter.evil.smudge", program)


def textconv(place: Place, program: str) -> None:
    place.commit(".gitattributes", "* diff=evil\n")
    place.git("config", "diff.evil.textconv", program)


def alias(place: Place, program: str) -> None:
    for name in ("evil", "rev-parse", "cat-file", "ls-tree"):
        place.git("config", f"alias.{name}", f"!{program}")


def ssh_command(place: Place, program: str) -> None:
    place.git("config", "core.sshCommand", program)
    place.git("config", "remote.origin.url", "ssh://example.invalid/r")
    place.git("config", "remote.origin.promisor", "true")


def in_path(place: Place, program: str) -> Mapping[str, str]:
    place.write("bin/.keep", "")
    (place.folder / "bin" / "git").symlink_to(program)
    return {"PATH": f"{place.folder / 'bin'}:/usr/bin:/bin"}


def in_environment(_: Place, program: str) -> Mapping[str, str]:
    names = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor"}
    return names | {"GIT_CONFIG_VALUE_0": program, "GIT_SSH_COMMAND": program}


TRAPS: list[tuple[Trap, list[str]]] = [
    (fsmonitor, ["status"]),
    (included, ["status"]),
    (hook, ["commit", "--allow-empty", "-qm", "x"]),
    (hooks_path, ["commit", "--allow-empty", "-qm", "x"]),
    (smudge, ["cat-file", "--filters", "HEAD:README.md"]),
    (textconv, ["log", "-p"]),
    (alias, ["evil"]),
    (ssh_command, ["ls-remote", "origin"]),
    (in_path, ["version"]),
    (in_environment, ["status"]),
]


@pytest.mark.parametrize(("trap", "argv"), TRAPS, ids=lambda value: getattr(value, "__name__", ""))
def test_no_program_a_repository_names_is_run(
    place: Place, tmp_path: Path, monkeypatch, trap, argv
):
    """It springs under plain git, and stays silent through everything forsooth does."""
    sprung = tmp_path / "sprung"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {sprung}\nexit 1\n")
    program.chmod(0o755)
    place.commit("forsooth.toml", "[policy]\nattempts = 4\n")
    told = trap(place, str(program)) or {}
    environment = place.environment(told)
    subprocess.run(
        ["git", *argv], cwd=place.folder, env=environment, capture_output=True, check=False
    )
    assert sprung.exists(), "the trap does not work, so its silence would mean nothing"
    sprung.unlink()

    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    repo = locate(place.folder)
    commit = base(repo).commit or ""
    assert file_at(repo, commit, "README.md") == b"An importer.\n"
    project = Project(place.folder, actor=Actor(kind="human", channel="terminal"))
    plan = project.draft(BRIEF).plan.id
    shown = project.sealing(plan)
    assert shown.policy.attempts == 4
    project.seal(plan, shown, agent_present=False)
    assert project.hand_out(plan).assignment
    assert not sprung.exists()


def test_a_replaced_object_is_not_believed(place: Place):
    """`git replace` can show any content under any name; we read the object itself."""
    commit = place.commit("forsooth.toml", "[policy]\nattempts = 1\n")
    before = base(locate(place.folder))
    loose = place.commit("forsooth.toml", "[policy]\nattempts = 99\n")
    place.git("replace", commit, loose)
    place.git("reset", "-q", "--hard", commit)
    assert "99" in place.git("show", "HEAD:forsooth.toml")
    assert base(locate(place.folder)) == before
    assert file_at(locate(place.folder), commit, "forsooth.toml") == b"[policy]\nattempts = 1\n"
