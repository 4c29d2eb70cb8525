"""Options reach the runner inside any argv a person writes, and nothing they wrote is lost."""

from __future__ import annotations

import pytest

from forsooth.core.brief.shell import argv_of
from forsooth.core.call import call_of, program_at, runner_of


@pytest.mark.parametrize(
    ("runner", "command"),
    [
        ("pytest", "pytest ^ -q tests"),
        ("pytest", "py.test ^"),
        ("pytest", ".venv/bin/pytest ^ -x"),
        ("pytest", "python -m pytest ^ -q"),
        ("pytest", "python3.12 -X dev -W error -m pytest ^ -q"),
        ("pytest", "python .venv/bin/pytest ^ -q"),
        ("pytest", "uv run pytest ^ -q"),
        ("pytest", "uv run --with pytest --extra dev -- pytest ^ -q"),
        ("pytest", "uv run python -m pytest ^"),
        ("pytest", "poetry run pytest ^ tests"),
        ("pytest", "env -u HOME A=1 B=2 pytest ^ -q"),
        ("pytest", "env A=1 uv run pytest ^ -q"),
        ("pytest", "coverage run -m pytest ^ -q"),
        ("pytest", "coverage run --source src -m pytest ^ -q"),
        ("pytest", "python -m coverage run --branch -m pytest ^ -q"),
        ("unittest", "python -m unittest ^ -v"),
        ("unittest", "python manage.py ^ test"),
        ("vitest", "npx vitest ^ run"),
        ("vitest", "npx --no-install vitest ^ run"),
        ("vitest", "pnpm exec vitest ^ run"),
        ("vitest", "pnpm vitest ^"),
        ("vitest", "yarn vitest ^"),
        ("jest", "node --experimental-vm-modules node_modules/.bin/jest ^ a"),
        ("jest", "node node_modules/jest/bin/jest.js ^"),
        ("mocha", "./node_modules/.bin/mocha ^ test"),
        ("node", "node ^ --test"),
        ("node", "node ^ --import x --test test/"),
        ("go", "go test ^ ./..."),
        ("go", "go -C sub test ^ ./..."),
        ("cargo", "cargo test ^ --workspace"),
        ("cargo", "cargo +nightly t ^"),
        ("nextest", "cargo nextest run ^ -p a"),
        ("nextest", "cargo nextest r ^"),
        ("bats", "bats ^ test"),
        ("maven", "mvn ^ -B -q test"),
        ("maven", "./mvnw ^ test"),
    ],
)
def test_the_place_for_options_is_found(runner: str, command: str):
    """Marked by a caret: right after the runner's own name."""
    words = tuple(command.split())
    at = words.index("^")
    argv = words[:at] + words[at + 1 :]
    assert call_of(argv, runner).adding("^") == words


@pytest.mark.parametrize(
    ("runner", "command"),
    [
        ("pytest", "make test"),
        ("pytest", "python script.py pytest"),
        ("pytest", "python -m unittest"),
        ("pytest", "python"),
        ("pytest", "python -m"),
        ("pytest", "uv run"),
        ("pytest", "uv run --with pytest make"),
        ("unittest", "unittest"),
        ("vitest", "npm test"),
        ("jest", "node server.js"),
        ("node", "node test.js"),
        ("go", "make"),
        ("go", "go vet"),
        ("cargo", "cargo build"),
        ("cargo", "cargo"),
        ("nextest", "cargo test"),
        ("magic", "magic"),
    ],
)
def test_a_runner_out_of_sight_has_no_place(runner: str, command: str):
    """Another program calls it, or it is not called at all."""
    assert call_of(tuple(command.split()), runner).at is None


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "python -m unittest",
        "npx vitest run",
        "yarn jest",
        "go test ./...",
        "cargo t",
        "mvn -q test",
    ],
)
def test_whatever_a_brief_takes_for_a_runner_is_found(command: str):
    """The brief names the runner of a command; the judge must then see it there."""
    argv = argv_of(command)
    runner = runner_of(argv)
    assert runner
    assert call_of(argv, runner).at is not None


def test_a_build_that_need_not_test_is_no_test_run():
    """It may end well without a single test."""
    assert runner_of(("mvn", "-q", "compile")) is None
    assert runner_of(("mvn", "-q", "verify")) is None


def test_options_at_the_end_stay_before_a_double_dash():
    """What follows it is no longer the runner's."""
    assert call_of(("npx", "jest", "a", "--", "b"), "jest").ending("-x") == (
        "npx", "jest", "a", "-x", "--", "b",
    )  # fmt: skip
    assert call_of(("npm", "exec", "--", "jest", "a"), "jest").ending("-x")[-2:] == ("a", "-x")
    assert call_of(("make",), "jest").adding("-x") == ("make", "-x")


def test_the_program_stands_behind_its_wrappers():
    """Variables and options of a wrapper are not the program."""
    assert program_at(("env", "A=1", "uv", "run", "-q", "make", "test")) == 5
    assert program_at(("make",)) == 0
