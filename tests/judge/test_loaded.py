"""Which tools a command calls, and which files those load without being told to."""

from __future__ import annotations

import pytest

from forsooth.judge.loaded import is_hidden, is_testing, is_weighty, starts_tests, tools
from forsooth.judge.words import Spoken
from tests.judge.checks.place import Tree


def said(line: str) -> Spoken:
    return Spoken(tuple(line.split()), "")


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("./tool", ""),
        ("pytest -q", "python pytest"),
        ("python -m pytest", "python pytest"),
        ("python3.12 tool.py pytest", "python"),
        ("python -m http.server pytest", "python"),
        ("python -m mypy src", "python lint"),
        ("python manage.py test", "python pytest"),
        ("python manage.py migrate", "python"),
        ("jest", "node jest"),
        ("node --test", "node jest"),
        ("node app.js", "node"),
        ("deno run --test", "node"),
        ("npm run build", "node"),
        ("cat --test", ""),
        ("bash run.sh", "shell"),
        ("bats tests", "bats shell"),
        ("ruff check", "lint"),
        ("cargo clippy", "cargo lint"),
        ("cargo build", "cargo"),
        ("go vet", "go"),
        ("gmake test", "make"),
    ],
)
def test_a_command_calls_the_tools_it_names(line: str, called: str):
    """By its program, by the module it runs, and for Node by any of its words."""
    assert tools([said(line)]) == {*called.split()}


def test_a_named_runner_brings_its_tools_whatever_is_called():
    """A script may hide the call."""
    assert tools([said("./run")], "bats") == {"bats", "shell"}


@pytest.mark.parametrize(
    ("line", "tests"),
    [
        ("go test ./...", True),
        ("go -C sub test", True),
        ("cargo t", True),
        ("cargo nextest run", True),
        ("go build ./a ./b test", False),
        ("./go-like test", False),
        ("cargo check", False),
        ("jest", True),
        ("prove", True),
        ("bundle exec rspec", True),
        ("php vendor/bin/phpunit", True),
        ("grep -q rspec Gemfile", False),
        ("mix test", True),
        ("mvn -B -q -o test", True),
        ("mvn -q package", False),
    ],
)
def test_tests_are_run_by_a_runner_or_by_a_task_of_a_build_tool(line: str, *, tests: bool):
    """The word stands near the front."""
    assert bool(is_testing(tools([said(line)]), [said(line)])) is tests


@pytest.mark.parametrize(
    ("path", "tool", "base", "hidden"),
    [
        ("sitecustomize.py", "python", "", True),
        ("sitecustomize.py", "go", "", False),
        ("node_modules/a/x.js", "node", "src/x.js", True),
        ("node_modules/a/x.js", "node", "node_modules/b/y.js", False),
        ("evil.egg-info", "python", "a.py", True),
        ("GNUmakefile", "make", "Makefile", True),
        ("GNUmakefile", "make", "a.c", False),
        ("GNUmakefile", "go", "Makefile", False),
        ("sub/GNUmakefile", "make", "sub/Makefile", True),
        ("sub/GNUmakefile", "make", "Makefile", False),
        ("json.py", "python", "", True),
        ("json.py", "go", "", False),
        ("json.txt", "python", "", False),
        ("_json.cpython-311-x86_64-linux-gnu.so", "python", "", True),
        ("src/json/__init__.py", "python", "", True),
        ("scripts/json.py", "python", "", True),
        ("app/json.py", "python", "", False),
        ("shop.py", "python", "", False),
        ("test.py", "python", "", False),
    ],
)
def test_a_new_file_hides_where_a_tool_finds_it_unasked(
    path: str, tool: str, base: str, *, hidden: bool
):
    """Not where the same was there before, nor for another tool."""
    beside = {"scripts"}
    assert is_hidden(path, {tool}, base={*base.split()}, beside=beside) is hidden


def test_settings_of_a_bundler_weigh_only_where_they_speak_of_tests():
    """A file that is settings and nothing else always weighs."""
    plain, testing = "export default {}", "export default { test: { globals: true } }"
    look = Tree({"vite.config.ts": plain, "a/vite.config.ts": testing, "pytest.ini": ""})
    assert [path for path in look.paths() if is_weighty(path, look)] == [
        *("a/vite.config.ts", "pytest.ini")
    ]


def test_go_code_around_all_tests_is_told_by_its_name():
    """In a file of tests alone: product may start as it likes."""
    start = "package a\n\nfunc init() {}\n"
    look = Tree({"a.go": start, "a_test.go": start, "b_test.go": "package a\n"})
    assert [path for path in look.paths() if starts_tests(path, look)] == ["a_test.go"]
