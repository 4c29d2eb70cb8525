"""Commands in the work tree itself: how they end, and that they always do."""

from __future__ import annotations

from pathlib import Path

import pytest

from forsooth.errors import CouldNotVerify
from forsooth.judge.workspace import Workspace

PATH = {"PATH": "/usr/bin:/bin", "WHO": "ada"}


def test_a_command_runs_where_the_work_is_with_the_environment_of_whoever_asked(tmp_path: Path):
    """The folder, the variables and git without a prompt."""
    (tmp_path / "sub").mkdir()
    argv = ["sh", "-c", "echo $WHO $GIT_TERMINAL_PROMPT $MORE; basename $PWD; exit 3"]
    ran = Workspace(str(tmp_path), PATH).run(argv, seconds=60, cwd="sub", env={"MORE": "x"})
    assert (ran.exit, ran.ended, ran.stdout) == (3, "exit", b"ada 0 x\nsub\n")


def test_what_hangs_is_ended_with_all_it_started(tmp_path: Path):
    """Also a child that holds the pipes open."""
    ran = Workspace(str(tmp_path), PATH).run(["sh", "-c", "sleep 600 & sleep 600"], seconds=0.2)
    assert (ran.exit, ran.ended) == (None, "timeout")


def test_a_signal_and_a_program_that_is_not_there_are_told_as_a_shell_does(tmp_path: Path):
    """So the checks read them as they read every run."""
    here = Workspace(str(tmp_path), PATH)
    killed = here.run(["sh", "-c", "kill -9 $$"], seconds=60)
    assert (killed.exit, killed.signal) == (137, 9)
    missing = here.run(["no-such-program"], seconds=60)
    assert (missing.exit, missing.ended) == (127, "exit")
    assert missing.stderr == b"no-such-program: No such file or directory"


def test_the_judges_own_files_have_no_place_in_a_work_tree(tmp_path: Path):
    """A check that needs them is not run there."""
    with pytest.raises(CouldNotVerify) as error:
        Workspace(str(tmp_path), PATH).run(["true"], seconds=60, files={"a": b""})
    assert error.value.code == "not-run"
