"""What holds for every kind of check: codes, actions, evidence, and errors, never exceptions."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forsooth.judge.checks as package
from forsooth.core import check as core
from forsooth.core.check import Check
from forsooth.core.plan import Criterion
from forsooth.errors import CouldNotVerify
from forsooth.judge.checks import KINDS
from forsooth.judge.checks.actions import ACTIONS, action
from forsooth.judge.checks.found import shown
from forsooth.judge.checks.globs import any_matches, folded, matches
from forsooth.judge.checks.redact import CAP, redacted
from tests.judge.checks.place import Bench, Tree

FOLDER = Path(package.__file__).parent
TELLERS = ("found", "Ending", "_bad", "_not", "_Flaw", "_Offence", "Problem", "Flaw", "_said")


def test_every_kind_of_the_plan_has_a_module_that_runs_it():
    """A kind a brief may name is a kind the judge can run."""
    assert KINDS.keys() == core.KINDS.keys()
    for name in KINDS:
        assert (FOLDER / f"{name}.py").exists()


def test_a_person_has_to_agree_in_person():
    """No run can approve."""
    finding = Bench().finds("approval", says="the message reads well")
    assert (finding.outcome, finding.code) == ("error", "awaiting-approval")
    assert finding.reason == "a person has yet to agree: the message reads well"


def test_a_check_that_is_not_there_is_an_error():
    """An older program may meet a newer plan."""
    assert Bench().outcome("magic") == ("error", "unknown-kind")


@pytest.mark.parametrize(("hint", "reason"), [("", "no layer"), ("do x", "no layer; do x")])
def test_what_is_missing_is_an_error_with_its_own_code(hint: str, reason: str):
    """A place that cannot be furnished never makes the work fail."""

    class Bare:
        root = "/repo"

        def run(self, *_: Any, **__: Any) -> Any:
            raise CouldNotVerify("no layer", code="environment:lock", hint=hint)

    finding = Bench(Bare()).finds("command", argv=["x"])
    assert (finding.outcome, finding.code, finding.reason) == ("error", "environment:lock", reason)


def _codes() -> set[str]:
    """Every literal that stands where a code is expected."""
    found: set[str] = set()
    judge = FOLDER.parent
    said = [
        judge / name
        for name in ("proof.py", "foreign.py", "rewritten.py", "standard.py", "softened.py")
    ]
    for path in [*FOLDER.rglob("*.py"), *(judge / "disbelief").rglob("*.py"), *said]:
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node, "func", None)
            if getattr(name, "id", getattr(name, "attr", "")) in TELLERS:
                given = [*node.args[:3], *(k.value for k in node.keywords if k.arg == "code")]
                found |= {one.value for one in given if _is_code(one)}
    return found - {"pass", "fail", "error"}


def _is_code(node: ast.expr) -> bool:
    text = getattr(node, "value", None)
    return isinstance(text, str) and bool(re.fullmatch(r"[a-z]+(-[a-z]+)*", text))


def test_every_code_has_an_action():
    """A reason that suggests nothing leaves its reader where they were."""
    codes = _codes() | {"failed", "errors", "report-unreadable"}
    codes |= {
        "hidden",
        "awaiting-approval",
        "blob-missing",
        "inventory",
        "skipped",
        "oracle-rewritten",
        "toolchain-changed",
        "unclear-file",
    }  # said by way of a variable
    assert codes - ACTIONS.keys() == {"not-kept", "in-parts"}  # which are no failures
    assert ACTIONS.keys() - codes == set()


@pytest.mark.parametrize("code", ACTIONS)
def test_an_action_is_one_sentence_with_a_command(code: str):
    """It begins with what to do, and nothing in it is left to be filled in."""
    check = Check(kind="command", params={"argv": ["make", "a b"]})
    said = action(code, Criterion(id="G002.C1", says="s", check=check))
    assert re.fullmatch(r"[A-Z][^\n]*\.", said)
    assert "`" in said
    assert "{" not in said
    if "{command}" in ACTIONS[code]:
        assert "make 'a b'" in said


def test_an_action_without_an_argv_names_the_judge():
    """And a code that is not a check's own has no action."""
    scope = Check(kind="scope")
    assert "forsooth check G001" in action("never", Criterion(id="G001.C1", says="s", check=scope))
    assert action("missing", Criterion(id="suite", says="s", check=scope)).endswith(
        "`forsooth check`."
    )
    assert action("pass", Criterion(id="suite", says="s", check=scope)) == ""


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("oracle-changed", "config.mk changes how make runs: `SHELL = true`"),
        ("oracle-changed", "passes only with config.mk as changed; as sealed: 1 of 2 failed"),
        ("submodule", "config.mk is only a link to commit 0123456789ab of another repository"),
        ("never", "config.mk is in *.mk, never to be touched"),
        ("outside", "config.mk (deleted) is outside the fence"),
    ],
)
def test_an_action_names_the_file_that_its_reason_is_about(code: str, reason: str):
    """A word to be filled in by the reader is left only where no file is known."""
    said = action(code, Criterion(id="G001.C1", says="s", check=Check(kind="scope")), reason=reason)
    assert "config.mk" in said
    assert "PATH" not in said


SECRETS = [
    "ghp_" + "a1" * 18,
    "github_pat_" + "a1_" * 10,
    "glpat-" + "x" * 20,
    "sk-" + "x" * 40,
    "xoxb-" + "1" * 12,
    "AKIA" + "A" * 16,
    "AIza" + "x" * 35,
    "npm_" + "x" * 36,
    "hf_" + "x" * 34,
    "sk_live_" + "x" * 24,
    "eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_token_of_a_known_shape_is_not_kept(secret: str):
    """Whatever stands around it."""
    for text in (secret, f"a {secret} b", f'"{secret}"', f"x={secret}\n", f"https://{secret}@host"):
        assert secret.encode() not in redacted(text.encode())


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("PASSWORD=hunter22\nHOME=/x", "PASSWORD=***\nHOME=/x"),
        ("export MY_API_KEY='abc def'", "export MY_API_KEY='***'"),
        (r'{"out": "MY_TOKEN=\"ab cd\"\nPASSWORD=hunter22\nx"}', None),
        ("db_password: s3cret!", "db_password: ***"),
        ('{"client_secret": "abcd1234"}', '{"client_secret": "***"}'),
        ("Authorization: Bearer abcdef123456789", "Authorization: Bearer ***"),
        ("postgres://me:hunter22@db/x", "postgres://me:***@db/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx", "***\nx"),
        ("a\n-----BEGIN PRIVATE KEY-----\nabc", "a\n***"),
        ("3 tests passed", "3 tests passed"),
    ],
)
def test_values_of_telling_names_are_masked(text: str, kept: str | None):
    """The name stays, so that a reader knows what was there; other output is left alone."""
    escaped = r'{"out": "MY_TOKEN=\"***\"\nPASSWORD=***\nx"}'
    assert redacted(text.encode()).decode() == (escaped if kept is None else kept)


def test_a_long_output_keeps_its_ends():
    """And says how much is missing; a key cut in two is masked on both sides."""
    key = "-----BEGIN PRIVATE KEY-----\n" + "A" * 60 + "\n"
    end = "A" * 60 + "\n-----END PRIVATE KEY-----\n"
    head = ("h" * 63 + "\n") * (CAP // 4 // 64)
    tail = ("t" * 63 + "\n") * (CAP * 3 // 4 // 64 - 2)
    data = (head[: -len(key) - 4] + "\n" + key + "A" * 5000 + "\n" + end + tail).encode()
    kept = redacted(data)
    assert len(kept) <= CAP + 64
    assert b"bytes left out" in kept
    assert b"AAAA" not in kept


@given(
    st.binary(max_size=300)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))
)
@settings(max_examples=300, deadline=None)
def test_redaction_never_crashes_and_never_grows(data: bytes):
    """Whatever bytes a run printed."""
    kept = redacted(data)
    assert len(kept) <= len(data)
    assert len(redacted(kept)) <= len(kept)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "unit",
    ["TOKEN", "A", "secret=", "eyJ.", "://a:", "-----BEGIN PRIVATE KEY-----", "sk-", "x " * 9],
)
def test_redaction_takes_time_by_length_alone(unit: str):
    """A megabyte of what its patterns begin with is done in a moment."""
    data = (unit * (CAP // len(unit))).encode()
    assert len(redacted(data)) <= len(data)


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("a/b", ["a/b", "a/b/c"], ["a/bc", "a"]),
        ("./a", ["a"], ["b"]),
        ("a/", ["a/b"], ["a"]),
        ("*", ["a", ".a"], ["a/b"]),
        ("**", ["a", "a/b"], []),
        ("**/a", ["a", "b/a", "b/c/a"], ["ba", "a/b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "ab/c"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("a**b", ["ab", "a/x/b"], ["b"]),
        ("a/?.py", ["a/x.py"], ["a/xy.py", "a//.py"]),
        ("[ab]c", ["ac", "bc"], ["cc", "/c"]),
        ("[!a]c", ["bc"], ["ac", "/c"]),
        ("[a", ["[a"], ["a"]),
        ("[z-a]", ["[z-a]"], ["z"]),
        ("*.{py,pyi}", ["a.py", "a.pyi"], ["a.p"]),
        ("{a", ["{a"], ["a"]),
        ("a,b*", ["a,b"], ["a"]),
        ("a.b*", ["a.bc"], ["axb"]),
    ],
)
def test_a_glob_names_paths(glob: str, yes: list[str], no: list[str]):
    """A star stays in its folder, two cross folders; a plain path is also a folder."""
    assert [path for path in yes if not matches(glob, path)] == []
    assert [path for path in no if matches(glob, path)] == []
    assert any_matches([glob], yes[0])


@given(st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=300, deadline=None)
def test_any_text_may_stand_where_a_glob_is_expected(glob: str, path: str):
    """Nothing is raised, and folding twice is folding once."""
    assert matches(glob, path) in (True, False)
    assert folded(folded(glob)) == folded(glob)


def test_names_are_shown_three_at_a_time():
    """The rest are counted."""
    assert shown("abcde") == "a, b, c and 2 more"
    assert shown("a") == "a"


def test_evidence_is_the_reason_where_there_is_no_other():
    """A finding always has some."""
    there = Bench(look=Tree())
    finding = there.finds("magic")
    assert there.kept[finding.evidence[0]] == b"unknown-kind: no check is called magic\n"
