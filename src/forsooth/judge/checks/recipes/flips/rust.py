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
from forsooth.judge.reports.report import Report

_TEXT = re.compile(
    r"//[^\n]*|r(#*)\".*?\"\1|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\[^\n]{1,10}?)'", re.DOTALL
)
_NESTED = re.compile(r"/\*|\*/")
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
        source = _bare(text_of(look, path) or "")
        for test in _TEST.finditer(source):
            times[test["name"]] += 1
            close = _closing(source, test.end() - 1)
            attributes = (
                test["more"]
                + (_BEFORE.search(source[max(0, test.start() - 400) : test.start()]) or [""])[0]
            )
            if close and not _LEFT_OUT.search(attributes):
                found[test["name"]] = _Spot(path, test.end(), close)
    return {name: spot for name, spot in found.items() if times[name] == 1}


def _closing(source: str, at: int) -> int | None:
    """The place after the brace that closes the one that opens here."""
    depth = 0
    for brace in re.compile(r"[{}]").finditer(source, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return None


def _bare(source: str) -> str:
    """A source with every comment and text blotted out, nothing moved."""
    bare = _TEXT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    depth = start = 0
    for mark in _NESTED.finditer(bare):
        if mark[0] == "/*":
            start = start if depth else mark.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                blot = re.sub(r"[^\n]", " ", bare[start : mark.end()])
                bare = bare[:start] + blot + bare[mark.end() :]
    return bare
