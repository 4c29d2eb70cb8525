"""Every way to fail has its exit code, its words on standard error, and its form as data."""

from __future__ import annotations

import errno
import subprocess

import pytest

from forsooth.cli import main
from forsooth.project.shelf import SUGGEST
from tests.cli.inside import Inside
from tests.e2e.place import FORSOOTH, Place


@pytest.mark.parametrize(
    ("argv", "says", "hint"),
    [
        (["bogus"], "there is no verb 'bogus'", "forsooth --help"),
        (["plan"], "name one brief: a file, - or --text", "forsooth plan BRIEF.md"),
        (["plan", "a.md", "--text", "b"], "name one brief", "forsooth plan BRIEF.md"),
        (["plan", "missing.md"], "missing.md: No such file", SUGGEST),
        (["plan", "."], ".: Is a directory", SUGGEST),
        (["block", "G001"], "Missing option '--why'.", "forsooth block --help"),
        (["log", "-n", "0"], "Invalid value for '-n'", "forsooth log --help"),
        (["why", "nonsense"], "nonsense is no goal, criterion or reason", "forsooth status"),
        (["next", "--plan", "zzz"], "no plan is called zzz", "forsooth status --all"),
        (["block", "G001", "--why", ""], "why: say something here", ""),
        (["block", "G001", "--why", "\udcff"], "argument 4 is not UTF-8", "forsooth --help"),
        (["steer", "split", "G001", "--pieces-json", "{"], "--evidence", "forsooth steer split"),
    ],
)
def test_a_command_that_cannot_be_understood_exits_2(planned: Inside, argv, says, hint):
    """One line says what, the next what to type, and nothing is on standard output."""
    failed = planned(*argv, code=2)
    assert failed.out == ""
    assert says in failed.err
    assert hint in failed.err
    assert failed.err.startswith("forsooth: ")


def test_a_failure_is_data_when_data_was_asked_for(planned: Inside):
    """One object on standard output with the code, the message, the hint and the exit code."""
    failed = planned("next", "G009", "--json", code=3)
    assert failed.err == ""
    assert failed.data == {
        "error": {
            "code": "refused",
            "message": "the plan has no goal G009",
            "reasons": [
                {
                    "code": "no-such-goal",
                    "says": "the plan has no goal G009",
                    "hint": "forsooth status",
                    "goal": "G009",
                }
            ],
        },
        "exit": 3,
    }
    assert planned.ask("bogus", code=2)["error"]["hint"] == "forsooth --help"
    early = planned("--json", "log", code=2).data["error"]
    assert early["message"] == "put --json after `log`"


def test_a_refusal_gives_every_reason_and_what_to_type(planned: Inside):
    """All reasons come at once, each with its code and its hint."""
    planned("stop", "--yes")
    failed = planned("next", "G002", code=3).err
    assert "the plan is paused  [paused]\n    try: forsooth resume" in failed
    assert "G002 waits for G001  [dependency-open]\n    try: forsooth why G001" in failed


@pytest.mark.parametrize("verb", main.LATER)
def test_a_verb_to_come_says_what_it_waits_for(planned: Inside, verb):
    """Other messages already name these verbs, so they must not look like typing errors."""
    failed = planned(verb, "G001", code=5)
    assert "which this version does not have yet" in failed.err
    assert planned.codes(verb, code=5) == ["not-yet"]


def test_outside_a_repository_there_is_nothing_to_do(planned: Inside, tmp_path, monkeypatch):
    """The message names the folder and the command that helps."""
    monkeypatch.chdir(tmp_path)
    failed = planned("status", code=2)
    assert f"{tmp_path} is not in a git repository" in failed.err
    assert "try: cd into one, or: git init" in failed.err


def test_a_head_that_leads_nowhere_could_not_be_verified(empty: Inside):
    """Settings that cannot be read are not taken for settings that are not there."""
    (empty.place.folder / ".git" / "HEAD").write_text("0" * 40)
    assert empty.codes("plan", "--text", "Do it.", code=5) == ["missing-objects"]


def test_a_spent_budget_has_its_own_exit_code(empty: Inside):
    """No money is neither done nor stuck."""
    empty.place.commit("forsooth.toml", "[policy]\nbudget = 0\n")
    empty("plan", "--text", "Do it.")
    empty("seal", "--yes")
    said = empty("next", code=11)
    assert "the budget is spent" in said.out


def test_input_and_output_errors_are_told_in_a_line(empty: Inside, monkeypatch):
    """Whatever the disk says, nobody sees a traceback."""

    def fails(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "brief.md")

    monkeypatch.setattr("forsooth.project.Project.bind", fails)
    failed = empty("plan", "--text", "Do it.", code=5)
    assert failed.err == "forsooth: brief.md: No space left on device\n"


def test_an_interrupted_question_ends_like_any_interrupted_program(empty: Inside, monkeypatch):
    """Control-C loses nothing and exits 130."""

    def interrupts(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("forsooth.project.Project.which", interrupts)
    assert "nothing is lost" in empty("status", code=130).err


def test_a_reader_who_has_seen_enough_gets_no_complaint(sealed: Place):
    """Standard output closed early is not an error worth a word."""
    with subprocess.Popen(
        [*FORSOOTH, "status"],
        cwd=sealed.folder,
        env=sealed.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_without_a_terminal_nothing_is_asked(empty: Inside):
    """No question, no spinner, and no waiting for input that never comes."""
    empty("plan", "--text", "Do it.")
    failed = empty("seal", code=2)
    assert "Seal this plan?" not in failed.out + failed.err
