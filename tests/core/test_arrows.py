"""Briefs as people write them: arrows, calls with results, titles, and folders that are there."""

from __future__ import annotations

import pytest

from forsooth.core.brief.brief import parse
from forsooth.core.brief.draft import Defect, Draft
from forsooth.core.brief.shapes import draft

CALLED = (
    "format_filename: `python3 -c 'from MODULE import format_filename; "
    'print(format_filename("abcdefghij", max_length=5))\'` stdout is "ab…ij"'
)
NPM = {"argv": ["npm", "test"], "stdout": {"has": ["42 passing"]}}


@pytest.mark.parametrize(
    ("sentence", "params"),
    [
        ("`npm test` → expected: `42 passing`", NPM),
        ("unit tests: `npm test` -> expected: `42 passing`", NPM),
        ("Verify: `npm test` → expected: 42 passing", NPM),
        ('`npm test` => "42 passing"', NPM),
        ("`wc -l a` -> expected: 2", {"argv": ["wc", "-l", "a"], "stdout": {"has": ["2"]}}),
        ("`imp bad.csv` → exits 2", {"argv": ["imp", "bad.csv"], "exits": 2}),
        ("`imp` → expected: exit code 2", {"argv": ["imp"], "exits": 2}),
    ],
)
def test_an_arrow_says_what_a_command_prints_or_how_it_exits(sentence: str, params: dict):
    """What stands after it is never read as a command of its own."""
    found = draft(sentence)
    assert isinstance(found, Draft)
    assert found.check.plain() == {"kind": "command", "with": params}


@pytest.mark.parametrize(
    "sentence", ["`x` →", "`x` → expected: non-77 exit code", '`x` → "a" and "b"']
)
def test_an_arrow_that_leads_to_neither_is_refused(sentence: str):
    """With a form that says both."""
    found = draft(sentence)
    assert isinstance(found, Defect)
    assert (found.code, isinstance(draft(found.fix[6:]), Draft)) == ("ambiguous", True)


@pytest.mark.parametrize(
    ("sentence", "fix"),
    [
        (
            'format_filename("abcdefghij", max_length=5) returns "ab…ij"',
            CALLED,
        ),
        (
            "click.utils.add(1, 2) == 3.",
            "add: `python3 -c 'from click.utils import add; print(add(1, 2))'` stdout is \"3\"",
        ),
        ("npm test → expected: 42 passing", '`npm test` stdout has "42 passing"'),
        ("the option is documented in docs/", 'docs/PAGE.md contains "TEXT"'),
        ('explained in docs/guide.md as "Errors"', 'docs/guide.md contains "Errors"'),
        (
            "No uncommitted changes remain (git status clean)",
            'nothing is left uncommitted: `git status --porcelain` stdout is ""',
        ),
    ],
)
def test_what_can_be_checked_gets_a_form_that_is_and_is_not_true_already(sentence: str, fix: str):
    """The suggestion is a criterion itself."""
    found = draft(sentence)
    assert isinstance(found, Defect)
    assert (found.code, found.fix) == ("unknown-shape", f"- [ ] {fix}")
    assert isinstance(draft(fix), Draft)


@pytest.mark.parametrize(
    ("text", "preamble"),
    [
        ("# Friendlier names\n\nNo new packages.\n", "No new packages."),
        ("# Friendlier names\n", ""),
        ("Keep it small.\n# not a title\n", "Keep it small.\n# not a title"),
    ],
)
def test_a_title_binds_no_goal(text: str, preamble: str):
    """It names the brief; what is written below it still binds."""
    assert parse(f"{text}@goal: One\n- [ ] a.md exists\n").preamble == preamble
