"""A check is a kind and parameters; everything wrong with them is said when the plan is made."""

from __future__ import annotations

from typing import Any

import pytest

from forsooth.core.check import KINDS, Check, defects


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("command", {"argv": ["a"], "exits": 2, "stderr": {"has": ["x"], "is": "y"}}),
        ("tests", {"argv": ["pytest"], "runner": "pytest", "timeout": 60}),
        ("files", {"must_contain": [{"path": "a", "text": "b"}], "min_file_count": 0}),
        ("commits", {"patterns": ["^fix: [[a]"], "count": 2}),
        ("scope", {}),
        ("approval", {}),
    ],
)
def test_every_kind_has_a_well_formed_example(kind: str, params: dict[str, Any]):
    """The built-in kinds are exactly these."""
    assert kind in KINDS
    assert len(KINDS) == 7
    assert defects(Check(kind=kind, params=params)) == ()


@pytest.mark.parametrize(
    ("kind", "params", "says"),
    [
        ("magic", {}, ["no check is called 'magic'; there are approval, command"]),
        ("command", {"exits": 300}, ["command: argv: ", "command: exits: "]),
        ("command", {"argv": [], "shell": True}, ["command: argv: ", "command: shell: "]),
        ("files", {}, ["files: parameters: name at least one path"]),
        ("commits", {"patterns": ["("]}, ["commits: patterns: '(' is not a regular"]),
        ("commits", {"patterns": ["a{99999999999}"]}, ["commits: patterns: "]),
        ("approval", {"by": "me"}, ["approval: by: "]),
    ],
)
def test_everything_wrong_with_a_check_is_said_at_once(
    kind: str, params: dict[str, Any], says: list[str]
):
    """With the kind and the parameter it is about."""
    found = defects(Check(kind=kind, params=params))
    assert len(found) == len(says)
    assert all(one.startswith(start) for one, start in zip(found, says, strict=True))


def test_a_check_is_written_with_the_words_of_a_brief():
    """`with` and `is` in a file, `params` and `equals` in the code."""
    check = Check.of({"kind": "command", "with": {"argv": ["a"]}})
    assert check.params == {"argv": ["a"]}
    assert check.plain() == {"kind": "command", "with": {"argv": ["a"]}}
