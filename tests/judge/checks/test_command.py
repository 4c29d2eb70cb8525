"""A command is what it exits with and what it prints, and nothing it says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forsooth.judge.checker import Ran
from tests.judge.checks.place import Bench, Here, Said, Tree, ran


def judged(run: Ran, **params: Any) -> tuple[str, ...]:
    finding = Bench(Said(run)).finds("command", **({"argv": ["tool"]} | params))
    return finding.outcome, finding.code, finding.reason


@pytest.mark.parametrize(
    ("run", "params", "expected"),
    [
        (ran(0), {}, ("pass", "pass", "exits 0")),
        (ran(2), {"exits": 2}, ("pass", "pass", "exits 2")),
        (ran(1, stderr="a\nb\n"), {}, ("fail", "exit", "exits 1, expected 0; b")),
        (
            ran(2, stdout="not ok sum: got 1\nok low\n", stderr="make: *** [check] Error 1\n"),
            {},
            ("fail", "exit", "exits 2, expected 0; not ok sum: got 1"),
        ),
        (
            ran(2, stderr="make: *** No rule to make target 'a'.\n"),
            {},
            ("fail", "exit", "exits 2, expected 0; make: *** No rule to make target 'a'."),
        ),
        (ran(0), {"exits": 1}, ("fail", "exit", "exits 0, expected 1")),
        (
            ran(None, signal=6, stdout="core dumped"),
            {},
            ("fail", "signal", "ended by signal 6, expected exit 0; core dumped"),
        ),
        (ran(None, ended="timeout"), {"timeout": 3}, ("fail", "timeout", "did not end in 3 s")),
        (ran(None, ended="memory"), {}, ("fail", "memory", "used more memory than it may")),
        (ran(None, ended="output"), {}, ("fail", "output", "printed more than is kept")),
        (ran(None, ended="error"), {}, ("error", "not-run", "could not run:")),
        (ran(127), {}, ("error", "not-found", "not there: tool")),
        (ran(127), {"exits": 127}, ("pass", "pass", "exits 127")),
        (ran(127), {"argv": ["./tool"]}, ("fail", "exit", "exits 127, expected 0")),
        (
            ran(127, stderr="bash: line 1: jq: command not found\n"),
            {"argv": ["bash", "-c", "jq"]},
            ("error", "not-found", "not there: bash: line 1: jq: command not found"),
        ),
        (
            ran(126, stderr="bash: ./a.sh: Permission denied\n"),
            {"argv": ["bash", "-c", "./a.sh"]},
            ("fail", "exit", "exits 126, expected 0; bash: ./a.sh: Permission denied"),
        ),
    ],
)
def test_how_a_command_ends_decides_first(run: Ran, params: dict[str, Any], expected: Any):
    """A program the environment lacks is an error; one the work lacks is a failure."""
    assert judged(run, **params) == expected


@pytest.mark.parametrize(
    ("stream", "text", "code"),
    [
        ({"has": ["b"]}, "a b c", "pass"),
        ({"has": ["b", "x"]}, "a b c", "output-lacks"),
        ({"has": ["a\nb"]}, "a\r\nb\r\n", "pass"),
        ({"lacks": ["b"]}, "a b c", "output-has"),
        ({"lacks": ["x"]}, "a b c", "pass"),
        ({"is": "3.2"}, "3.2\n", "pass"),
        ({"is": "3.2\n"}, "3.2", "pass"),
        ({"is": "a\nb"}, "a\rb\r\n", "pass"),
        ({"is": "3.2"}, "3.2\n\n", "output-differs"),
        ({"is": "3.2"}, " 3.2\n", "output-differs"),
        ({"is": ""}, "", "pass"),
    ],
)
@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_output_has_lacks_or_is(name: str, stream: dict[str, Any], text: str, code: str):
    """Line ends alike, one last newline free, all else letter by letter."""
    outcome, found, reason = judged(ran(0, **{name: text}), **{name: stream})
    assert (outcome, found) == ("pass" if code == "pass" else "fail", code)
    assert code == "pass" or reason.startswith(name)


@pytest.mark.parametrize("cwd", ["/etc", "..", "a/../..", "~", "link", "link/sub", "loop"])
def test_a_command_runs_inside_the_repository_only(cwd: str):
    """No path and no link leads out."""
    tree = Tree({"a/b": ""}, links={"link": "../x", "loop": "loop"})
    assert Bench(look=tree).outcome("command", argv=["tool"], cwd=cwd) == ("error", "bad-cwd")


def test_each_listed_command_must_give_its_expected_output(tmp_path: Path):
    """Real processes: the right exit with the wrong output is a failure, and so is the reverse."""
    (tmp_path / "repo" / "sub").mkdir(parents=True)
    there = Bench(Here(tmp_path / "repo"), Tree({"sub/x": ""}))
    say = ["sh", "-c", "pwd; echo $A; echo bad >&2; exit 3"]
    good = {"stdout": {"has": ["repo/sub\nyes"]}, "stderr": {"is": "bad"}}
    more = {"argv": say, "cwd": "sub", "env": {"A": "yes"}}
    assert there.outcome("command", **more, **good, exits=3) == ("pass", "pass")
    assert there.outcome("command", **more, **good) == ("fail", "exit")
    assert there.outcome("command", **more, exits=3, stderr={"is": "worse"})[0] == "fail"
    assert there.outcome("command", argv=["sleep", "9"], timeout=1) == ("fail", "timeout")
    assert there.outcome("command", argv=["no-such-program"]) == ("error", "not-found")


def test_the_line_that_tells_most_is_quoted():
    """The last about an error, without its colours; the exit status alone has decided."""
    trace = "\x1b[31mTypeError: no such thing\x1b[39m\n    at x.js:3\n}\n"
    assert judged(ran(1, "0 errors\n", trace))[2] == "exits 1, expected 0; TypeError: no such thing"
    assert judged(ran(1, "FAIL under 90\n", "warn\n"))[2] == "exits 1, expected 0; FAIL under 90"
    assert judged(ran(0, "error: none\n"))[:2] == ("pass", "pass")


def test_what_a_command_prints_is_quoted_and_redacted():
    """One harmless line, and nothing secret in it or in the evidence."""
    said = "\x1b[31mred\x1b[0m\tGITHUB_TOKEN=ghp_" + "a" * 36
    there = Bench(Said(ran(1, stderr=said)))
    finding = there.finds("command", argv=["tool", "--flag\nnext"])
    assert "\x1b" not in finding.reason
    assert "ghp_" not in finding.reason + repr(there.kept)
