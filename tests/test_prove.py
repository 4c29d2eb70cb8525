"""The judge as a library call: two revisions, some criteria, and what came of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import forsooth
from forsooth.core.check import Check
from forsooth.core.plan import Criterion
from forsooth.errors import UsageError
from tests.git.repos import Repo

GREETS = '`sh greet.sh` exits 0, stdout has "good day"'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def repo(home: Path, tmp_path: Path) -> Repo:
    """A base that greets badly, and a commit that greets well."""
    made = Repo(tmp_path / "repo")
    made.write("greet.sh", "echo hi\n")
    made.write("keep.sh", "exit 0\n")
    made.commit("base")
    made.write("greet.sh", "echo good day\n")
    made.commit("greet in words")
    return made


def test_importing_the_package_loads_nothing():
    """The public names are there, and cost nothing until one is asked for."""
    code = "import sys, forsooth; print(sorted(n for n in sys.modules if n.startswith('forsooth')))"
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['forsooth']"
    assert callable(forsooth.prove)
    with pytest.raises(AttributeError, match="nothing"):
        _ = forsooth.nothing


def test_a_change_is_proven_by_what_was_red_before(repo: Repo):
    """Each kind of criterion can be said in the words that suit the caller."""
    kept = Criterion(
        id="G007.C9",
        says="keeps",
        check=Check.of({"kind": "command", "with": {"argv": ["sh", "keep.sh"]}}),
    )
    fenced = "only greet.sh changes"
    proof = forsooth.prove(
        repo.folder, "HEAD~1", "HEAD", [GREETS, {"argv": ["sh", "keep.sh"]}, kept, fenced]
    )
    assert proof.outcome == "pass"
    assert [f.outcome for f in proof.findings] == ["pass"] * 4
    assert proof.new == ("G001.C1",)
    assert proof.isolation in ("strict", "landlock", "none")
    named = {name for finding in proof.findings for name in finding.evidence}
    assert named
    assert named <= proof.evidence.keys()
    assert not (repo.folder / ".git/forsooth/plans").exists()


def test_what_does_not_hold_fails_with_its_reason(repo: Repo):
    """The work tree as it lies can be the head, and a broken one is no pass."""
    repo.write("greet.sh", "echo bad day\n")
    proof = forsooth.prove(repo.folder, "HEAD~1", criteria=[GREETS])
    assert proof.outcome == "fail"
    (finding,) = proof.findings
    assert finding.code == "output-lacks"
    assert proof.new == ()


@pytest.mark.parametrize(
    "bad", ["it works well", {"argv": []}, {"kind": "magic"}, {"argv": ["a"], "x": 1}]
)
def test_a_criterion_that_says_nothing_is_refused(repo: Repo, bad):
    """Before anything runs, and by its number."""
    with pytest.raises(UsageError, match="criterion 2"):
        forsooth.prove(repo.folder, "HEAD~1", "HEAD", [GREETS, bad])


def test_without_a_criterion_there_is_nothing_to_prove(repo: Repo):
    """An empty list is never a pass."""
    with pytest.raises(UsageError):
        forsooth.prove(repo.folder, "HEAD~1", "HEAD", [])
