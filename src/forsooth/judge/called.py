"""What criteria come to call: their plain commands, and the texts of the files these name.

Programs are looked for in those texts by their names alone, so too much is read rather than less.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from forsooth.core.plan import Criterion
from forsooth.judge.checker import Look
from forsooth.judge.environment.mention import Called
from forsooth.judge.oracles import reading_of
from forsooth.judge.words import resolved

_MOST = 200
_LONGEST = 200_000


def called(criteria: Iterable[Criterion], look: Look) -> Called:
    """What these criteria come to call in a tree, the files they bring along included."""
    commands: dict[tuple[str, ...], None] = {}
    paths: dict[str, None] = {}
    brought: list[str] = []
    for criterion in criteria:
        reading = reading_of(criterion, look)
        for said in reading.spoken:
            commands[said.words] = None
            named = (resolved(word, said.cwd) for word in said.words)
            paths |= dict.fromkeys(path for path in (said.source, *named) if path)
        paths |= dict.fromkeys(reading.files)
        files = criterion.check.params.get("files")
        own = cast("dict[str, Any]", files) if isinstance(files, dict) else {}
        brought += [text for text in own.values() if isinstance(text, str)]
    there = set(look.paths())
    held = [look.read(path) or b"" for path in [p for p in paths if p in there][:_MOST]]
    texts = [data[:_LONGEST].decode("utf-8", "replace") for data in held]
    return Called(tuple(commands), (*texts, *brought))
