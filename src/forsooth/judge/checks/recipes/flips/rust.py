"""Breaks Rust tests: a panic first in the body of a test function, its canary pair behind it.

The names of the pair begin as the test's own, so that whatever filters by part of a name takes them
along. A test that stands twice in the tree, or is meant to panic, is left alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import NamedTuple

from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.flips.choice import Damage, shuffled, text_of, word_of
from forsooth.judge.checks.recipes.flips.rust_text import bare, closing
from forsooth.judge.reports.report import Report

_TEST = re.compile(
    r"#\[\s*(?:\w+::)*test\s*(?:\([^\]]*\))?\]"
    r"(?P<more>(?:\s*#\[[^\]]*\])*)\s*"
    r"(?:pub\s+)?(?:async\s+)?fn\s+(?P<name>\w+)\s*\(\s*\)[^{;]*\{"
)
_LEFT_OUT = re.compile(r"should_panic|ignore|cfg")
_BEFORE = re.compile(r"(?:#\[[^\]]*\]\s*)*\Z")
_MOST = 2


class _Spot(NamedTuple):
    path: str
    body: int
    close: int


def broken(look: Look, report: Report, nonce: str, *, canary: bool) -> Damage | None:
    """Up to two tests that fail, in targets of their own, with a canary beside the first."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for test in report.tests:
        named[test.id.rpartition("::")[2]].append(test.id)
    passed = {test.id for test in report.tests if test.outcome == "passed"}
    spots = _spots(look)
    known = [ids[0] for name, ids in named.items() if len(ids) == 1 and name in spots]
    chosen: dict[str, str] = {}
    for id_ in shuffled(passed & set(known), nonce):
        chosen.setdefault(id_.partition("::")[0], id_)
    ids = [*chosen.values()][:_MOST]
    return _damage(look, {id_: spots[id_.rpartition("::")[2]] for id_ in ids}, nonce, canary=canary)


def _damage(look: Look, found: dict[str, _Spot], nonce: str, *, canary: bool) -> Damage | None:
    if not found:
        return None
    first = next(iter(found))
    red, green = (f"{first}_zz{word_of(nonce)}_{end}" for end in ("red", "green"))
    files: dict[str, str] = {}
    for id_, spot in sorted(found.items(), key=lambda one: -one[1].body):
        source = files.get(spot.path) or text_of(look, spot.path) or ""
        if canary and id_ == first:
            pair = _test(red, "stone") + _test(green, "canary")
            source = source[: spot.close] + pair + source[spot.close :]
        panic = ' if true { panic!("broken by the judge"); }'
        files[spot.path] = source[: spot.body] + panic + source[spot.body :]
    if not canary:
        return Damage(files, frozenset(found), canary=False)
    return Damage(files, frozenset({*found, red}), frozenset({green}))


def _test(id_: str, word: str) -> str:
    name = id_.rpartition("::")[2]
    return f'\n#[test]\nfn {name}() {{ assert_eq!("canary", "{word}"); }}\n'


def _spots(look: Look) -> dict[str, _Spot]:
    """The tests by name that stand once in the tree, and nowhere else as a test of that name."""
    found: dict[str, _Spot] = {}
    times: Counter[str] = Counter()
    for path in look.paths():
        if not path.endswith(".rs"):
            continue
        source = bare(text_of(look, path) or "")
        for test in _TEST.finditer(source):
            times[test["name"]] += 1
            close = closing(source, test.end() - 1)
            attributes = (
                test["more"]
                + (_BEFORE.search(source[max(0, test.start() - 400) : test.start()]) or [""])[0]
            )
            if close and not _LEFT_OUT.search(attributes):
                found[test["name"]] = _Spot(path, test.end(), close)
    return {name: spot for name, spot in found.items() if times[name] == 1}
