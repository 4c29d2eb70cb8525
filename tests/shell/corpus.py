"""The commands of commands.txt, and what the fences say of one without starting a process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from forsooth.hooks import targets, words
from forsooth.hooks.board import Board
from forsooth.shell.look import look
from forsooth.shell.scope import Place

TOP, HOME = "/srv/app", "/srv/people/dev"
HELD: dict[str, dict[str, Any]] = {
    "": {"status": "active"},
    "spec": {"status": "active", "dialect": "spec"},
    "fenced": {
        "status": "active",
        "goals": ["G001"],
        "touch": ["src/**", "tests/**"],
        "never": ["src/vendor/**"],
        "oracles": ["tests/golden/**"],
    },
}
_SECTION = re.compile(r"== (refuse|allow) ?([\w-]*) ?(?:\[(\w+)\])?")


class Case(NamedTuple):
    """A command, the rule it breaks (none when it is harmless), and under what it is given."""

    command: str
    rule: str
    held: str


def cases() -> list[Case]:
    """Every command of the corpus."""
    found: list[Case] = []
    section: re.Match[str] | None = None
    for line in (Path(__file__).parent / "commands.txt").read_text("utf-8").splitlines():
        if head := _SECTION.fullmatch(line):
            section = head
        elif line and section:
            command = line.replace("␤", "\n").replace("␉", "\t")
            found.append(Case(command, section[2], section[3] or ""))
    return found


def board(held: str) -> Board:
    """A work tree with a plan that stands as told."""
    made = Board(TOP, f"{TOP}/.git", "main")
    made.now = HELD[held]
    return made


def rule(case: Case) -> str:
    """The rule that the fences find broken: the word filter first, then the parser."""
    now = HELD[case.held]
    if not words.matter(case.command, fenced="touch" in now):
        return ""
    seen = look(case.command, Place(TOP, TOP, HOME, strict=now.get("dialect") == "spec"))
    if seen.code:
        return seen.code
    found = (targets.rule(path, does, board(case.held), HOME)[0] for does, path in seen.writes)
    return next(filter(None, found), "")
