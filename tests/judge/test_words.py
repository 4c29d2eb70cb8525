"""What a command comes to: without what stands before it, and through what it calls."""

from __future__ import annotations

import pytest

from forsooth.judge.words import Reading, read, resolved
from tests.judge.checks.place import Tree


def reading(line: str, files: dict[str, str] | None = None, *, cwd: str = "") -> Reading:
    return read(line.split(), Tree(files or {}), cwd=cwd)


def said(line: str, files: dict[str, str] | None = None) -> list[str]:
    return [" ".join(one.words) for one in reading(line, files).spoken]


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("pytest -q", "pytest -q"),
        ("A=1 B=2 pytest", "pytest"),
        ("env A=1 pytest", "pytest"),
        ("timeout -k 5 10 pytest -q", "pytest -q"),
        ("uv run python -m x", "python -m x"),
        ("uv run -q pytest", "pytest"),
        ("/usr/bin/env uv run pytest run", "pytest run"),
        ("run uv run", "run uv run"),
        ("uv pip run", "uv pip run"),
        ("npx jest", "jest"),
        ("nice -n 5 npx jest", "jest"),
    ],
)
def test_what_stands_before_a_command_is_left_out(line: str, plain: str):
    """Settings, wrappers with their options, and what runs something else."""
    assert said(line)[0] == plain


@pytest.mark.parametrize("line", ["", "env A=1", "uv run", "timeout 5"])
def test_a_command_of_nothing_else_says_nothing(line: str):
    """And ends."""
    assert said(line) == []


PACKAGE = {"package.json": '{"scripts": {"unit": "node a.js", "preunit": "node b.js"}}'}


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("pnpm jest --ci", ["jest --ci"]),
        ("npm jest", []),
        ("yarn unit", ["node b.js", "node a.js"]),
        ("npm run unit", ["node b.js", "node a.js"]),
        ("npm exec jest", ["jest"]),
    ],
)
def test_a_package_manager_runs_a_script_or_else_a_program(line: str, more: list[str]):
    """npm itself runs programs only when told so; what comes before a script comes first."""
    assert said(line, PACKAGE) == [line, *more]


def test_workspaces_are_those_below_the_place_that_is_named():
    """Neither that place itself nor a package beside it."""
    names = ("package.json", "in/package.json", "in/a/package.json", "out/b/package.json")
    files = dict.fromkeys(names, "{}")
    assert reading("npm --prefix in test --workspaces", files).files == ("in/a/package.json",)


@pytest.mark.parametrize(
    ("line", "rules", "counts"),
    [
        ("make a.ok", "a.ok:\n", True),
        ("make a.ok", "b.ok:\n", False),
        ("make a.ok", "%.ok:\n", True),
        ("make a.ok", "$(ALL):\n", True),
    ],
)
def test_a_makefile_counts_where_it_may_have_the_target(line: str, rules: str, *, counts: bool):
    """By name, by pattern, or by what only make knows."""
    assert reading(line, {"Makefile": rules}).files == (("Makefile",) if counts else ())


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("make -C sub test", ("sub/Makefile",)),
        ("make -Csub test", ("sub/Makefile",)),
        ("make --directory=sub test", ("sub/Makefile",)),
        ("make -f own.mk test", ("own.mk",)),
        ("make --makefile=own.mk test", ("own.mk",)),
        ("make test -C", ("Makefile",)),
        ("make --check test", ("Makefile",)),
    ],
)
def test_options_of_make_say_which_file(line: str, files: tuple[str, ...]):
    """In one word or in two; one without its value says nothing."""
    there = dict.fromkeys(("Makefile", "sub/Makefile", "own.mk"), "test:\n\ttrue\n")
    assert reading(line, there).files == files


def test_what_a_makefile_includes_is_seen_from_its_folder():
    """Also by a pattern."""
    files = {"sub/Makefile": "include *.mk\ntest:\n\ttrue\n", "sub/more.mk": "", "top.mk": ""}
    assert reading("make -C sub test", files).files == ("sub/Makefile", "sub/more.mk")


def test_a_script_is_read_from_where_it_is_called_and_from_where_it_lies():
    """Nobody knows which it means; what it takes in is read as well."""
    files = {"tests/run.sh": ". ./env.sh\nsh b.sh\n.\n", "env.sh": "pytest -q\n"}
    found = reading("sh tests/run.sh", files).spoken
    assert {one.cwd for one in found if one.words == ("sh", "b.sh")} == {"", "tests"}
    assert [one.source for one in found if one.program == "pytest"] == ["env.sh"]


@pytest.mark.parametrize(
    ("word", "cwd", "path"),
    [
        ("a.py", "", "a.py"),
        ("./a.py", "sub", "sub/a.py"),
        ("../a.py", "sub", "a.py"),
        ("../a.py", "", None),
        ("..", "", None),
        ("/a.py", "", None),
        ("~/a.py", "", None),
        ("$HOME/a.py", "", None),
        ("-a", "", None),
        ("", "", None),
    ],
)
def test_a_word_is_a_path_inside_the_tree_or_none(word: str, cwd: str, path: str | None):
    """What leads out is not ours."""
    assert resolved(word, cwd) == path
