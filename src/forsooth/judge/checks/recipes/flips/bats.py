"""Breaks bats tests: a comparison that fails first in the body, and a canary pair at the end.

The pair loads what the broken test loads in its own body, so that whatever that brings along, a
function named `[` for one, is there when the canary compares.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from forsooth.judge.checker import Look
from forsooth.judge.checks.recipes.flips.choice import Damage, shuffled, text_of, word_of
from forsooth.judge.reports.report import Report

_TEST = re.compile(
    r"^[ \t]*@test[ \t]+(?:'(?P<one>[^'\n]*)'|\"(?P<two>[^\"\n$`\\]*)\")[ \t]*\{[ \t]*\n"
    r"(?P<body>.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
_LOADS = re.compile(r"^[ \t]*(?:source|\.|load|bats_load_library)[ \t]+[^\n;|&]+$", re.MULTILINE)


class _Spot(NamedTuple):
    path: str
    body: int
    loads: str


def canary_name(nonce: str) -> str:
    """What the names of both tests of the pair begin with."""
    return f"zz{word_of(nonce)}"


def broken(look: Look, report: Report, nonce: str, *, canary: bool) -> Damage | None:
    """One test that fails, and the pair in its file."""
    spots = _spots(look)
    passed = {test.id for test in report.tests if test.outcome == "passed"}
    names = shuffled(passed & spots.keys(), nonce)
    if not names:
        return None
    spot = spots[names[0]]
    source = text_of(look, spot.path) or ""
    text = f"{source[: spot.body]}  [ 1 = 2 ]\n{source[spot.body :]}"
    if not canary:
        return Damage({spot.path: text}, frozenset(names[:1]), canary=False)
    red, green = f"{canary_name(nonce)} red", f"{canary_name(nonce)} green"
    for name, word in ((red, "stone"), (green, "canary")):
        text += f'\n@test "{name}" {{\n{spot.loads}  [ "canary" = "{word}" ]\n}}\n'
    return Damage({spot.path: text}, frozenset({names[0], red}), frozenset({green}))


def _spots(look: Look) -> dict[str, _Spot]:
    """The tests by name that stand once in the tree."""
    found: dict[str, _Spot] = {}
    times: Counter[str] = Counter()
    for path in look.paths():
        source = text_of(look, path) if path.endswith(".bats") else None
        for test in _TEST.finditer(source or ""):
            name = (test["one"] or test["two"] or "").strip()
            times[name] += 1
            loads = "".join(f"{line}\n" for line in _LOADS.findall(test["body"]))
            found[name] = _Spot(path, test.start("body"), loads)
    return {name: spot for name, spot in found.items() if times[name] == 1}
