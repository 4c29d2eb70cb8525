"""What people read before they type: help, hints, exit codes and completion."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from forsooth import errors
from forsooth.cli import next as next_verb
from forsooth.cli import verdict
from forsooth.cli.main import GROUPS, VERBS, forsooth
from tests.cli.inside import Inside

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/command_line.md"
CLI = ROOT / "src/forsooth/cli"

# Words of a private language that no help text uses, and what is written instead.
BANNED = {
    "mend": "fix",
    "anew": "again",
    "in vain": "without effect",
    "come by": "reached",
    "told": "reported",
    "heard": "seen",
    "nobody": "no one",
    "somebody": "someone",
    "as it lies": "as is",
    "ends well": "exits 0",
    "finds right": "passes",
    "made deaf": "silenced",
    "hollow": "stubbed",
    "dressed": "prepared",
    "abreast": "parallel",
    "chancy": "random",
    "looks round": "inspects",
    "takes in": "includes",
    "lets go": "allows",
    "so many": "number of",
    "as what": "format",
    "what is there": "name the thing",
    "by leave": "with permission",
    "these works": "these changes",
}
_BANNED = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command a person can type, by its path."""
    yield "", forsooth
    for verb in VERBS:
        command = importlib.import_module(f"forsooth.cli.{verb}").command
        yield verb, command
        if isinstance(command, click.Group):
            for name, part in command.commands.items():
                yield f"{verb} {name}", part


COMMANDS = dict(commands())


def texts(command: click.Command) -> list[str]:
    """Every text its help shows."""
    options = [param for param in command.params if isinstance(param, click.Option)]
    return [command.help or "", command.epilog or "", *(one.help or "" for one in options)]


def test_the_verbs_are_listed_in_four_groups(empty: Inside):
    """A person looks for what they want to do, not through one list of twenty-five."""
    shown = empty("--help").out
    headings = re.findall(r"^(\w[\w ]*):$", shown, re.MULTILINE)
    assert headings == ["Options", *GROUPS]
    assert list(GROUPS) == ["Every day", "Planning", "Proof", "Care"]
    for verb, says in VERBS.items():
        assert re.search(rf"^  {verb} +{re.escape(says)}$", shown, re.MULTILINE), verb
    assert "docs/reference/command_line.md" in shown


@pytest.mark.parametrize("path", COMMANDS)
def test_help_is_answered_in_three_ways(empty: Inside, path: str):
    """`-h`, `--help` and `help VERB` print the same."""
    words = path.split()
    shown = empty(*words, "--help").out
    assert shown.startswith(f"Usage: {' '.join(['forsooth', *words])}")
    assert empty(*words, "-h").out == empty("help", *words).out == shown


@pytest.mark.parametrize("path", COMMANDS)
def test_no_help_text_uses_a_word_of_a_private_language(path: str):
    """Neither the verb's, nor an option's, nor the list's."""
    listed = [VERBS[path]] if path in VERBS else []
    found = [text for text in (*texts(COMMANDS[path]), *listed) if _BANNED.search(text)]
    assert found == []


@pytest.mark.parametrize("path", COMMANDS)
def test_an_option_names_its_default(path: str):
    """Whoever leaves it out reads what happens then."""
    silent = [
        param.name
        for param in COMMANDS[path].params
        if isinstance(param, click.Option)
        and not param.is_flag
        and isinstance(param.default, str | int)
        and param.default
        and f"default {param.default}" not in (param.help or "")
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("words", "says", "hint"),
    [
        (("statsu",), "there is no verb 'statsu'; did you mean status?", "try: forsooth status"),
        (("reciept",), "did you mean receipt?", "try: forsooth receipt"),
        (("help", "sael"), "did you mean seal?", "try: forsooth seal"),
        (("xyzzy",), "there is no verb 'xyzzy'\n", "try: forsooth --help"),
        (("steer", "split-goal"), "Did you mean 'split'?", "try: forsooth steer --help"),
        (("check", "--jsno"), "Did you mean '--json'?", "try: forsooth check --help"),
    ],
)
def test_a_typing_error_gets_the_nearest_word(empty: Inside, words, says, hint):
    """The hint is what was probably meant."""
    failed = empty(*words, code=2).err
    assert says in failed
    assert hint in failed


def test_a_group_without_its_change_prints_its_help(empty: Inside):
    """In lines, as help is printed elsewhere."""
    assert empty("steer", code=2).err == empty("steer", "--help").out


def documented() -> list[int]:
    table = PAGE.read_text("utf-8").partition("| code |")[2].partition("\n\n")[0]
    return [int(found) for found in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)]


def returned() -> set[int]:
    """Every number that a function of the command line returns as it stands."""
    returns = (
        node.value
        for path in CLI.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Return) and node.value
    )
    tops = [
        part
        for value in returns
        for part in ((value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,))
    ]
    return {
        part.value for part in tops if isinstance(part, ast.Constant) and type(part.value) is int
    }


def test_every_exit_code_is_in_the_table_and_no_other():
    """A script that reads the table is never surprised."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    raised = {kind.exit_code for kind in kinds if issubclass(kind, errors.ForsoothError)}
    endings = {*next_verb.EXITS.values(), *verdict.EXITS.values()}
    signalled = {128 + 15}
    assert documented() == sorted(returned() | raised | endings | signalled)


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (("rec",), ["receipt"]),
        (("un",), ["unblock", "uninstall"]),
        (("log", "--li"), ["--limit"]),
        (("steer", "sup"), ["supersede"]),
        (("block", "G001", "--needs", "en"), ["environment"]),
    ],
)
def test_a_shell_completes_verbs_options_and_values(words, completed):
    """With the line that the documentation gives for bash."""
    line = re.search(r"^\| bash \| `(.+?)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert line
    typed = " ".join(words)
    script = (
        f"{line[1]}; COMP_WORDS=(forsooth {typed}) COMP_CWORD={len(words)}; "
        '_forsooth_completion forsooth; echo "${COMPREPLY[@]}"'
    )
    program = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", script],
        env={"PATH": f"{program}:/usr/bin:/bin", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == completed, done.stderr
