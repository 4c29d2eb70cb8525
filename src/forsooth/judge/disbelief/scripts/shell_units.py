"""Shell files of which a harness runs every function that is called like a test."""

from __future__ import annotations

import re

from forsooth.judge.disbelief.scripts import shell_flip
from forsooth.judge.disbelief.scripts.expected import Change, Drawn, Helpers
from forsooth.shell.nodes import is_heavy, parsed

_LISTS = re.compile(rb"\b(?:declare|typeset)\s+-[Ff]\b|\bcompgen\s+-A\s+function\b")


def runs_functions(harness: bytes) -> bool:
    """Whether a harness asks the shell which functions there are."""
    return _LISTS.search(harness) is not None


def changes(source: bytes, drawn: Drawn, helpers: Helpers) -> list[Change]:
    """What the functions expect; sure is only what stands last in one: its status counts."""
    if is_heavy(source.decode("utf-8", "replace")):
        return []
    calls, last = b"\nset -e\n", list[tuple[int, int]]()
    for node in parsed(source).named_children:
        name = (node.named_children[0].text or b"") if node.named_children else b""
        if node.type == "function_definition" and name.startswith(b"test"):
            calls += name + b"\n"
            said = [one for one in node.named_children[-1].named_children if one.type != "comment"]
            last += [(one.start_byte, one.end_byte) for one in said[-1:]]
    found = shell_flip.changes(source + calls, drawn, helpers) if last else []
    return [
        one._replace(sure=one.sure and any(a <= one.start and one.end <= b for a, b in last))
        for one in found
        if one.end <= len(source)
    ]
