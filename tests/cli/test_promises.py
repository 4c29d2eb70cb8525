"""Promises that rest on the core's rules, asked through the command line as people ask it."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest

from forsooth.core.plan import Surface
from tests.cli.inside import Inside
from tests.e2e.place import AGENT
from tests.requirements import requirement

GROUNDS = ("--evidence", "the log of run 7", "--rationale", "it follows")
SURFACES = ("gui", "web", "cli", "api", "package", "algorithm", "math", "native", "desktop", "tui")


def goals(empty: Inside, brief: str) -> list[tuple[str, str, str]]:
    """Id, title and objective of every goal that a brief makes."""
    plan = empty.ask("plan", "--text", brief)["plan"]
    return [(goal["id"], goal["title"], goal["objective"]) for goal in plan["goals"]]


@requirement("R002", "R003", "R004", "R005", "R006", "R007", "R010", "D11", "D12")
@pytest.mark.parametrize(
    ("brief", "made"),
    [
        ("Do it.\n", [("G001", "Do it.", "Do it.")]),
        ("@goal: One\n", [("G001", "One", "One")]),
        ("@goal One\nBody.\n", [("G001", "One", "Body.")]),
        ("@goal\nFirst line.\nMore.\n", [("G001", "First line.", "First line.\nMore.")]),
        ("@goal:\tOne\n  code 'x' $y\nz\n", [("G001", "One", "  code 'x' $y\nz")]),
        (
            "@goal: A\n@goals: b\n@goalish\n@goal-x\n@goal.x\n@goal/x\n @goal: c\nsee @goal: d\n",
            [
                (
                    "G001",
                    "A",
                    "@goals: b\n@goalish\n@goal-x\n@goal.x\n@goal/x\n @goal: c\nsee @goal: d",
                )
            ],
        ),
        ("@goal: A\n```\n@goal: B\n```\n", [("G001", "A", "```\n@goal: B\n```")]),
        ("\ufeff@goal: A\r\nx\r\n@goal: B\r\n", [("G001", "A", "x"), ("G002", "B", "B")]),
    ],
)
def test_a_line_that_begins_with_goal_opens_a_goal_and_no_other_does(empty: Inside, brief, made):
    """The grammar, as the plan shows what it made of a brief."""
    assert goals(empty, brief) == made


@requirement("R124")
@pytest.mark.parametrize("wish", ["the code is clean", "it should be nice", "works well"])
def test_a_criterion_that_no_machine_can_check_is_sent_back(empty: Inside, wish):
    """With the line it stands in and something to write instead; nothing is planned."""
    brief = f"@goal: A\n- [ ] {wish}\n"
    told = empty.ask("plan", "--text", brief, code=2)["error"]
    (defect,) = told["defects"]
    assert defect["line"] == 2
    assert defect["fix"]
    assert empty.place.plans == []


@requirement("R062")
def test_the_surfaces_are_these_ten(empty: Inside):
    """A criterion may name one of them; any other is a defect of the brief."""

    def planned(surface: str) -> str:
        row = {"says": "x", "check": "command", "with": {"argv": ["true"]}, "surface": surface}
        return f"@goal: A\n```criteria\n{json.dumps([row])}\n```\n"

    assert sorted(get_args(Surface)) == sorted(SURFACES)
    for surface in SURFACES:
        made = empty.ask("plan", "--new", "--text", planned(surface))["plan"]
        assert made["goals"][0]["criteria"][0]["surface"] == surface
    assert empty.ask("plan", "--new", "--text", planned("fax"), code=2)["error"]["defects"]


@requirement("R126")
def test_every_plan_has_an_id_made_of_its_moment_and_a_folder_of_its_own(empty: Inside):
    """Two plans of the same second do not overwrite each other."""
    ids = [
        empty.ask("plan", "--new", "--text", f"Do {n}.")["plan"]["id"]
        for n in ("one", "two", "six")
    ]
    assert len(set(ids)) == 3
    assert all(re.fullmatch(r"\d{8}-\d{6}(-\d+)?", id_) for id_ in ids)
    assert [folder.name for folder in empty.place.plans] == sorted(ids)
    briefs = {folder.name: (folder / "brief.md").read_text() for folder in empty.place.plans}
    assert briefs == dict(zip(ids, ("Do one.", "Do two.", "Do six."), strict=True))


@requirement("R127")
def test_a_goal_has_five_attempts_unless_policy_says_otherwise(planned: Inside):
    """The first is shown as one of five, and none is used before it."""
    assert "attempt G001.A1 (1 of 5)" in planned("next", "G001", **AGENT).out


@requirement("R095")
def test_nothing_is_launched_and_no_goal_changes_unless_a_verb_says_so(planned: Inside, tmp_path):
    """Every agent on the PATH is a trap; looking leaves the ledger's bytes as they are."""
    marks = tmp_path / "marks"
    marks.mkdir()
    for name in ("claude", "codex", "gemini", "opencode", "tmux", "screen"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\ntouch {marks}/{name}\n")
        program.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{planned.place.environment()['PATH']}"}
    before = planned.place.ledger.read_bytes()
    for words in (("status",), ("why",), ("log",), ("fsck",), ("why", "G001"), ("trust", "--list")):
        planned(*words, **path)
    assert planned.place.ledger.read_bytes() == before
    planned("next", "G001", **path, **AGENT)
    planned("steer", "note", "seen", *GROUNDS, **path)
    planned("block", "G001", "--why", "stuck", **path)
    assert planned.place.kinds()[2:] == ["attempt.opened", "note.added", "blocker.raised"]
    assert list(marks.iterdir()) == []
