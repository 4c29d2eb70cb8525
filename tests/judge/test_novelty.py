"""Whether only new tests are run is told by what the argv selects and what was there."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from forsooth.judge import novelty
from forsooth.judge.novelty import is_new, named_paths
from tests.judge.checks.place import Tree
from tests.judge.test_oracles import a_criterion

BASE = Tree(
    {
        "tests/test_a.py": "def test_old(): ...\n",
        "tests/cases.txt": "",
        "other/test_b.py": "def test_other(): ...\n",
        "src/a.py": "",
    }
)


@pytest.mark.parametrize(
    ("argv", "paths"),
    [
        ("pytest tests/test_a.py::test_old -q", "tests/test_a.py"),
        ("./tool a b", "a b"),
        ("go test ./calc/...", "calc"),
        ("/usr/bin/go test ./calc/...", "calc"),
        ("go test ./...", ""),
        ("npm test a.js", "a.js"),
        ("unittest tests.test_a", "tests.test_a tests.py tests/test_a.py"),
        ("unittest src.a", "src.a"),
        ("unittest test_a", "test_a test_a.py"),
        ("unittest -k test_a", "test_a"),
        ("pytest test_a", "test_a"),
        ("unittest 1.test_a", "1.test_a"),
    ],
)
def test_paths_are_named_as_files_folders_packages_or_modules(argv: str, paths: str):
    """What a program is to do is none."""
    assert named_paths(a_criterion(argv)) == tuple(paths.split())


@pytest.mark.parametrize(
    ("argv", "tests", "new"),
    [
        ("pytest", None, False),
        ("pytest tests", (), False),
        ("python3 -m unittest", None, False),
        ("python3 -m unittest tests.test_a", None, False),
        ("python3 -m unittest test_new", None, True),
        ("python3 -m unittest test_new", ("test_new.New.test_x",), False),
        ("pytest tests/test_new.py", None, True),
        ("pytest tests/test_new.py", ("tests/test_new.py::test_x",), False),
        ("pytest tests/test_a.py::test_new", None, True),
        ("pytest tests/test_a.py::test_old", None, False),
        ("pytest tests/test_a.py::test_old[1]", None, False),
        ("pytest tests/test_a.py::test_old", (), True),
        ("pytest -k test_new", None, True),
        ("pytest -k test_other", None, False),
        ("pytest tests -k test_other", None, True),
        (["pytest", "-k", "test_old and test_new"], None, False),
        (["pytest", "-k", "def or test_new"], None, False),
        ("pytest --color test_old tests", None, False),
    ],
)
def test_tests_are_new_where_nothing_that_was_there_is_asked_for(
    argv: str | list[str], tests: Collection[str] | None, *, new: bool
):
    """A list from the base comes first, then files, then names of tests."""
    assert is_new(a_criterion(argv), BASE, tests) is new


@pytest.mark.parametrize(
    ("argv", "files"),
    [
        ("pytest", {"tests/test_a.py", "other/test_b.py"}),
        ("pytest src", {"tests/test_a.py", "other/test_b.py"}),
        ("pytest tests", {"tests/test_a.py", "tests/cases.txt"}),
        ("pytest tests/test_a.py", {"tests/test_a.py"}),
        ("pytest test_new.py", set()),
    ],
)
def test_the_files_that_may_be_run_are_those_named_or_else_all(argv: str, files: set[str]):
    """A folder that holds no tests names none."""
    assert {*novelty.test_files(a_criterion(argv), BASE)} == files


def test_only_code_that_checks_is_run():
    """Data called like a check is what it compares with; what a plan protects is a check."""
    look = Tree({"data/expected.json": "", "spec/all.js": ""})
    assert is_new(a_criterion("prog data/expected.json"), look, None)
    assert is_new(a_criterion("node spec/all.js"), look, None)
    assert not is_new(a_criterion("node spec/all.js", oracle=("spec/**",)), look, None)
