"""What a test asserts, as its text tells: how much, how exactly, and whether anything can fail it.

A shape is compared only with an earlier one of the same test. It proves nothing by itself: a test
that asserts less is worth a person's look, one that asserts as much may still assert nonsense.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from forsooth.judge.branch import plain_shape, python_shape
from forsooth.judge.branch.words import Assertion, Shape
from forsooth.judge.disbelief.bodies import language

_READERS: Mapping[str, Callable[[bytes], dict[str, Shape]]] = {
    "python": python_shape.shapes,
    "go": plain_shape.go,
    "javascript": plain_shape.javascript,
    "typescript": plain_shape.javascript,
}


def shapes(path: str, data: bytes | None) -> dict[str, Shape]:
    """The tests and helpers of a file by name, classes first: `TestA::test_b`."""
    if not data:
        return {}
    if path.endswith(".rs"):
        return plain_shape.rust(data)
    spoken = language(path, data)
    read = _READERS.get(spoken.name) if spoken else None
    return read(data) if read else {}


class Loss(NamedTuple):
    """What a test no longer asserts."""

    says: str
    gone: tuple[Assertion, ...]


def loss(old: Shape, new: Shape, *, cases: tuple[int, int] = (1, 1)) -> Loss | None:
    """How a test asserts less than before; none when it does not. `cases` were and are run."""
    was, now = old.weight * cases[0], new.weight * cases[1]
    gone = tuple((Counter(old.assertions) - Counter(new.assertions)).elements())
    if now < was:
        came = tuple((Counter(new.assertions) - Counter(old.assertions)).elements())
        if len(gone) == len(came) == 1:
            return Loss(f"`{gone[0].text}` became `{came[0].text}`", gone)
        counts = f"{len(old.assertions)} → {len(new.assertions)}"
        return Loss(f"asserts less: {counts}, without `{gone[0].text}`" if gone else counts, gone)
    if cases[0] == cases[1] and new.slack > old.slack and now == was:
        return Loss(f"tolerates more: {old.slack:g} → {new.slack:g}", gone)
    return None
