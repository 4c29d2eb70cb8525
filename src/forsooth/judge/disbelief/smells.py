"""Things in changed product code that a person should look at. A smell never decides anything.

They are found by plain patterns on changed lines: cheap, sometimes wrong, and few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from forsooth.git.trees import Change
from forsooth.judge.checker import Look
from forsooth.judge.disbelief.sites.site import LONGEST, Touched, touched
from forsooth.judge.sides import is_test

MOST = 8
_MOST_TESTS = 200
_FEW = 3
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
_LITERAL = re.compile(
    r"\"([^\"\\\n]{4,80})\"|'([^'\\\n]{4,80})'|(?<![\w.])(\d{2,}(?:\.\d+)?|\d+\.\d+)(?![\w.])"
)
_EXPECTS = re.compile(r"\bassert|\bexpect|==|\bwant\b|toBe|toEqual|\bEqual|\[ ")
_COMMON = frozenset(
    ("utf-8", "utf8", "10", "100", "1000", "60", "24", "0.0", "1.0", "0.5", "main", "__main__")
)


def smells(
    changes: tuple[Change, ...],
    look: Look,
    *,
    before: Look | None = None,
    test_side: Callable[[str], bool] | None = None,
) -> tuple[str, ...]:
    """At most eight flags, each `path:line what`; lines that stood in `before` are passed over."""
    holds = test_side or is_test
    product = [one for one in changes if not holds(one.path) and CODE.search(one.path)]
    files = list(touched(product, look, before))
    found = [flag for file in files for flag in _flags(file)]
    tests = (path for path in look.paths() if holds(path))
    found += _overlap(files, _expected(tests, look))
    return tuple(dict.fromkeys(found))[:MOST]


def _flags(file: Touched) -> Iterator[str]:
    for number, line in file.new():
        yield from (f"{file.path}:{number} {s}" for p, s in _BY_LINE if p.search(line))
    for pattern, says in _BY_BLOCK:
        for found in pattern.finditer(file.text):
            number = file.text.count("\n", 0, found.end()) + 1
            if number in file.lines:
                yield f"{file.path}:{number} {says}"


def _literals(line: str) -> set[str]:
    return {text for found in _LITERAL.findall(line) for text in found if text} - _COMMON


def _expected(paths: Iterable[str], look: Look) -> set[str]:
    """Values in lines of tests that compare something."""
    found: set[str] = set()
    for path, _ in zip(paths, range(_MOST_TESTS), strict=False):
        data = look.read(path) or b""
        if len(data) <= LONGEST:
            for line in data.decode("utf-8", "replace").splitlines():
                if _EXPECTS.search(line):
                    found |= _literals(line)
    return found


def _overlap(files: Iterable[Touched], expected: set[str]) -> Iterator[str]:
    """Files whose new lines hold several values that tests expect."""
    for file in files:
        shared: dict[str, int] = {}
        for number, line in file.new() if expected else ():
            for text in sorted(_literals(line) & expected):
                shared.setdefault(text, number)
        if len(shared) >= _FEW:
            first = min(shared.values())
            some = ", ".join(sorted(shared, key=shared.__getitem__)[:_FEW])
            yield f"{file.path}:{first} holds {len(shared)} values that tests expect: {some}"
