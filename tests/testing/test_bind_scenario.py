"""The page in docs/ that binds a scenario of somebody else's: it does what it says."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/bind_scenario.py"
Forsooth = runpy.run_path(str(PAGE))["Forsooth"]

PLAN = {
    "deliver": "main",
    "protected": ["tests/**"],
    "goals": [
        {
            "title": "Mend the sum",
            "criteria": [
                {"says": "tests", "argv": [Path(sys.executable).name, "-m", "unittest", "-v"]},
                {
                    "says": "it prints",
                    "argv": ["sh", "say.sh", "2"],
                    "stdout": "4\n",
                    "timeout": 60,
                },
            ],
            "touch": ["app.py", "say.sh", "tests/**"],
            "never": ["setup.cfg"],
            "message": "^fix: ",
            "commits": 1,
            "mutants": [{"path": "app.py", "replace": "2 * one", "by": "3 * one"}],
        }
    ],
    "hidden": [
        {
            "says": "unseen",
            "argv": ["python3", "-c", "import app; print(app.double(21))"],
            "stdout": "42\n",
        }
    ],
}
TEST = (
    "import unittest, app\n\nclass T(unittest.TestCase):\n"
    "    def test_two(self):\n        self.assertEqual(app.double(2), 4)\n"
)
RIGHT = "def double(one):\n    return 2 * one\n"
TABLE = "def double(one):\n    return {2: 4}.get(one, 0)  # 2 * one\n"


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """A repository with a bug and a plan about it, bound as the page says."""
    repo, home = tmp_path / "repo", tmp_path / "home"
    (repo / "tests").mkdir(parents=True)
    home.mkdir()
    (repo / "app.py").write_text("def double(one):\n    return one\n")
    (repo / "say.sh").write_text('python3 -c "import app; print(app.double($1))"\n')
    (repo / "tests/__init__.py").write_text("")
    (repo / "tests/test_app.py").write_text(TEST)
    git(repo, "init", "-q", "-b", "main")
    commit(repo, "start")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    bound = Forsooth(repo, home)
    assert bound.approve(PLAN)
    return bound


def git(repo: Path, *argv: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(repo), *who, *argv], check=True, capture_output=True)


def commit(repo: Path, message: str) -> None:
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", message)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("source", "message", "codes"),
    [
        (RIGHT, "fix: double", []),
        (RIGHT, "double it", ["commit-message"]),
        (TABLE, "fix: double", ["hidden", "mutants"]),
    ],
    ids=["honest", "message", "table"],
)
def test_a_foreign_scenario_is_judged_through_the_command_line(judge, source, message, codes):
    """Honest work is accepted; the rest is refused by a code that names the reason."""
    (judge.repo / "app.py").write_text(source)
    commit(judge.repo, message)
    ruling = judge.judge(shell={"PYTHONPATH": "/nowhere"})
    assert ruling["accepted"] is (not codes), ruling["text"]
    assert not ruling["unsure"]
    assert bool(codes) is bool(set(codes) & set(ruling["codes"])), ruling["codes"]
