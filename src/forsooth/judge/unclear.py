"""Changed files whose role nobody can tell for certain, and that decide the result.

A case table beside the sources, a helper that compares, a folder in a language this judge has no
words for: no report names them, and no setting. So one question is asked of all of them together:
with every such file as it was on the base, is the criterion still green? If it is, they do not
matter. If not, they are never silently believed: the plan must permit the change, or a person.

Plainly product, and never asked about:

- what the goal's allowed paths name outside the folders of sealed tests;
- what shipped code loads: a file that code mentions which is neither sealed nor a test's helper;
- code that does something, unless only tests load it, they load other code as well, and it could
  fail them: then it is emptied, and the criterion that still passes shows an assertion helper
  (`iguales(sale, va)`), for nobody notices that it is gone. Emptied product turns a criterion red.

Not seen: helpers in languages whose functions cannot be emptied here, unless they compare two of
their own arguments; a helper that shipped code declares among its own (`pub mod`); a product file
that decides and that no test of the criterion could miss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from forsooth.git.trees import SUBMODULE, Change
from forsooth.judge.checker import Look
from forsooth.judge.checks.globs import any_matches
from forsooth.judge.drivers import can_fail, compares_arguments, entries
from forsooth.judge.mentions import Mentions, is_code
from forsooth.judge.sides import Sides

_PROSE = re.compile(r"(?i)\..*|.*\.(?:md|rst|adoc|lock|sum|svg|png|jpe?g|gif|ico|pdf)|licen[cs]e.*")
_MANIFEST = re.compile(
    r"package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-[\w-]+\.yaml|go\.(?:mod|work)|Cargo\.toml"
    r"|pyproject\.toml|setup\.cfg|(?:requirements|constraints).*\.txt|[jt]sconfig.*\.json|forsooth\.toml"
    r"|Dockerfile|(?:docker-)?compose\.ya?ml|MANIFEST\.in|CODEOWNERS|\w*CHANGELOG\w*|VERSION"
)


class Suspect(NamedTuple):
    """A changed file that may be a test's; `is_sure` when no further run could clear it."""

    path: str
    because: str
    is_sure: bool = True


class Base(NamedTuple):
    """What the roles of a tree's files are told by; `ran` are the files that the criterion runs."""

    look: Look
    sealed: frozenset[str]
    ran: frozenset[str]
    touch: tuple[str, ...]


class Suspects:
    """The files of one criterion's base, asked for their roles."""

    def __init__(self, base: Base) -> None:
        self._base, self._look = base, base.look
        self._mentions = Mentions(base.look)
        self._sides = Sides(base.look.paths())

    def among(
        self, changes: Iterable[Change], *, permitted: Callable[[str], bool]
    ) -> tuple[Suspect, ...]:
        """Those of some changed files that were there before, and are not plainly product."""
        return tuple(self._among(changes, permitted))

    def _among(
        self, changes: Iterable[Change], permitted: Callable[[str], bool]
    ) -> Iterator[Suspect]:
        for change in changes:
            path = change.path
            if change.status == "A" or SUBMODULE in (change.old_mode, change.new_mode):
                continue
            if path in self._base.sealed or permitted(path) or self._is_allowed(path):
                continue
            if path in self._entries or not self._mentions.code:
                continue
            suspect = self._code(path) if is_code(path) else self._data(path)
            if suspect:
                yield suspect

    @cached_property
    def _entries(self) -> frozenset[str]:
        return entries(self._look)

    def _is_allowed(self, path: str) -> bool:
        """Whether the goal's allowed paths name a file that lies apart from sealed tests."""
        if path in self._base.touch:
            return True
        folder = path.rpartition("/")[0]
        return folder not in self._folders and any_matches(self._base.touch, path)

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(path.rpartition("/")[0] for path in self._tests)

    @cached_property
    def _tests(self) -> frozenset[str]:
        """The sealed files that are programs."""
        return frozenset(path for path in self._base.sealed if path in self._mentions.code)

    def _data(self, path: str) -> Suspect | None:
        """Data is product where shipped code reads it, or where it is all that tests are about."""
        name = path.rpartition("/")[2]
        if _PROSE.fullmatch(name) or _MANIFEST.fullmatch(name) or path.startswith("."):
            return None
        if self._is_shipped(path, frozenset()):
            return None
        readers = self._mentions.loaders(path) & self._tests
        if readers and not any(self._subjects(reader, path) for reader in readers):
            return None
        says = "only the tests read it" if readers else "no shipped code reads it"
        return Suspect(path, says)

    def _code(self, path: str) -> Suspect | None:
        if self._is_shipped(path, frozenset()):
            return None
        if path in self._base.ran:
            return self._script(path)
        tests = self._mentions.loaders(path) & self._tests
        if not any(self._subjects(test, path) for test in tests):
            return None
        text = self._mentions.text(path)
        if not self._mentions.has_functions(path):
            return Suspect(path, "only the tests load it, and it holds values alone")
        if compares_arguments(text) or can_fail(text):
            return Suspect(path, "only the tests load it, and they pass without it", is_sure=False)
        return None

    def _script(self, path: str) -> Suspect | None:
        others = (one for one in self._mentions.code if one not in self._base.ran)
        if not self._mentions.loads(path, others):
            return None
        return Suspect(path, "the criterion runs it, and knows its exit status alone")

    def _subjects(self, test: str, path: str) -> bool:
        """Whether a test loads other code that does something, and is no test."""
        others = (
            one
            for one in self._mentions.code
            if one != path and one not in self._tests and one not in self._base.ran
        )
        return any(
            self._mentions.mentions(test, one) and self._mentions.has_functions(one)
            for one in others
        )

    def _is_shipped(self, path: str, seen: frozenset[str]) -> bool:
        """Whether shipped code loads a file; what only passes it on counts as its own loader."""
        for loader in self._mentions.loaders(path) - self._tests - self._base.ran - seen:
            if self._sides.holds(loader):
                continue
            if not self._mentions.has_functions(loader):
                if self._is_shipped(loader, seen | {path, loader}):
                    return True
            elif not self._is_helper(loader):
                return True
        return False

    def _is_helper(self, path: str) -> bool:
        """Whether code that only tests load compares two of its arguments."""
        loaders = self._mentions.loaders(path)
        is_tests = bool(loaders) and loaders <= self._tests
        return is_tests and compares_arguments(self._mentions.text(path))
