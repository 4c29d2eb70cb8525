"""Fenced blocks say everything a criterion can say, and nothing that could surprise a reader."""

from __future__ import annotations

import pytest

from forsooth.core import check as checks
from forsooth.core.brief import fenced
from forsooth.core.brief.brief import parse
from forsooth.core.brief.yamltree import MOST_CHARACTERS, Node, read
from tests.requirements import requirement

FULL = """\
- says: bad rows are refused
  check: command
  with:
    argv: [imp, bad.csv]
    exits: 2
    stderr: {has: ["column 'qty'"]}
    env: {LANG: C}
  surface: cli
  tags: [adversarial]
  paths: [src/imp/**]
  oracle: [tests/bad.csv]
  hidden: true
  guard: false
  mutants:
  - {path: src/imp/a.py, replace: "if bad:", by: ""}
- {says: a push works, check: command, with: {argv: ["true"]}, where: workspace, entry: true}
"""


MUTANTS = """\
- says: x
  check: scope
  mutants:
  - {path: ../a, replace: b, by: c}
  - {path: a, replace: b, by: b}
  - b
"""


def codes(found: fenced.Criteria | fenced.GoalBlock) -> list[tuple[int, str]]:
    return [(defect.line, defect.code) for defect in found.defects]


def test_a_criteria_block_is_the_whole_form():
    """Every field of a criterion can be written."""
    found = fenced.criteria(FULL, 10)
    assert found.defects == ()
    first, second = found.drafts
    assert first.plain() == {
        "line": 10,
        "says": "bad rows are refused",
        "check": {
            "kind": "command",
            "with": {
                "argv": ["imp", "bad.csv"],
                "exits": 2,
                "stderr": {"has": ["column 'qty'"]},
                "env": {"LANG": "C"},
            },
        },
        "surface": "cli",
        "tags": ["adversarial"],
        "paths": ["src/imp/**"],
        "oracle": ["tests/bad.csv"],
        "hidden": True,
        "mutants": [{"path": "src/imp/a.py", "replace": "if bad:", "by": ""}],
    }
    assert (second.entry, second.check.where, second.line) == (True, "workspace", 25)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("argv: [python, -m, pytest, -q]", "tests"),
        ("argv: [node, --test], exits: 0, cwd: web", "tests"),
        ("argv: [pytest], exits: 5", "command"),
        ("argv: [pytest], stdout: {has: [passed]}", "command"),
        ("argv: [make, test]", "command"),
    ],
)
def test_a_command_that_calls_a_runner_is_read_by_its_report(given, kind):
    """An exit status proves less, so it is what counts only where it was asked for."""
    (draft,) = fenced.criteria(f"- {{says: a, check: command, with: {{{given}}}}}", 1).drafts
    assert draft.check.kind == kind
    assert not checks.defects(draft.check)


def test_one_mapping_is_one_criterion():
    """A block with a single criterion needs no list."""
    assert len(fenced.criteria("says: x\ncheck: scope", 1).drafts) == 1


MANIFEST = """\
manifest:
  expected_paths:
    - src/a.py
  min_file_count: 1
  commit_message_pattern: "^feat\\\\(scope\\\\):"
  bash_syntax_check: [run.sh]
  forbidden_paths: [old.py]
  must_contain:
    - {path: src/a.py, pattern: "def a"}
    - {path: src/a.py, text: "def b"}
"""


@requirement("R097")
@pytest.mark.parametrize("form", ["verbatim", "bare", "listed"])
def test_a_step_manifest_is_accepted_verbatim(form):
    """Its files and its commit become one criterion each."""
    bare = "\n".join(line[2:] for line in MANIFEST.splitlines()[1:])
    listed = "- " + MANIFEST.replace("\n", "\n  ").rstrip()
    text = {"verbatim": MANIFEST, "bare": bare, "listed": listed}[form]
    files, commits = fenced.criteria(text, 1).drafts
    assert files.check.plain() == {
        "kind": "files",
        "with": {
            "expected_paths": ["src/a.py"],
            "min_file_count": 1,
            "bash_syntax_check": ["run.sh"],
            "forbidden_paths": ["old.py"],
            "must_contain": [
                {"path": "src/a.py", "text": "def a"},
                {"path": "src/a.py", "text": "def b"},
            ],
        },
    }
    assert files.says == (
        "src/a.py exists; old.py is gone; run.sh parses as bash; "
        'src/a.py contains "def a"; src/a.py contains "def b"; 1 or more files'
    )
    assert commits.check.plain() == {"kind": "commits", "with": {"patterns": ["^feat\\(scope\\):"]}}


@requirement("R097")
def test_an_empty_step_manifest_asks_for_nothing_but_its_preflight():
    """Step 0 has no files and no commit; it asks whether a push would be accepted."""
    text = (
        "manifest:\n  expected_paths: []\n  min_file_count: 0\n  commit_message_pattern: ''\n"
        "  bash_syntax_check: []\n  forbidden_paths: []\n  must_contain: []\n"
    )
    assert fenced.criteria(text, 1) == ((), ())
    (draft,) = fenced.criteria(text + "  sandbox_preflight: true\n", 1).drafts
    assert (draft.entry, draft.check.where) == (True, "workspace")
    assert draft.check.params["argv"][:3] == ["git", "push", "--dry-run"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(5, "empty-block")]),
        ("# only a comment", [(5, "empty-block")]),
        ("[]", [(5, "empty-block")]),
        ("- says: x", [(5, "bad-block")]),
        ("- check: nope\n  paths: [/a]", [(5, "bad-block"), (5, "bad-check"), (6, "bad-path")]),
        ("- says: x\n  check: scope\n  with: 1", [(7, "bad-block")]),
        ("- a\n- 1", [(5, "bad-block"), (6, "bad-block")]),
        ("- says: x\n  check: scope\n  wiht: {}", [(7, "bad-block")]),
        (
            "- says: x\n  check: scope\n  tags: [a, 1]\n  guard: 1",
            [(7, "bad-block"), (8, "bad-block")],
        ),
        ("- says: x\n  check: files", [(5, "bad-check")]),
        ("- {says: x, check: scope, where: workspace}", [(5, "bad-check")]),
        ("- says: x\n  check: nope", [(5, "bad-check")]),
        (
            "- says: x\n  check: command\n  with:\n    exits: 300",
            [(8, "bad-check"), (8, "bad-check")],
        ),
        (
            "- says: x\n  check: scope\n  paths: [a, /b]\n  oracle: ['']",
            [(7, "bad-path"), (8, "bad-block")],
        ),
        ("- says: x\n  check: scope\n  paths: [a, /b]", [(7, "bad-path")]),
        (
            "- says: x\n  check: scope\n- says: y\n  surface: x\n  check: z",
            [(7, "bad-check"), (8, "bad-block")],
        ),
        ("expected_paths: a", [(5, "bad-block")]),
        (
            "expected_paths: [../a]\ncommit_message_pattern: '['",
            [(5, "bad-check"), (5, "bad-path")],
        ),
        ("must_contain: x\nmanifest: 1", [(5, "bad-block"), (6, "bad-block")]),
        ("must_contain: [x, {path: a}]", [(5, "bad-block"), (5, "bad-block")]),
        ("manifest: 1", [(5, "bad-block")]),
        ("manifest: [1]", [(5, "bad-block")]),
        (MUTANTS, [(8, "bad-path"), (9, "bad-block"), (10, "bad-block")]),
    ],
)
def test_everything_wrong_with_a_block_comes_back_with_its_line(text, expected):
    """Lines are the brief's own, and every row is read although another is wrong."""
    found = fenced.criteria(text, 5)
    assert sorted(codes(found)) == sorted(expected)
    assert all(defect.says and defect.fix for defect in found.defects)


def test_good_rows_stay_when_another_row_is_wrong():
    """The reader goes on, so that all defects show at once."""
    found = fenced.criteria("- {says: x, check: scope}\n- {says: y, check: nope}", 1)
    assert ([draft.says for draft in found.drafts], codes(found)) == (["x"], [(2, "bad-check")])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(("a: *b", "unplain-yaml"), ("a: &b 1", "unplain-yaml"), ("- &b {a: 1}", "unplain-yaml")),
        *(
            ("a: !!str 1", "unplain-yaml"),
            ("!x {a: 1}", "unplain-yaml"),
            ("<<: {a: 1}", "unplain-yaml"),
        ),
        *(("a: 1.5", "unplain-yaml"), ("a: 1e3", "unplain-yaml"), ("a: .inf", "unplain-yaml")),
        *(
            ("a: -.Inf", "unplain-yaml"),
            ("a: .nan", "unplain-yaml"),
            ("a: 2020-01-01", "unplain-yaml"),
        ),
        ("a: 2020-01-01T10:00:00Z", "unplain-yaml"),
        ("%YAML 1.11\n---\na: 1", "bad-yaml"),
        *(("a: 9007199254740992", "unplain-yaml"), ("a: " + "9" * 5000, "unplain-yaml")),
        *(("a: 1\na: 2", "unplain-yaml"), ("1: a", "unplain-yaml"), ("é: a", "unplain-yaml")),
        *(("[a]: b", "unplain-yaml"), ("a: 1\n---\nb: 2", "unplain-yaml")),
        *(("%YAML 1.2\n---\na: 1", "unplain-yaml"), ("%TAG ! x\n---\na: 1", "unplain-yaml")),
        *(
            ("[" * 21 + "]" * 21, "unplain-yaml"),
            ("[" * 5000, "unplain-yaml"),
            ("{a: " * 900, "unplain-yaml"),
        ),
        *(("- " * 5000, "unplain-yaml"), ("? " * 5000, "unplain-yaml")),
        *(
            ("- a\n" * 201, "unplain-yaml"),
            ("\n".join(f"k{n}: 1" for n in range(201)), "unplain-yaml"),
        ),
        *(('"\\ud800"', "unplain-yaml"), ('"a\\0b"', "unplain-yaml"), ("a: b: c", "bad-yaml")),
        *(
            ("[", "bad-yaml"),
            ("a: 'x", "bad-yaml"),
            ("\ta: 1", "bad-yaml"),
            ("a: \x07", "bad-yaml"),
        ),
        *(
            ('"\\UFFFFFFFF"', "bad-yaml"),
            ("@x", "bad-yaml"),
            ("x" * (MOST_CHARACTERS + 1), "too-long"),
        ),
    ],
)
def test_yaml_that_could_surprise_is_refused(text, code):
    """A value two readers could take for different things has no place in a contract."""
    assert [defect.code for defect in fenced.criteria(text, 1).defects] == [code]
    assert [defect.code for defect in fenced.goal(text, 1).defects] == [code]


def test_a_bomb_of_aliases_is_refused_before_it_grows():
    """The classic: nine levels of nine references each."""
    rows = [
        "a0: &a0 [x]",
        *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)),
    ]
    assert codes(fenced.criteria("\n".join(rows), 1)) == [(1, "unplain-yaml")]


def test_many_brackets_side_by_side_are_no_depth():
    """Only brackets that pile up are refused."""
    tags = ", ".join(['"[]"'] * 150)
    text = f"- says: x\n  check: scope\n  tags: [{tags}]"
    assert len(fenced.criteria(text, 1).drafts) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(
            ("yes", "yes"),
            ("no", "no"),
            ("on", "on"),
            ("true", True),
            ("FALSE", False),
            ("~", None),
        ),
        *(("", None), ("null", None), ("'null'", "null"), ("12", 12), ("-3", -3), ("0o17", 15)),
        *(("0x1F", 31), ("017", 17), ("1_000", "1_000"), ("1:30", "1:30"), ("'1.5'", "1.5")),
        *(
            ("1.2.3", "1.2.3"),
            ("v1.5", "v1.5"),
            ("|\n  a\n  b\n", "a\nb\n"),
            (">-\n  a\n  b", "a b"),
        ),
    ],
)
def test_a_plain_value_means_what_yaml_1_2_says(text, value):
    """`no` is a word and `017` is seventeen."""
    found = read(f"k: {text}", 1).value
    assert isinstance(found, dict)
    assert found["k"].value == value


def test_a_goal_block_sets_every_attribute():
    """It is the whole form of the attribute lines."""
    text = (
        "intent: removal\ndepends_on: [G001]\ntouch: [src/**]\nnever: [ci/**]\n"
        "may_change: [tests/a.py]\nmay_move: [tests/b.py]\nmay_remove: [tests/c.py]\n"
        "expects: no-change\ncadence: 12\n"
    )
    found = fenced.goal(text, 1)
    assert found.defects == ()
    assert found.attributes.plain() == {
        "intent": "removal",
        "depends_on": ["G001"],
        "touch": ["src/**"],
        "never": ["ci/**"],
        "may_change": ["tests/a.py"],
        "may_move": ["tests/b.py"],
        "may_remove": ["tests/c.py"],
        "expects": "no-change",
        "cadence": 12,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(3, "bad-block")]),
        ("- a", [(3, "bad-block")]),
        ("intent: x\ncadence: 0\nfoo: 1", [(3, "bad-block"), (4, "bad-block"), (5, "bad-block")]),
        ("depends_on: [one]", [(3, "bad-block")]),
        ("touch:\n- src\n- /etc", [(5, "bad-path")]),
    ],
)
def test_everything_wrong_with_a_goal_block_comes_back_with_its_line(text, expected):
    """All rows at once, each where it stands."""
    assert codes(fenced.goal(text, 3)) == expected


def test_a_block_in_a_brief_gives_lines_of_the_brief():
    """The fence's own indentation is not part of the YAML."""
    text = "@goal: One\n\n  ~~~ criteria x\n  - says: x\n    check: nope\n  ~~~\n"
    (defect,) = parse(text).defects
    assert (defect.line, defect.code) == (4, "bad-check")


def test_a_way_that_leaves_the_tree_ends_at_the_last_node_on_it():
    """A defect about a missing key is shown where the key would be."""
    node = Node(1, {"a": Node(2, [Node(3, "x")])})
    assert node.find(["a", 0]).line == 3
    assert node.find(["a", "b"]).line == 2
    assert node.find(["z"]).line == 1
