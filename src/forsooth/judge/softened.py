"""Leave to change a test is no leave to ask less of the work.

Told by the text of a test alone, and only where it is plain: as many assertions as before, of which
one that compared now asks no more than that there is something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from forsooth.judge.branch.shape import shapes
from forsooth.judge.branch.words import Assertion, Shape
from forsooth.judge.checker import Look
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.checks.trial import Flaw

_LEAST = 1  # what an assertion is worth that compares with nothing


def softened(leave: Iterable[str], before: Look, after: Look) -> Iterator[Flaw]:
    """Tests of files that may change which are there still, and look at less."""
    names = [name.partition("::")[0] for name in leave]
    for change in after.changes:
        if change.status != "M" or not any_matches(names, change.path):
            continue
        was, now = (shapes(change.path, look.read(change.path)) for look in (before, after))
        for name in was.keys() & now.keys():
            if found := _soft(was[name], now[name]):
                old, new = found
                says = f"{change.path}::{name} asks less: `{old.text}` became `{new.text}`"
                yield Flaw("softened", says)


def _soft(was: Shape, now: Shape) -> tuple[Assertion, Assertion] | None:
    """An assertion that compared, and what stands in its place."""
    gone, came = (
        list((Counter(one.assertions) - Counter(other.assertions)).elements())
        for one, other in ((was, now), (now, was))
    )
    if len(was.assertions) != len(now.assertions) or not came:
        return None
    soft = [one for one in came if one.weight <= _LEAST]
    hard = [one for one in gone if one.weight > _LEAST]
    if not soft or now.weight >= was.weight or len(hard) < len(soft):
        return None
    return hard[0], soft[0]
