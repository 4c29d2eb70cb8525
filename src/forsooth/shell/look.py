"""One command, one answer: the rule it breaks, and the files it would write."""

from __future__ import annotations

from typing import NamedTuple

from forsooth.shell.marks import cleaned, pattern
from forsooth.shell.run import run
from forsooth.shell.scope import Decided, Exhausted, Place, Scope
from forsooth.shell.walk import Walk

STEPS = 30_000
MOST = 500  # writes that are told
LONGEST = 262_144  # characters that are read


class Seen(NamedTuple):
    """What is refused and by which rule (both empty when nothing is), and what is written."""

    refuse: str
    code: str
    writes: list[tuple[str, str]]


def look(command: str, place: Place) -> Seen:
    """Read a command; one too involved to be read is judged by what was seen of it."""
    walk, unread = Walk(run), ""
    try:
        walk.script(cleaned(command[:LONGEST]), Scope.at(place, STEPS))
    except Decided:
        pass
    except (Exhausted, RecursionError):
        unread = "unread"
    found = walk.refusals[0] if walk.refusals else None
    writes = {(one.does, pattern(one.path)): None for one in walk.writes}
    return Seen(found.says if found else "", found.code if found else unread, [*writes][:MOST])
