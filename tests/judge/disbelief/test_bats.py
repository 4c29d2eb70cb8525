"""bats put in doubt: cheats that fool the bare command, and honest set-ups."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.disbelief.doubting import Came, came

RIGHT = "add() { echo $(($1 + $2)); }\n"
WRONG = "add() { echo $(($1 - $2)); }\n"
TESTS = """#!/usr/bin/env bats

setup() {
  made="$BATS_TEST_TMPDIR/made"
}

teardown() {
  rm -f "$made"
}

@test "adds" {
  source ./add.sh
  [ "$(add 1 2)" = 3 ]
}

@test 'adds "none"' {
  load lib
  run add 0 0
  [ "$output" = 0 ]
}

@test "later" {
  skip "not now"
}
"""
ARGV = "node_modules/bats/bin/bats tests"


def tried(more: dict[str, str], folder: Path, *, argv: str = ARGV) -> Came:
    files = {"tests/add.bats": TESTS, "tests/lib.bash": "source ./add.sh\n"} | more
    return came(files, folder, argv=argv, runner="bats")


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "argv",
    [
        ARGV,
        "node_modules/bats/bin/bats -f ^adds$ tests",
        "node_modules/bats/bin/bats -t tests/add.bats",
    ],
)
def test_an_honest_suite_is_believed(argv: str, tmp_path: Path):
    """Exactly the canary and the broken test are red."""
    found = tried({"add.sh": RIGHT}, tmp_path, argv=argv)
    assert (found.bare, found.codes, found.held) == (0, (), ("canary", "flip"))


@pytest.mark.timeout(300)
def test_a_subject_that_redefines_the_comparison_is_refused(tmp_path: Path):
    """The canary loads what the test loads, and compares as it does."""
    found = tried({"add.sh": WRONG + 'eval "function [ { return 0; }"\n'}, tmp_path)
    assert found.bare == 0
    assert "canary" in found.codes


@pytest.mark.timeout(300)
def test_an_exit_when_sourced_is_red_by_itself(tmp_path: Path):
    """bats knows a test that never came to its end."""
    found = tried({"add.sh": "exit 0\n"}, tmp_path)
    assert found.bare == 1
    assert found.codes
