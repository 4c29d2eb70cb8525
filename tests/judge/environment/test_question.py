"""Tools are asked who they are inside the sandbox, and only those a person has are asked at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forsooth.judge.environment.interpreter import installed
from forsooth.judge.environment.question import asking
from forsooth.judge.environment.toolchain import Search, tool
from forsooth.judge.sandbox import runner
from forsooth.judge.sandbox.job import Job
from forsooth.judge.sandbox.tiers import available
from tests.judge.environment.place import python
from tests.judge.sandbox.account import doing, uid_of
from tests.tools import absent

pytestmark = pytest.mark.requires_strict


def search_in(home: Path, path: str, root: Path | None = None) -> Search:
    ask = asking(available, home=home, root=root)
    return Search(path, home, ask, None, root)


@pytest.mark.parametrize("name", ["python", "node", "go", "cargo", "java", "mvn"])
def test_a_tool_says_the_same_inside_as_outside(name: str):
    """Version and prefix are what they were when the host asked."""
    path, home = os.environ["PATH"], Path.home()
    if shutil.which(name) is None:
        absent(name)
    outside = tool(name, Search(path, home, runner.answer))
    assert tool(name, search_in(home, path)) == outside


def test_an_unchanged_program_is_asked_once(tmp_path: Path):
    """Each question starts a sandbox; what was heard is remembered until the file changes."""
    jobs: list[Job] = []

    class Counting:
        tier, overlays, lacks, notes = "strict", True, (), ()

        def run(self, job, *, progress=None):
            jobs.append(job)
            return available().run(job, progress=progress)

    ask = asking(Counting, home=tmp_path, root=None)
    program = tmp_path / "bin/tool"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 1.0\n")
    program.chmod(0o755)
    assert [ask((str(program), "--version")) for _ in range(2)] == ["1.0", "1.0"]
    program.write_text("#!/bin/sh\necho 2.0.0\n")
    assert ask((str(program), "--version")) == "2.0.0"
    assert [job.network for job in jobs] == ["none", "none"]
    with pytest.raises(FileNotFoundError):
        ask((str(tmp_path / "none"), "--version"))


@pytest.mark.parametrize("on_path", [False, True])
def test_a_venv_of_the_work_tree_runs_no_program_on_the_host(
    place: Path, account: str, on_path: bool
):
    """Its `home` names a program elsewhere: passed over, or, where it is on the person's own path,
    asked where it can neither write outside nor read the home.
    """
    (place / "repo/.venv").mkdir(parents=True)
    (place / "home").mkdir()
    (place / "home/secret").write_text("of the person")
    (place / "elsewhere/bin").mkdir(parents=True)
    program = place / "elsewhere/bin/python3"
    program.write_text(
        f"#!/bin/sh\necho ran >{place}/ran\n"
        f"cat {place}/home/secret\necho 3.11.0\necho {place}/elsewhere\n"
    )
    program.chmod(0o755)
    (place / "repo/.venv/pyvenv.cfg").write_text(f"home = {place}/elsewhere/bin\n")
    for path in (place, *place.rglob("*")):
        os.chown(path, uid_of(account), uid_of(account))
    asked: list[str] = []

    def looked() -> list[str]:
        path = f"{place}/elsewhere/bin:/usr/bin" if on_path else "/usr/bin"
        search = search_in(place / "home", path, place / "repo")

        def ask(argv: tuple[str, ...]) -> str:
            asked.append(search.ask(argv))
            return asked[-1]

        installed(place / "repo/.venv", search._replace(ask=ask), root=place / "repo")
        return asked

    said = doing(account, looked)
    assert bool(said) is on_path
    assert "of the person" not in "".join(said)
    assert not (place / "ran").exists()


def test_a_venv_of_a_known_python_is_still_borrowed(tmp_path: Path):
    """The person's own interpreters, as their managers keep them, count as before."""
    subprocess.run([python().program, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    search = search_in(Path.home(), os.environ["PATH"], tmp_path / "repo")
    (tmp_path / "repo").mkdir()
    found = installed(tmp_path / "env", search, root=tmp_path / "repo")
    assert found is not None
    assert found.python.version.startswith(f"{sys.version_info[0]}.{sys.version_info[1]}.")
