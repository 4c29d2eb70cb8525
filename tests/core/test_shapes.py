"""A sentence becomes the check it says, or is refused with the nearest sentence that would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forsooth.core.brief.draft import Defect, Draft
from forsooth.core.brief.nearest import nearest
from forsooth.core.brief.sentence import LONGEST
from forsooth.core.brief.shapes import draft
from forsooth.core.brief.shell import argv_of
from forsooth.core.call import runner_of
from tests.requirements import requirement

BASH = ["bash", "-o", "pipefail", "-c"]


def check_of(sentence: str) -> dict[str, object]:
    found = draft(sentence)
    assert isinstance(found, Draft), found
    return found.check.plain()


def defect_of(sentence: str) -> Defect:
    found = draft(sentence, 7)
    assert isinstance(found, Defect), found
    return found


@pytest.mark.parametrize(
    ("sentence", "params"),
    [
        ("`make lint`", {"argv": ["make", "lint"]}),
        ("lint: `make lint`.", {"argv": ["make", "lint"]}),
        ('a "quoted" label, `too`: `make`', {"argv": ["make"]}),
        ("`make` exits 2", {"argv": ["make"], "exits": 2}),
        ("`pytest` exits 5", {"argv": ["pytest"], "exits": 5}),
        ('x: `make` Stdout Has "a"', {"argv": ["make"], "stdout": {"has": ["a"]}}),
        ('`pytest` stdout has "1 passed"', {"argv": ["pytest"], "stdout": {"has": ["1 passed"]}}),
        (
            '`x` exits 2, stderr has "a", stderr has “b ”, and stdout lacks `c` and stdout is "d"',
            {
                "argv": ["x"],
                "exits": 2,
                "stderr": {"has": ["a", "b "]},
                "stdout": {"lacks": ["c"], "is": "d"},
            },
        ),
        (r'`x` stdout is "a\"b\n\t\\d\d"', {"argv": ["x"], "stdout": {"is": 'a"b\n\t\\d\\d'}}),
        ('`x` stdout is "" and stdout is ""', {"argv": ["x"], "stdout": {"is": ""}}),
        ("``echo `date` ``", {"argv": [*BASH, "echo `date` "]}),
        ("`` `date` ``", {"argv": [*BASH, "`date`"]}),
    ],
)
def test_a_command_sentence_becomes_a_command_check(sentence, params):
    """Exit status and both outputs can be said in words."""
    assert check_of(sentence) == {"kind": "command", "with": params}


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("a 'b c' \"d e\" f\\ g", ["a", "b c", "d e", "f g"]),
        ("grep '$x|y' \"a;b\"", ["grep", "$x|y", "a;b"]),
        *(
            (text, [*BASH, text])
            for text in ("a | b", "a && b", "a; b", "a > b", "a < b", "echo $x")
        ),
        *((text, [*BASH, text]) for text in ("ls *.py", "ls a?", "ls ~", "(a)", "{ a; }", "a[1]")),
        *(
            (text, [*BASH, text])
            for text in ("! a", "X=1 a", "X+=1 a", 'a "$x"', 'a "`b`"', "a # it's")
        ),
        *((text, [*BASH, text]) for text in ("cd a", "exit 3", "source x", 'a "\\$x"')),
        ("a#b", ["a#b"]),
        ("a X=1", ["a", "X=1"]),
        ("a \\| b", ["a", "|", "b"]),
        (" ", []),
    ],
)
def test_a_command_gets_a_shell_only_when_it_needs_one(command, argv):
    """The words mean what they would mean in a terminal, and no more."""
    assert list(argv_of(command)) == argv


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        *(
            (text, "pytest")
            for text in ("pytest -q", "py.test", ".venv/bin/pytest", "uv run pytest")
        ),
        *(
            (text, "pytest")
            for text in ("python -m pytest", "uv run --extra dev -q python3 -m pytest")
        ),
        *((text, "pytest") for text in ("poetry run pytest", "pdm run pytest", "hatch run pytest")),
        *((text, "unittest") for text in ("python -m unittest", "python3.12 -m unittest discover")),
        *(
            (text, "vitest")
            for text in ("npx vitest run", "pnpm exec vitest", "vitest", "bunx vitest")
        ),
        *((text, "jest") for text in ("yarn jest", "npx --yes jest", "jest")),
        *(("go test ./...", "go"), ("cargo test", "cargo"), ("cargo +nightly t", "cargo")),
        *(("cargo nextest run", "nextest"), ("bats test", "bats"), ("npx mocha", "mocha")),
        *((text, "node") for text in ("node --test", "node --import x --test tests/")),
        *((text, "pytest") for text in ("env A=1 pytest", "coverage run -m pytest")),
        *(("python manage.py test", "unittest"), ("python manage.py migrate", None)),
        ("node tests/run.js", None),
        *(
            (text, None)
            for text in ("unittest", "go vet", "cargo", "cargo build", "npm test", "python")
        ),
        *((text, None) for text in ("python -m jest", "python -m go test", "python -m cargo test")),
        *((text, None) for text in ("uv run", "python x.py", "echo pytest", "python -m")),
    ],
)
def test_a_known_runner_is_recognised_behind_its_wrappers(command, runner):
    """A runner whose report can be read proves more than an exit status."""
    assert runner_of(argv_of(command)) == runner


def test_a_runner_that_must_only_exit_zero_is_a_tests_check():
    """Saying `exits 0` adds nothing; any other expectation makes it a plain command."""
    expected = {"kind": "tests", "with": {"argv": ["pytest", "-q"], "runner": "pytest"}}
    assert check_of("unit: `pytest -q`") == check_of("`pytest -q` exits 0") == expected
    assert check_of("`pytest -q` exits 1")["kind"] == "command"
    assert check_of("`pytest -q | tee log`")["kind"] == "command"


@pytest.mark.parametrize(
    ("sentence", "params"),
    [
        ("docs/a.md exists", {"expected_paths": ["docs/a.md"]}),
        ("guide: `my docs/a.md` EXISTS.", {"expected_paths": ["my docs/a.md"]}),
        ("old.py does not exist", {"forbidden_paths": ["old.py"]}),
        ('"old file.py" is gone', {"forbidden_paths": ["old file.py"]}),
        ('a.md contains "## Errors"', {"must_contain": [{"path": "a.md", "text": "## Errors"}]}),
        ("a.md contains `x y`", {"must_contain": [{"path": "a.md", "text": "x y"}]}),
        ("run.sh parses as bash", {"bash_syntax_check": ["run.sh"]}),
    ],
)
def test_a_sentence_about_a_file_becomes_a_files_check(sentence, params):
    """There, not there, holding this, parsing as shell."""
    assert check_of(sentence) == {"kind": "files", "with": params}


@pytest.mark.parametrize(
    ("sentence", "touch", "never"),
    [
        ("only src/** change", ["src/**"], []),
        (
            "Only src/{a,b}/**, `my docs/*` and tests changes.",
            ["src/{a,b}/**", "my docs/*", "tests"],
            [],
        ),
        ("fence: only a, b, and a change", ["a", "b"], []),
        ("never touch .github/**, migrations", [], [".github/**", "migrations"]),
    ],
)
def test_a_sentence_about_scope_sets_the_fence_and_a_criterion(sentence, touch, never):
    """What may change and what may never be touched is also checked."""
    found = draft(sentence)
    assert isinstance(found, Draft)
    assert (list(found.touch), list(found.never)) == (touch, never)
    assert found.check.plain() == {"kind": "scope"}


@pytest.mark.parametrize(
    ("sentence", "params"),
    [
        ('commits match "^feat\\("', {"every": ["^feat\\("]}),
        ("msg: a commit matches `^fix`", {"patterns": ["^fix"]}),
        ('commits match "^(fix|feat): "', {"every": ["^(fix|feat): "]}),
        ("a commit matches `^(fix|feat): `", {"patterns": ["^(fix|feat): "]}),
    ],
)
def test_a_sentence_about_commits_becomes_a_commits_check(sentence, params):
    """The pattern is a regular expression, for every commit or for one."""
    assert check_of(sentence) == {"kind": "commits", "with": params}


@pytest.mark.parametrize(
    "sentence", ["a person agrees: it's 5\" wide `", "wording: A person agrees: it reads well"]
)
def test_a_person_may_be_asked_about_anything(sentence):
    """An approval's text is prose and needs no quoting."""
    assert check_of(sentence) == {"kind": "approval"}


@pytest.mark.parametrize(
    ("sentence", "guard"),
    [
        ("stays green: `make t`", True),
        ("Stays green: unit tests: `make t`", True),
        ("unit: stays green: `make t`", True),
        ("green: `make t`", False),
    ],
)
def test_what_stays_green_is_a_guard(sentence, guard):
    """It must pass before the work and after it."""
    found = draft(sentence)
    assert isinstance(found, Draft)
    assert found.guard is guard


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        *(
            ("", "empty-item"),
            ("a person agrees: ", "empty-item"),
            ("x" * LONGEST + "y", "too-long"),
        ),
        *(('a.md contains "x', "unclosed-quote"), ("`make", "unclosed-quote")),
        *(("a.md contains “x", "unclosed-quote"), ("`make 'x`", "unclosed-quote")),
        *(("`a\\` ", "unclosed-quote"), ("` `", "empty-command")),
        *(
            ("`a` exits 1, exits 2", "contradiction"),
            ('`a` stdout is "b", stdout is "c"', "contradiction"),
        ),
        *(("`a` exits 300", "bad-check"), ('`a` stdout has ""', "bad-check")),
        *(('a contains ""', "bad-check"), ("commits match `[`", "bad-check")),
        *(("commits match `a{99999999999}`", "bad-check"), ("/etc/passwd exists", "bad-path")),
        *(
            ("~/x exists", "bad-path"),
            ("a/../../b is gone", "bad-path"),
            ("` ` exists", "bad-path"),
        ),
        ("only /tmp/** change", "bad-path"),
    ],
)
def test_a_clear_shape_with_wrong_contents_is_a_defect(sentence, code):
    """The code is stable, the line is given and there is something to type."""
    defect = defect_of(sentence)
    assert (defect.code, defect.line) == (code, 7)
    assert defect.fix


@requirement("R124")
@pytest.mark.parametrize(
    ("sentence", "fix"),
    [
        ("the page looks good", "a person agrees: the page looks good"),
        ("Errors are handled properly.", "a person agrees: Errors are handled properly"),
        ("xyzzy", "a person agrees: xyzzy"),
        ("...", "a person agrees: it reads well"),
    ],
)
def test_a_matter_of_taste_is_refused_and_offered_to_a_person(sentence, fix):
    """A check that cannot fail proves nothing."""
    defect = defect_of(sentence)
    assert (defect.code, defect.fix) == ("subjective", f"- [ ] {fix}")


@pytest.mark.parametrize(
    ("sentence", "fix"),
    [
        ("importer tests `pytest -q`", "importer tests: `pytest -q`"),
        ("`imp bad.csv` fails", "`imp bad.csv` exits 1"),
        ("`imp bad.csv` should exit 3", "`imp bad.csv` exits 3"),
        ('`imp x` prints "ok"', '`imp x` stdout has "ok"'),
        ('`imp x` fails and stderr shows "no"', '`imp x` exits 1, stderr has "no"'),
        ('"a" and `b c` then', "`b c`"),
        ("tests pass", "tests pass: `pytest -q`"),
        ("all tests still pass", "stays green: `pytest -q`"),
        ("npm run build", "`npm run build`"),
        ("make: `docs/a.md` please", "docs/a.md exists"),
        ("docs/a.md must exist", "docs/a.md exists"),
        ("old.py was deleted", "old.py is gone"),
        ('README.md mentions "usage"', 'README.md contains "usage"'),
        ("README.md mentions usage", 'README.md contains "text"'),
        ("run.sh has no syntax errors", "run.sh parses as bash"),
        ("valid bash syntax in run.sh", "run.sh parses as bash"),
        ("only files in src/app may be changed", "only src/app change"),
        ("only a few files change", "only src/** change"),
        ("never touch the database", "never touch migrations/**"),
        ("do not modify ci.yml", "never touch ci.yml"),
        ("commits are conventional", 'commits match "^feat"'),
        ("exists, docs", "a person agrees: exists, docs"),
        ("commits match ,", 'commits match "^feat"'),
        ("a b contains ,", "a person agrees: a b contains ,"),
        ("b contains ,", "a person agrees: b contains ,"),
        (", exists", "a person agrees: , exists"),
        ("guide md exists", "docs/guide.md exists"),
        ("`x` exits two", "`x` exits 1"),
        ("`x y` stdout has", "`x y`"),
        ("only , change", "only src/** change"),
        ("tests", "tests: `pytest -q`"),
    ],
)
def test_an_unknown_sentence_is_refused_with_the_nearest_shape(sentence, fix):
    """The example is made of the author's own words where that is possible."""
    assert defect_of(sentence).fix == f"- [ ] {fix}"


@given(
    st.text(max_size=80)
    | st.lists(
        st.sampled_from(
            [
                "`a b`",
                "tests",
                "fails",
                "docs/a.md",
                "exists",
                "never",
                "touch",
                "only",
                "change",
                '"x"',
                "contains",
                "commit",
                "pytest",
                "stdout",
                "has",
                "is",
                "3",
                "gone",
                ",",
                "and",
                "good",
                "x:",
            ]
        ),
        max_size=7,
    ).map(" ".join)
)
def test_what_is_offered_instead_is_always_accepted(sentence):
    """A fix that is refused in turn would be an insult."""
    found = draft(sentence.replace("\n", " "))
    if isinstance(found, Defect) and found.code in ("unknown-shape", "subjective"):
        assert isinstance(draft(found.fix.removeprefix("- [ ] ")), Draft), found


@given(st.text())
def test_no_sentence_makes_the_nearest_shape_raise(text):
    """It is asked about everything nobody understood."""
    assert nearest(text).shape
