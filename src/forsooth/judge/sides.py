"""Which files of a tree are its tests and what tests are made of, told by name and place.

Product must not be taken for a test by accident: a folder whose name may mean either counts only
when files named like tests lie in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TEST = re.compile(
    r"test_[^/]*\.py|[^/]*_tests?\.py|tests?\.py|conftest\.py|[^/]*\.(?:test|spec|cy)\.[cm]?[jt]sx?"
    r"|[^/]*_test\.(?:go|exs?|rb|dart|cc|cpp)|[^/]*_spec\.(?:rb|lua)|[^/]*\.(?:t|bats)|[^/]*Tests?\.(?:java|kt|cs|php)"
    r"|test[-_][^/]*\.(?:[cm]?[jt]sx?|sh|rb|c|cc|cpp)|[^/]*[-_]test\.sh|[^/]*Test\.php|[^/]*Spec\.(?:js|ts|scala|groovy)"
)
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_ALWAYS = frozenset({"tests", "__tests__", "__mocks__", "__snapshots__", "__fixtures__"})
_ON_TOP = frozenset({"test", "e2e"})
_MAYBE = frozenset({"test", "spec", "specs", "e2e", "testing"})
_DATA = frozenset({"fixtures", "snapshots", "golden", "goldens", "testdata", "test-data"})
ELSEWHERE = frozenset({"node_modules", "vendor", "site-packages", "third_party"})
_MANIFESTS = frozenset("package.json pyproject.toml setup.py setup.cfg go.mod Cargo.toml".split())
_CODE_ALONE = (".go",)  # only a name makes a test of these, whatever folder they lie in


def parts_of(name: str) -> frozenset[str]:
    """The words that a name is made of, in lower case."""
    return frozenset(part.lower() for part in _PARTS.findall(name))


def is_test(path: str) -> bool:
    """Whether a file is named as runners name tests."""
    return bool(_TEST.fullmatch(path.rpartition("/")[2]))


class Sides:
    """The test side of one or more trees."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._tested: set[str] = set()
        self._tops = {""}
        for path in paths:
            if path.rpartition("/")[2] in _MANIFESTS:
                self._tops.add(path.rpartition("/")[0])
            if is_test(path):
                while path := path.rpartition("/")[0]:
                    self._tested.add(path)

    def holds(self, path: str) -> bool:
        """Whether a file is on the test side."""
        *folders, name = path.split("/")
        if ELSEWHERE.intersection(folders):
            return False
        if is_test(path):
            return True
        if name.endswith(_CODE_ALONE):
            return False
        return self.root(path) is not None

    def root(self, path: str) -> str | None:
        """The outermost folder of the test side that a file lies in; none when it lies in none."""
        folders = path.split("/")[:-1]
        for at, name in enumerate(folders):
            folder = "/".join(folders[: at + 1])
            if path.endswith(".rs") and "src" in folders[:at]:
                return None
            if self._is_side(name, folder):
                return folder
        return None

    def _is_side(self, name: str, folder: str) -> bool:
        if name in _ALWAYS or (name in _MAYBE and folder in self._tested):
            return True
        above = folder.rpartition("/")[0]
        if name in _ON_TOP and above in self._tops:
            return True
        return name in _DATA and (not above or above in self._tested)
