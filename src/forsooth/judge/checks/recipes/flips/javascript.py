"""Which JavaScript tests are broken in which files, and where their canaries stand.

The red canary is the twin of a broken test and the green one of a test left alone: in whatever
order a runner takes twins, the same two names are red and the same two green.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.flips.choice import Damage, shuffled, text_of
from forsooth.judge.checks.recipes.flips.node_end import ended
from forsooth.judge.checks.recipes.flips.script_tests import (
    Script,
    Spot,
    broken_at,
    canary,
    turned,
    understood,
)
from forsooth.judge.reports.report import Report

_BETWEEN = " > "
_TEST_SIDE = re.compile(r"(?:test|spec).*\.[cm]?[jt]sx?$", re.IGNORECASE)
_MOST_FILES = 2
_MOST_READ = 40
_MOST_WHOLE = 400


class _File(NamedTuple):
    path: str
    script: Script
    spots: dict[str, Spot]


def broken(
    look: Look, report: Report, nonce: str, *, between: str = _BETWEEN, with_canary: bool = True
) -> Damage | None:
    """A test in each of up to two files that fails, and a canary pair; none when all is unclear.

    `between` is what a report has between the titles of groups and tests.
    """
    files: list[_File] = []
    paths = {test.id.partition(_BETWEEN)[0] for test in report.tests if test.outcome == "passed"}
    for path in shuffled(paths, nonce)[:_MOST_READ]:
        if file := _read(look, report, path, between=between):
            files.append(file)
        if len(files) == _MOST_FILES:
            break
    files = files or _elsewhere(look, report, nonce, between=between)
    return _damage(files, nonce, with_canary=with_canary) if files else None


def focused(look: Look, report: Report) -> bool:
    """Whether a test file asks for some tests only, so that a canary elsewhere would not run."""
    paths = {test.id.partition(_BETWEEN)[0] for test in report.tests}
    return any(
        ".only" in text and ((script := understood(text)) is None or script.focused)
        for path in sorted(paths)
        if (text := text_of(look, path))
    )


def files_turned(look: Look) -> dict[str, str]:
    """Every test file that is understood, with its tests last to first."""
    found: dict[str, str] = {}
    for path in [*filter(_TEST_SIDE.search, look.paths())][:_MOST_READ]:
        script = understood(text_of(look, path) or "")
        if script and len(script.spots) > 1:
            found[path] = turned(script)
    return found


def files_ended(look: Look, report: Report, status: int) -> Damage | None:
    """Every file that passed as one test without any of its own, made to fail at its end.

    One that other files of the report ask for would fail in them as well: it is left alone.
    """
    files: dict[str, str] = {}
    paths = {test.id.partition(_BETWEEN)[0] for test in report.tests[:_MOST_WHOLE]}
    texts = {path: text for path in paths if (text := text_of(look, path)) is not None}
    for test in report.tests[:_MOST_WHOLE]:
        source = texts.get(test.id) if test.outcome == "passed" else None
        if source is None or _is_asked_for(test.id, texts):
            continue
        if text := ended(source, status):
            files[test.id] = text
    return Damage(files, frozenset(files), canary=False) if files else None


def _is_asked_for(path: str, texts: Mapping[str, str]) -> bool:
    """Whether another file names this one, as files that ask for a module do."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    named = re.compile(rf"[\"'`/]{re.escape(stem)}(?:\.[cm]?[jt]sx?)?[\"'`]")
    return any(named.search(text) for other, text in texts.items() if other != path)


def _read(look: Look, report: Report, path: str, *, between: str) -> _File | None:
    """A file with those of its tests that passed under a name nobody shares."""
    text = text_of(look, path)
    script = understood(text) if text else None
    if script is None or script.focused:
        return None
    spots = {f"{path}{_BETWEEN}{between.join(spot.titles)}": spot for spot in script.spots}
    alone = set(_alone(report, path))
    known = {id_: spot for id_, spot in spots.items() if id_ in alone}
    return _File(path, script, known) if known else None


def _elsewhere(look: Look, report: Report, nonce: str, *, between: str) -> list[_File]:
    """Files with tests a report places elsewhere, at the helper that called the runner for them."""
    tails = Counter(test.id.partition(_BETWEEN)[2] for test in report.tests)
    named = {
        id_.partition(_BETWEEN)[2]: id_
        for path in {test.id.partition(_BETWEEN)[0] for test in report.tests}
        for id_ in _alone(report, path)
    }
    found: dict[str, _File] = {}
    times: Counter[str] = Counter()
    for path in shuffled(filter(_TEST_SIDE.search, look.paths()), nonce)[:_MOST_READ]:
        script = understood(text_of(look, path) or "")
        spots = {between.join(one.titles): one for one in script.spots} if script else {}
        times.update(spots.keys())
        known = {named[t]: one for t, one in spots.items() if t in named and tails[t] == 1}
        if script and known and not script.focused:
            found[path] = _File(path, script, known)
    alone = {id_ for tail, id_ in named.items() if times[tail] == 1}
    files = [
        file._replace(spots={id_: one for id_, one in file.spots.items() if id_ in alone})
        for file in found.values()
    ]
    return [file for file in files if file.spots][:_MOST_FILES]


def _alone(report: Report, path: str) -> Iterator[str]:
    """The tests of a file that passed, have no twin, and no test below them."""
    ids = {test.id for test in report.tests if test.id.startswith(path)}
    parents = {id_[: found.start()] for id_ in ids for found in re.finditer(_BETWEEN, id_)}
    for test in report.tests:
        twin = f"{test.id} #2" in ids
        if test.outcome == "passed" and test.id in ids and not twin and test.id not in parents:
            yield test.id


def _damage(files: list[_File], nonce: str, *, with_canary: bool) -> Damage:
    sources: dict[str, str] = {}
    flips: dict[str, _File] = {}
    for file in files:
        id_ = shuffled(file.spots, nonce)[0]
        flips[id_] = file
        sources[file.path] = broken_at(file.script, file.spots[id_])
    if not with_canary:
        return Damage(sources, frozenset(flips), canary=False)
    first, host = next(iter(flips.items()))
    sources[host.path] += canary(host.script, host.spots[first], red=True)
    left = [(id_, file) for file in files for id_ in shuffled(file.spots, nonce)[1:]]
    green: set[str] = set()
    for id_, file in left[:1]:
        sources[file.path] += canary(file.script, file.spots[id_], red=False)
        green.add(f"{id_} #2")
    return Damage(sources, frozenset({*flips, f"{first} #2"}), frozenset(green))
