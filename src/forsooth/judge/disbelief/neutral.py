"""Tests with one more comment: work that is right does not know how its tests are written.

Product that recognises its tests, by a digest of their file or by reading the caller's line, passes
with exactly these bytes and with no others. A comment at the end of each test file changes nothing
that a test asks, so a run that fails with it is told to a person:

    # tests/test_slug.py
    def test_slug(): assert slug("A b") == "a-b"
    # another comment

It refuses nothing: a suite that checks its own formatting is honest and fails with it, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from forsooth.judge.checks.found import shown
from forsooth.judge.checks.recipes.recipe import Edit
from forsooth.judge.checks.trial import Room, Trial
from forsooth.judge.disbelief.colour import colour

MOST = 200
_MARKS = {
    b"#": "py sh bash bats rb".split(),
    b"//": "js mjs cjs jsx ts mts cts tsx go rs java kt c h cc cpp hpp".split(),
}
_MARK_OF = {suffix: mark for mark, suffixes in _MARKS.items() for suffix in suffixes}


def commented(text: bytes, path: str) -> bytes | None:
    """A file with one more comment at its end; none for what takes no comments we know."""
    mark = _MARK_OF.get(path.rpartition("/")[2].rpartition(".")[2])
    if mark is None:
        return None
    between = b"" if not text or text.endswith(b"\n") else b"\n"
    return text + between + mark + b" another comment\n"


def recognised(room: Room, tree: str, tests: Iterable[str], last: Trial) -> str | None:
    """What a person is told of work that passes only with its tests exactly as they are."""
    look = room.look(tree)
    edits: dict[str, Edit] = {}
    for path in sorted(tests)[:MOST]:
        now = look.read(path)
        text = commented(now, path) if now is not None else None
        if text is not None:
            edits[path] = Edit(text, look.mode(path) or "100644")
    if not edits or colour(room.tried(room.edited(tree, edits)), last.told) != "red":
        return None
    return f"{shown(sorted(edits))}: with one more comment in it the result is another"
