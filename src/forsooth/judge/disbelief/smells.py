"""Things in changed product code that a person should look at. A smell never decides anything.

They are found by plain patterns on changed lines: cheap, sometimes wrong, and few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from forsooth.core.plan import Criterion
from forsooth.git.trees import Change
from forsooth.judge.checker import Look
from forsooth.judge.disbelief.hardcoded import hardcoded
from forsooth.judge.disbelief.sites.site import Touched, touched
from forsooth.judge.sides import is_test

MOST = 8
_THEN = r":(?:[ \t]*(?:#[^\n]*)?\n[ \t]+|[ \t]*)"  # the next line, or the rest of this one
CODE = re.compile(r"\.(?:py|pyw|[cm]?[jt]sx?|go|rs|rb|java|kt|php|sh|bash|c|cc|cpp|h|cs|swift)$")

_LINES = (
    (r"\b_pytest\b|['\"]pytest['\"]\s+(?:not\s+)?in\s+\w*\.?modules", "asks for the test runner"),
    (r"PYTEST_\w+|JEST_WORKER_ID|\bVITEST\w*|testing\.Testing\(\)", "asks for the test runner"),
    (
        r"sys\._getframe|inspect\.(?:stack|currentframe)|gc\.get_(?:objects|referrers)",
        "looks round",
    ),
    (r"\bos\._exit\b|\batexit\b|process\.on\(['\"]exit|\btrap\b.*\bEXIT\b", "acts as it ends"),
    (r"(?:environ|getenv|env)\b.{0,12}['\"(.]CI\b", "asks whether it runs in CI"),
    (r"\b(?:TODO|FIXME|XXX)\b|\bNotImplemented(?:Error)?\b|\b(?:unimplemented|todo)!", "is undone"),
    (r"(?i)\bplaceholder\b|\bnot (?:yet )?implemented\b|\bsimulat(?:e|ed|ing)\b", "is undone"),
)
_EMPTY = r"(?:None|True|False|null|true|false|undefined|-?\d+|''|\"\"|\[\]|\{\})"
_BLOCKS = (
    (
        rf"def __(?:eq|ne)__\([^\n]*{_THEN}(?:\"\"\"[^\n]*\"\"\"\s+)?return True\b",
        "is equal to everything",
    ),
    (
        (
            r"except(?:\s+(?:Base)?Exception)?(?:\s+as\s+\w+)?\s*"
            rf"{_THEN}(?:pass\b|return\s*{_EMPTY}?[ \t]*$)"
        ),
        "swallows every failure",
    ),
    (
        rf"catch\s*(?:\(\w*\))?\s*\{{\s*(?:return\s*{_EMPTY}?\s*;?\s*)?\}}",
        "swallows every failure",
    ),
)
_BY_LINE = tuple((re.compile(pattern), says) for pattern, says in _LINES)
_BY_BLOCK = tuple((re.compile(pattern, re.MULTILINE), says) for pattern, says in _BLOCKS)


def smells(
    changes: tuple[Change, ...],
    look: Look,
    *,
    before: Look | None = None,
    test_side: Callable[[str], bool] | None = None,
    criteria: Iterable[Criterion] = (),
) -> tuple[str, ...]:
    """At most eight flags, each `path:line what`; lines that stood in `before` are passed over."""
    holds = test_side or is_test
    product = [one for one in changes if not holds(one.path) and CODE.search(one.path)]
    files = list(touched(product, look, before))
    tests = (path for path in look.paths() if holds(path))
    found = [*hardcoded(files, tests, look, before=before, criteria=criteria)]
    found += [flag for file in files for flag in _flags(file)]
    return tuple(dict.fromkeys(found))[:MOST]


def _flags(file: Touched) -> Iterator[str]:
    for number, line in file.new():
        yield from (f"{file.path}:{number} {s}" for p, s in _BY_LINE if p.search(line))
    for pattern, says in _BY_BLOCK:
        for found in pattern.finditer(file.text):
            number = file.text.count("\n", 0, found.end()) + 1
            if number in file.lines:
                yield f"{file.path}:{number} {says}"
