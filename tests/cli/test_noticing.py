"""What a person is told before they confirm a plan whose criteria run the goal's own files."""

from __future__ import annotations

import pytest

from forsooth.core.actor import Actor
from forsooth.project import Project
from tests.cli.inside import Inside
from tests.e2e.place import COLOUR

FILES = ("check.sh", "tools/say.py", "sealed.sh", "tests/run.sh", "data.txt")
SAYS = "G001.C2 runs {}, which G001 may change: it proves what that file says by then"


def _told(empty: Inside, brief: str) -> tuple[str, ...]:
    place = empty.place
    for name in FILES:
        place.write(name, "true\n" if name.endswith(".sh") else "")
    place.write("Makefile", "check:\n\t./check.sh\n")
    place.git("add", "-A")
    place.git("commit", "-qm", "files")
    empty("plan", "--text", brief)
    project = Project(place.folder, actor=Actor(kind="human", name="ada"))
    return project.sealing(project.which()).notices


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("sh check.sh", "check.sh"),
        ("./check.sh --all", "check.sh"),
        ("./check.sh | cat", "check.sh"),
        ("python -W error tools/say.py data.txt", "tools/say.py"),
        ("python -m tools.say", "tools/say.py"),
        ("sh tools/later.sh", "tools/later.sh"),
        ("make check", "Makefile"),
    ],
)
def test_a_criterion_that_runs_the_goal_s_own_file_is_pointed_out(
    empty: Inside, command: str, path: str
):
    """However it is started, and whether or not it is there yet."""
    brief = f"@goal: A\nOnly: {path}, src/**\n- [ ] `{command}`\n"
    assert _told(empty, brief) == (SAYS.format(path),)


@pytest.mark.parametrize(
    ("command", "only"),
    [
        ("sh check.sh", "src/**"),
        ("sh check.sh", "*.sh"),
        ("sh tests/run.sh", "tests/run.sh"),
        ("grep -q true check.sh", "check.sh"),
        ("python tools/say.py data.txt", "data.txt"),
    ],
)
def test_what_is_sealed_or_only_looked_at_is_not(empty: Inside, command: str, only: str):
    """Neither a check outside the fence, nor one it merely covers, nor a test, nor data."""
    assert _told(empty, f"@goal: A\nOnly: {only}\n- [ ] `{command}`\n") == ()


def test_a_file_that_the_brief_has_sealed_is_not_pointed_out(empty: Inside):
    """`oracle` seals it, whatever the fence says."""
    rows = "- {says: it holds, check: command, with: {argv: [sh, sealed.sh]}, oracle: [sealed.sh]}"
    brief = f"@goal: A\nOnly: sealed.sh\n```criteria\n{rows}\n```\n"
    assert _told(empty, brief) == ()


def test_it_is_on_the_screen_before_the_question(empty: Inside):
    """A person who says no has read it."""
    told = _told(empty, "@goal: A\nOnly: check.sh\n- [ ] `sh check.sh`\n")
    shown = COLOUR.sub("", empty.place.typed("seal", answer="n").out)
    before, asked, _ = shown.partition("Seal this plan?")
    assert asked
    assert SAYS.format("check.sh") in before
    assert told == (SAYS.format("check.sh"),)


@pytest.mark.parametrize(("upstream", "told"), [("next", True), ("origin/next", False)])
def test_an_upstream_within_the_repository_is_pointed_out(empty: Inside, upstream: str, told: bool):
    """An agent can move it, so that what came from there later is not believed."""
    empty.place.git("branch", "next")
    empty.place.git("remote", "add", "origin", "https://example.invalid/shop.git")
    empty.place.git("update-ref", "refs/remotes/origin/next", "HEAD")
    said = _told(empty, f"Upstream: {upstream}\n\n@goal: A\n- [ ] `sh tests/run.sh`\n")
    assert [f"from {upstream} after the seal" in one for one in said] == [True] * told


WRITES = '@goal: A\nOnly: src/**\n- [ ] {} contains "x"\n'
DOCS = "\n@goal: B\nOnly: docs/**\n- [ ] `true`\n"
EXITS = "@goal: A\n- [ ] `sh check.sh`\n\n@goal: B\n- [ ] `sh check.sh` exits 2\n"
UNWRITTEN = "G001.C2 asks for docs/new.md, which no goal of the plan may change"
OPPOSITE = "G001.C1 and G002.C1 cannot both hold: `sh check.sh` must exit 0, and"


@pytest.mark.parametrize(
    ("brief", "says"),
    [
        (WRITES.format("docs/new.md"), (UNWRITTEN,)),
        (WRITES.format("docs/new.md") + DOCS, ()),
        (WRITES.format("data.txt"), ()),
        (EXITS, (f"{OPPOSITE} `sh check.sh` must exit 2",)),
    ],
)
def test_goals_that_cannot_all_be_proven_are_named(
    empty: Inside, brief: str, says: tuple[str, ...]
):
    """Before anyone works on them: what excludes each other, and what no goal may write."""
    assert _told(empty, brief) == says
