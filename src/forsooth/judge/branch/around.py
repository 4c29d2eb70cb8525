"""What a branch changed around its tests: runner settings, dependencies, the build's definition.

All of it may be honest, so it is for a person to look at; what it does to tests the runs show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from forsooth.git.trees import Change
from forsooth.judge import settings
from forsooth.judge.branch.remarks import Remark
from forsooth.judge.checker import Look

_RUNNER = re.compile(
    r"conftest\.py|pytest\.(?:ini|toml)|\.?pytest\.(?:ini|toml)|\.coveragerc|noxfile\.py"
    r"|sitecustomize\.py|usercustomize\.py|(?:jest|vitest|karma|playwright|cypress)\.config\.[cm]?[jt]s"
    r"|jest\.config\.json|\.mocharc\.\w+|\.nycrc(?:\.\w+)?|ava\.config\.[cm]?js|nextest\.toml"
)
_CI = re.compile(
    r"\.github/(?:workflows|actions)/.*|\.gitlab-ci\.yml|\.gitlab/.*\.yml|\.circleci/.*|\.travis\.yml"
    r"|azure-pipelines\.ya?ml|\.azure-pipelines/.*|Jenkinsfile|appveyor\.yml|\.appveyor\.yml"
    r"|bitbucket-pipelines\.yml|\.drone\.yml|\.woodpecker(?:/.*|\.yml)|buildspec\.yml|\.cirrus\.yml"
)
_PROSE = re.compile(
    r".*\.(?:md|markdown|rst|adoc)|(?:.*/)?(?:LICEN[CS]E|AUTHORS|CHANGELOG|CHANGES|NOTICE|COPYING|"
    r"CONTRIBUTORS|README)[^/]*|(?:.*/)?\.(?:gitignore|gitattributes|editorconfig|mailmap)"
)
_READ_BY_TESTS = re.compile(rb"doctest|doc-?tests", re.IGNORECASE)
_SETTINGS = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "conftest.py", "Cargo.toml")
NAMED = 8


def is_settings(path: str) -> bool:
    """Whether a file says how tests are run and nothing else."""
    return bool(_RUNNER.fullmatch(path.rpartition("/")[2]))


def is_words(path: str) -> bool:
    """Whether a file is written for people alone."""
    return bool(_PROSE.fullmatch(path))


def is_prose(changes: Iterable[Change], look: Look) -> bool:
    """Whether only words changed, and no test reads them."""
    paths = [change.path for change in changes]
    if not all(map(is_words, paths)):
        return False
    told = (path for path in look.paths() if path.rpartition("/")[2] in _SETTINGS)
    return not any(_READ_BY_TESTS.search(look.read(path) or b"") for path in told)


def around(changes: Iterable[Change], before: Look, after: Look) -> Iterator[Remark]:
    """Settings of runners, and what the build server runs."""
    for change in changes:
        path = change.path
        what = {"A": "new", "D": "gone"}.get(change.status, "changed")
        if is_settings(path):
            yield Remark("look", "runner", path, f"how tests are run: {what}", path)
        elif settings.is_merged(path) and touches_runner(path, before, after):
            yield Remark("look", "runner", path, "the test runner's own settings changed", path)
        elif _CI.fullmatch(path):
            yield Remark("look", "ci", path, f"what the build server runs: {what}", path)


def packages(differences: Iterable[str]) -> Iterator[Remark]:
    """Dependencies that came, went or changed, the first of them by name."""
    lines = [line for line in differences if line[:1] in "+-~"]
    for line in lines[:NAMED]:
        yield Remark("look", "package", line)
    if len(lines) > NAMED:
        yield Remark("look", "package", f"and {len(lines) - NAMED} more packages")


def touches_runner(path: str, before: Look, after: Look) -> bool:
    """Whether the runner's sections of a shared file are others than they were."""
    was, now = before.read(path), after.read(path)
    if was is None or now is None:
        return _holds_settings(path, was or now or b"")
    return settings.merged(path, was, now) != now


def _holds_settings(path: str, data: bytes) -> bool:
    return settings.merged(path, b"{}" if path.endswith(".json") else b"", data) != data
