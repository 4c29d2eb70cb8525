"""Whether a criterion runs nothing but tests that are new, so that no sealed one is there to guard.

Told by what the argv selects and what the base holds; a list of tests from the base comes first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from forsooth.core.plan import Criterion
from forsooth.judge.checker import Look
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.mentions import is_code
from forsooth.judge.oracles import argv_of, cwd_of, is_check, reading_of
from forsooth.judge.sides import Sides, is_test
from forsooth.judge.words import resolved

_BY_NAME = frozenset(
    "-k -t -g -f -run --grep --fgrep --testNamePattern --test-name-pattern".split()
)
# Programs whose first word is what they are to do, and no path.
_COMMANDED = frozenset(
    "go cargo npm pnpm yarn bun deno make gmake just task mvn gradle rake mix dotnet".split()
)
_WORD = re.compile(r"[^\W\d]\w*")
_DOTTED = 2
_LOGIC = frozenset({"and", "or", "not"})


def named_paths(criterion: Criterion) -> tuple[str, ...]:
    """Paths that the argv itself names, there or not, also as dotted modules."""
    cwd = cwd_of(criterion)
    argv = argv_of(criterion)
    words = argv[2:] if argv and argv[0].rpartition("/")[2] in _COMMANDED else argv[1:]
    found = [resolved(word.partition("::")[0], cwd) for word in words]
    least = 1 if "unittest" in argv else _DOTTED  # its words are modules; elsewhere, names of tests
    modules = [word for option, word in pairwise(argv) if option not in _BY_NAME]
    found += [resolved(path, cwd) for word in modules for path in _modules(word, least)]
    return tuple(path.removesuffix("/...") for path in found if path and path != "...")


def _modules(word: str, least: int) -> Iterator[str]:
    """The test files a name of so many parts may mean: a module, or a class or test in one."""
    parts = word.split(".")
    if len(parts) < least or not all(part.isidentifier() for part in parts):
        return
    for count in range(1, len(parts) + 1):
        path = f"{'/'.join(parts[:count])}.py"
        if is_test(path):
            yield path


def is_new(criterion: Criterion, base: Look, tests: Collection[str] | None) -> bool:
    """Whether every test that a criterion runs is new.

    1. A test known at the seal says no, and so does a check that is run and was there. 2. Test
    files that the argv names, or else all of them, are where one could be; without any, all are
    new. 3. So they are when the argv asks for names that no such file has.
    """
    if tests or _runs_a_check(criterion, base):
        return False  # 1
    files = test_files(criterion, base)
    if not files:
        return True  # 2
    names = _names(criterion)
    if not names:
        return False
    if tests is not None:
        return True
    texts = ((base.read(path) or b"").decode("utf-8", "replace") for path in files)
    return not any(name in text for text in texts for name in names)  # 3


def _runs_a_check(criterion: Criterion, base: Look) -> bool:
    """Whether a command of the criterion runs code of the base that is protected, or a check."""
    said, there = reading_of(criterion, base).spoken, frozenset(base.paths())
    named = {resolved(word, one.cwd) or "" for one in said for word in one.words}
    return any(
        is_code(path) and (any_matches(criterion.oracle, path) or is_check(path))
        for path in named & there
    )


def test_files(criterion: Criterion, base: Look) -> list[str]:
    """The test files of the base that a criterion may run: those its argv names, or else all."""
    there = [path for path in base.paths() if is_test(path)]
    sides = Sides(base.paths())
    asked = [
        path
        for path in named_paths(criterion)
        if is_test(path) or sides.root(f"{path}/x") is not None or sides.root(path) is not None
    ]
    if not asked:
        return there
    return [path for path in base.paths() if any(_is_in(path, one) for one in asked)]


def _is_in(path: str, asked: str) -> bool:
    return path == asked or path.startswith(f"{asked}/")


def _names(criterion: Criterion) -> list[str]:
    """The names of tests that the argv asks for."""
    argv = argv_of(criterion)
    found = [word.rpartition("::")[2].partition("[")[0] for word in argv if "::" in word]
    for option, word in pairwise(argv):
        if option in _BY_NAME:
            found += [name for name in _WORD.findall(word) if name not in _LOGIC]
    return found
