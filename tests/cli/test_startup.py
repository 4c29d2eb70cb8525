"""What is not asked for is not loaded."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import forsooth
import forsooth.__main__
from forsooth.cli.main import LATER, VERBS

SEEN = "import sys; print(*sorted(m for m in sys.modules if m.partition('.')[0] in {names!r}))"
SOURCE = str(Path(forsooth.__file__).resolve().parents[1])
HEAVY = ("click", "forsooth", "pydantic", "rich", "ruamel")


def loaded(code: str, *argv: str) -> list[str]:
    """The heavy modules, and ours, that a program ends up with."""
    code = f"{code}\n{SEEN.format(names=HEAVY)}"
    done = subprocess.run(
        [sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1].split()


def test_importing_the_package_imports_nothing_of_itself():
    """The door is one module."""
    assert loaded("import forsooth") == ["forsooth"]


def test_the_version_is_answered_before_anything_is_loaded():
    """Neither click nor pydantic, nor any module of ours but the way in."""
    code = "from forsooth.__main__ import main; main()"
    assert loaded(code, "--version") == ["forsooth", "forsooth.__main__"]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "forsooth", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"forsooth {forsooth.__version__}\n"
    names = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not names & {"click", "pydantic", "rich", "json", "subprocess"}


def test_help_lists_the_verbs_without_loading_them():
    """A list of twelve names needs none of the twelve modules."""
    code = "from forsooth.cli.main import run; run(['--help'])"
    verbs = {f"forsooth.cli.{verb}" for verb in VERBS}
    assert not verbs & set(loaded(code))


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_module_a_sentence_and_json(verb):
    """Its help says what it does, every option says what it is, and --json is one of them."""
    command = importlib.import_module(f"forsooth.cli.{verb}").command
    parts = command.commands.values() if isinstance(command, click.Group) else [command]
    assert command.help
    for one in parts:
        options = [param for param in one.params if isinstance(param, click.Option)]
        assert one.help
        assert "--json" in [name for option in options for name in option.opts]
        assert [option.name for option in options if not option.help] == []


def test_no_verb_is_both_here_and_to_come():
    """A verb that arrives leaves the list of those that are missed."""
    assert not VERBS.keys() & LATER.keys()


def test_the_callers_shell_loads_nothing_into_the_judge(tmp_path):
    """The caller may be the agent, whose import path holds a library of the judge's name."""
    (tmp_path / "click.py").write_text("raise SystemExit('the agent was here')\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    argv = [sys.executable, "-m", "forsooth", "--help"]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "agent was here" not in done.stdout + done.stderr


@pytest.mark.parametrize(("path", "apart"), [(None, []), ("/elsewhere", ["-I"]), (SOURCE, [])])
def test_the_callers_shell_links_nothing_into_the_judge(monkeypatch, path, apart):
    """A library put before all others could turn the judge's exit status into another."""
    started: list[object] = []
    monkeypatch.setenv("LD_PRELOAD", "/the/agents.so")
    for name in forsooth.__main__._LOADED:
        monkeypatch.delenv(name, raising=False)
    if path:
        monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr(sys, "argv", ["forsooth", "--version"])
    monkeypatch.setattr(os, "execve", lambda *given: started.extend(given))
    forsooth.__main__._stand_apart()
    program, argv, env = started
    assert (program, argv) == (
        sys.executable,
        [sys.executable, *apart, "-m", "forsooth", "--version"],
    )
    assert "LD_PRELOAD" not in env
