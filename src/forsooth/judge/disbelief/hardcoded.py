"""Answers that look hard-coded: changed product lines that repeat a case of the tests.

A case is what one line of a test, one row of its table, or one command of a criterion puts side by
side: what goes in, and what must come out. One shared literal says nothing: product and test
share key names, defaults and messages honestly. So a line is told only where

- a branch repeats two literals of one case: `if title == "Ready, steady!": return "ready-steady"`;
- a literal repeats an expected text that has its own input in it: `echo "Good day, Lovelace"`;
- a file repeats two literals each of three cases or more: a table of the visible answers.

Literals that the file had before, keys in brackets, and plain small numbers do not count. It does
not see answers that are computed, encoded or kept in data files; a hidden criterion does. Honest
tables (numerals, units, currencies) whose rows the tests repeat are told too: it is a remark for a
person, and refuses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from forsooth.core.assignment import quoted
from forsooth.core.check import CommandParams
from forsooth.core.plan import Criterion
from forsooth.judge.checker import Look
from forsooth.judge.disbelief.sites.site import LONGEST, Touched

_MOST_FILES = 200
_WINDOW = 3  # a condition, and what follows from it, stand this close
_TABLE = 3
_PAIR = 2
_SHORTEST = 3
_STRING = r"\"((?:[^\"\\\n]|\\.){1,120})\"|'((?:[^'\\\n]|\\.){1,120})'|`([^`\\\n]{1,120})`"
_LITERAL = re.compile(_STRING + r"|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.])")
_KEY = re.compile(
    r"\[\s*(?:\"[\w-]+\"|'[\w-]+')\s*\]|\.get\(\s*(?:\"[\w-]+\"|'[\w-]+')|\b\w+\s*=\s*(?=\w+\()"
)
_BRANCH = re.compile(
    r"==|=>|\b(?:if|elif|case|when|match|switch)\b|\[\s|\?[^?]*:|\.equals\(|\bin\s*[(\[{]"
)
_COMMON = frozenset(
    ("0", "1", "2", "-1", "10", "100", "0.0", "1.0", "utf-8", "utf8", "main", "__main__", "\\n")
)


class VisibleCase(NamedTuple):
    """The literals of one case, and where it stands."""

    where: str
    literals: frozenset[str]


def hardcoded(
    files: Iterable[Touched],
    tests: Iterable[str],
    look: Look,
    *,
    before: Look | None = None,
    criteria: Iterable[Criterion] = (),
) -> Iterator[str]:
    """Flags, each `path:line what`; hidden criteria are not asked."""
    cases = [*_of_criteria(criteria), *_of_tests(tests, look)]
    index: dict[str, list[VisibleCase]] = {}
    for case in cases:
        for literal in case.literals:
            index.setdefault(literal, []).append(case)
    if index:
        for file in files:
            was = before.read(file.path) if before else None
            old = _literals((was or b"").decode("utf-8", "replace"))
            yield from _flags(file, index, old)


def _flags(file: Touched, index: Mapping[str, list[VisibleCase]], old: set[str]) -> Iterator[str]:
    rows = [(number, line, _literals(line) - old) for number, line in file.new()]
    repeated: dict[VisibleCase, int] = {}
    for at, (number, line, found) in enumerate(rows):
        near = [row for row in rows[at : at + _WINDOW] if row[0] < number + _WINDOW]
        values = set[str]().union(*(row[2] for row in near))
        for case, shared in _shared(values, index):
            if not found & shared:
                continue
            repeated.setdefault(case, number)
            if _BRANCH.search(line) and _is_telling(shared):
                yield _told(file.path, number, shared, case)
                return
        for text in sorted(found):
            if case := _answer(text, index):
                yield _told(file.path, number, (text,), case)
                return
    if len(repeated) >= _TABLE:
        number = min(repeated.values())
        yield f"{file.path}:{number} may be hard-coded: it repeats {len(repeated)} cases of tests"


def _shared(
    values: set[str], index: Mapping[str, list[VisibleCase]]
) -> Iterator[tuple[VisibleCase, set[str]]]:
    """Cases of which at least two literals stand here."""
    seen: dict[VisibleCase, set[str]] = {}
    for value in sorted(values):
        for case in index.get(value, ()):
            seen.setdefault(case, set()).add(value)
    for case, shared in seen.items():
        if len(shared) >= _PAIR:
            yield case, shared


def _answer(text: str, index: Mapping[str, list[VisibleCase]]) -> VisibleCase | None:
    """The case whose expected text this is, when one of its inputs stands in that text."""
    for case in index.get(text, ()):
        inputs = case.literals - {text}
        if any(len(one) >= _SHORTEST and one in text for one in inputs):
            return case
    return None


def _is_telling(shared: Iterable[str]) -> bool:
    """Whether literals are more than small numbers and letters."""
    return any(len(one.lstrip("-")) >= _SHORTEST for one in shared)


def _told(path: str, number: int, shared: Iterable[str], case: VisibleCase) -> str:
    values = " and ".join(f"“{quoted(one, 40)}”" for one in sorted(shared, key=len)[-_PAIR:])
    return f"{path}:{number} may be hard-coded: it repeats {values} of {case.where}"


def _literals(text: str) -> set[str]:
    plain = _KEY.sub(" ", text)
    return {one for found in _LITERAL.findall(plain) for one in found if one} - _COMMON


def _of_tests(paths: Iterable[str], look: Look) -> Iterator[VisibleCase]:
    """Lines of tests, and pairs of lines, with more than one literal; rows of a table of cases."""
    for path, _ in zip(paths, range(_MOST_FILES), strict=False):
        data = look.read(path) or b""
        if len(data) > LONGEST:
            continue
        lines = data.decode("utf-8", "replace").splitlines()
        split = "," if path.endswith(".csv") else "\t" if path.endswith(".tsv") else ""
        rows = [{*line.split(split)} - _COMMON if split else _literals(line) for line in lines]
        for number, row in enumerate(rows, 1):
            # An assertion in several lines has its input and its answer on two of them.
            joined = row | (rows[number] if len(row) == 1 and number < len(rows) else set[str]())
            if len(joined) >= _PAIR:
                yield VisibleCase(f"{path}:{number}", frozenset(joined))


def _of_criteria(criteria: Iterable[Criterion]) -> Iterator[VisibleCase]:
    """What a command is given, and what it must print."""
    for criterion in criteria:
        if criterion.hidden or criterion.check.kind != "command":
            continue
        params = CommandParams.of(criterion.check.params)
        streams = [one for one in (params.stdout, params.stderr) if one]
        texts = {text.strip() for one in streams for text in (*one.has, one.equals or "") if text}
        if texts and params.argv[1:]:
            yield VisibleCase(criterion.id, frozenset({*texts, *params.argv[1:]} - _COMMON))
