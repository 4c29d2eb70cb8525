"""Rooms: where Python's own compiled files may be used, and when a run is no longer begun."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from forsooth.core.check import CommandParams
from forsooth.errors import CouldNotVerify
from forsooth.git.objects import base
from forsooth.judge.rooms import Trying
from tests.git.repos import Repo
from tests.judge.court import Court

BRIEF = "@goal: Run\n- [ ] runs: `sh run.sh`\n"
ASKS = 'echo "prefix=$PYTHONPYCACHEPREFIX"\n'


@pytest.fixture
def court(tmp_path: Path) -> Court:
    return Court(tmp_path, {"run.sh": ASKS, "a.py": ""}, BRIEF)


def told(court: Court, tree: str, *, over: threading.Event | None = None) -> str:
    case = court.case(court.base.tree or "", court.base.commit)._replace(base=court.base)
    with court.judge().rooms(case) as rooms:
        params = CommandParams(argv=("sh", "run.sh"))
        trying = Trying(rooms, params, like=tree, seconds=20, over=over)
        tried = trying.tried(tree)
        assert trying.spent == tried.ran.took
        return tried.ran.stdout.decode().strip()


def tree_with(court: Court, name: str) -> str:
    court.work.write(name, "x")
    court.work.commit("more")
    return base(court.work.repo).tree or ""


def test_python_uses_what_its_library_was_compiled_to_where_the_tree_brings_nothing(court: Court):
    """Else it would compile its whole library for every run."""
    assert told(court, court.base.tree or "") == "prefix="


@pytest.mark.parametrize("name", ["__pycache__/a.pyc", "src/__PYCACHE__/a.pyc", "b/__pycache__"])
def test_a_tree_that_brings_compiled_files_is_run_without_them(court: Court, name: str):
    """Also on a disk that does not tell upper case from lower, and where it is a link's name."""
    assert told(court, tree_with(court, name)) == "prefix=/tmp/pycache"


def test_so_is_a_tree_made_from_a_base_that_had_some(court: Court):
    """What is sealed comes back from there."""
    with_some = tree_with(court, "__pycache__/a.pyc")
    commit = base(court.work.repo).commit
    court.work.git("rm", "-rqf", "__pycache__")
    court.work.commit("gone")
    without = base(court.work.repo).tree or ""
    court.base = court.base.but(tree=with_some, commit=commit)
    assert told(court, without) == "prefix=/tmp/pycache"


def test_so_is_a_tree_with_another_repository_inside(court: Court):
    """What lies there is not in the listing."""
    inner = Repo(court.folder / "work/inner")
    inner.write("a")
    inner.commit("inner")
    assert told(court, tree_with(court, "b")) == "prefix=/tmp/pycache"


def test_no_run_is_begun_once_the_answer_is_known(court: Court):
    """A refusal does not wait for what it no longer needs."""
    over = threading.Event()
    over.set()
    with pytest.raises(CouldNotVerify) as caught:
        told(court, court.base.tree or "", over=over)
    assert caught.value.code == "over"
