"""Files that tools load by themselves, kind of tool by kind: their settings, and what hides better.

A file counts only for the tools a criterion calls, so that a Go goal may add a Makefile.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from forsooth.judge.checker import Look
from forsooth.judge.settings import has_settings, is_merged
from forsooth.judge.words import MAKEFILES, Spoken

Tool = Literal[
    "python", "pytest", "node", "jest", "cargo", "go", "maven", "bats", "make", "shell", "lint"
]

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_PYTESTS = frozenset("pytest py.test unittest tox nox coverage nose2 ward behave trial".split())
_NODES = frozenset("node npm pnpm yarn bun tsx ts-node deno".split())
_JESTS = frozenset("jest vitest mocha ava tap tape playwright cypress karma c8 nyc".split())
_LINTS = frozenset(
    "ruff mypy pyright flake8 pylint black isort bandit eslint tsc biome prettier shellcheck "
    "golangci-lint clippy pre-commit".split()
)
_TESTERS = frozenset("prove rspec phpunit pest busted ctest behat codecept cucumber".split())
_STARTERS = frozenset("bundle composer php ruby perl lua".split())
_BUILDERS = frozenset(
    "go cargo mvn mvnw gradle gradlew mix dotnet swift dart flutter rake sbt cabal stack lein zig "
    "nimble crystal composer rebar3 meson bazel deno bun".split()
)
_TEST_TASKS = frozenset("test t tests nextest spec".split())
_SHELLS = frozenset("sh bash zsh dash ksh".split())
_RUNNERS: dict[str, tuple[Tool, ...]] = {
    "pytest": ("python", "pytest"),
    "unittest": ("python", "pytest"),
    "vitest": ("node", "jest"),
    "jest": ("node", "jest"),
    "mocha": ("node", "jest"),
    "node": ("node", "jest"),
    "go": ("go",),
    "cargo": ("cargo",),
    "nextest": ("cargo",),
    "maven": ("maven",),
    "bats": ("bats", "shell"),
}
_PROGRAMS: dict[str, tuple[Tool, ...]] = {
    "cargo": ("cargo",),
    "go": ("go",),
    "mvn": ("maven",),
    "mvnw": ("maven",),
    "bats": ("bats",),
    "make": ("make",),
    "gmake": ("make",),
}
_SETTINGS: dict[Tool, str] = {
    "pytest": r"\.?pytest\.(?:ini|toml)|conftest\.py|\.coveragerc|noxfile\.py|behave\.ini|\.env"
    r"|tox\.ini|setup\.cfg|pyproject\.toml",
    "jest": r"(?:jest|vitest|vitest\.workspace|ava|playwright|cypress|karma)\.(?:config|conf)\.\w+"
    r"|vitest\.workspace\.\w+|vite\.config\.\w+|\.mocharc(?:\.\w+)?|\.(?:nyc|c8|tap|swc)rc(?:\.\w+)?"
    r"|babel\.config\.\w+|\.babelrc(?:\.\w+)?|\.env(?:\.test)?|package\.json",
    "node": r"\.npmrc|\.yarnrc(?:\.yml)?|package\.json",
    "cargo": r"nextest\.toml|Cargo\.toml",
    "go": r"go\.mod",
    "bats": r"setup_suite\.bash",
    "lint": r"\.?ruff\.toml|\.?mypy\.ini|\.flake8|\.?pylintrc|pyrightconfig\.json|biome\.jsonc?"
    r"|\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|\.?clippy\.toml|\.golangci\.\w+|\.shellcheckrc"
    r"|\.pre-commit-config\.yaml|setup\.cfg|tox\.ini|pyproject\.toml|package\.json",
}
_STARTED: dict[Tool, str] = {
    "python": r"(?:.*/)?(?:sitecustomize|usercustomize)\.(?:py|pyc|so)|.*\.pth",
    "cargo": r"(?:.*/)?\.cargo/config(?:\.toml)?",
    "maven": r"(?:.*/)?\.mvn/(?:(?:maven|jvm)\.config|extensions\.xml)",
    "shell": r"(?:.*/)?\.(?:bashrc|bash_profile|bash_env|profile|zshenv|kshrc)",
}
_BROUGHT: dict[Tool, str] = {
    "python": r"(?:.*/)?[^/]+\.(?:egg-info|dist-info)(?:/.*)?",
    "node": r"(?:.*/)?node_modules/.*",
    "jest": r"(?:.*/)?__mocks__/.*",
    "go": r"(?:.*/)?go\.work(?:\.sum)?|(?:.*/)?vendor/.*",
}
SHADOWED = (sys.stdlib_module_names - {"test"}) | frozenset(
    "pytest _pytest pluggy iniconfig packaging xdist execnet coverage pytest_cov pytest_asyncio "
    "pytest_django pytest_mock pytest_timeout hypothesis mock nose nose2 tox nox py exceptiongroup "
    "tomli attr attrs _hypothesis_pytestplugin pytest_randomly anyio typeguard".split()
)
_ROOTS = ("", "src", "lib")
_SOURCE = re.compile(r"(.+?)(?:\.[\w-]+)?\.(?:py|pyc|so|pyd)")
_STARTS = re.compile(rb"^func\s+(?:TestMain|init)\s*\(", re.MULTILINE)
_TESTS = re.compile(rb"\btest\s*:")


def tools(spoken: Iterable[Spoken], runner: str = "") -> frozenset[Tool]:
    """The kinds of tool that some commands call."""
    found = set(_RUNNERS.get(runner, ()))
    for said in spoken:
        found.update(_called(said))
    return frozenset(found)


def _called(said: Spoken) -> Iterator[Tool]:
    program, names = said.program, _names(said.words)
    first = {program, *_modules(said.words)}
    is_django = {"manage.py", "test"} <= names
    if first & _PYTESTS or is_django:
        yield from ("python", "pytest")
    if _PYTHON.fullmatch(program):
        yield "python"
    if program in _NODES or names & _JESTS:
        yield "node"
    if names & _JESTS or (program == "node" and "--test" in names):
        yield "jest"
    if program in _SHELLS or program == "bats":
        yield "shell"
    if first & _LINTS or {"cargo", "clippy"} <= names:
        yield "lint"
    yield from _PROGRAMS.get(program, ())


def _modules(words: tuple[str, ...]) -> set[str]:
    """What `-m` names."""
    return {after for word, after in pairwise(words) if word == "-m"}


def is_testing(found: AbstractSet[Tool], spoken: Iterable[Spoken]) -> bool:
    """Whether some commands run tests."""
    if found & {"pytest", "jest", "bats"}:
        return True
    return any(
        said.program in _TESTERS
        or (said.program in _STARTERS and not _TESTERS.isdisjoint(_names(said.words[1:3])))
        or (said.program in _BUILDERS and _TEST_TASKS.intersection(_tasks(said.words)))
        for said in spoken
    )


def _names(words: tuple[str, ...]) -> set[str]:
    return {word.rpartition("/")[2] for word in words}


def _tasks(words: tuple[str, ...]) -> list[str]:
    """What a build tool is asked to do: its first words that are no options."""
    return [word for word in words[1:] if not word.startswith("-")][:3]


def is_setting(path: str, found: AbstractSet[Tool]) -> bool:
    """Whether a file is named as one of the tools' settings are."""
    name = path.rpartition("/")[2]
    return any(re.fullmatch(_SETTINGS[tool], name) for tool in found if tool in _SETTINGS)


def is_weighty(path: str, look: Look) -> bool:
    """Whether a file named like settings has any: some are product first of all."""
    data = look.read(path) or b""
    if is_merged(path):
        return has_settings(path, data)
    return not path.rpartition("/")[2].startswith("vite.config.") or bool(_TESTS.search(data))


def is_started(path: str, found: AbstractSet[Tool]) -> bool:
    """Whether a file is run by a tool whenever that starts, wherever imports find it."""
    return any(re.fullmatch(_STARTED[tool], path) for tool in found if tool in _STARTED)


def is_hidden(
    path: str, found: AbstractSet[Tool], *, base: AbstractSet[str], beside: AbstractSet[str]
) -> bool:
    """Whether a new file changes what a tool does without being named anywhere.

    `beside` are the folders of scripts that are run: Python imports from there first.
    """
    if is_started(path, found):
        return True
    if any(re.fullmatch(_BROUGHT[tool], path) for tool in found if tool in _BROUGHT):
        return _top(path) not in _tops(frozenset(base))
    if "make" in found and path.rpartition("/")[2] in MAKEFILES:
        return any(_beside(path, name) in base for name in MAKEFILES)
    return "python" in found and _shadows(path, beside)


@lru_cache(maxsize=4)
def _tops(paths: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_top, paths))


def _top(path: str) -> str:
    """The folder of things brought along that a file lies in."""
    return re.split(r"(?<=node_modules/)|(?<=vendor/)", path)[0] if "/" in path else path


def starts_tests(path: str, look: Look) -> bool:
    """Whether a file of Go tests has code that runs around all others of its package."""
    return path.endswith("_test.go") and bool(_STARTS.search(look.read(path) or b""))


def _shadows(path: str, beside: AbstractSet[str]) -> bool:
    """Whether a module, where imports begin, bears a name that Python or the runner brings."""
    folder, _, name = path.rpartition("/")
    if name == "__init__.py":
        folder, _, module = folder.rpartition("/")
    else:
        found = _SOURCE.fullmatch(name)
        module = found[1] if found else ""
    return folder in {*_ROOTS, *beside} and module in SHADOWED


def _beside(path: str, name: str) -> str:
    return f"{path.rpartition('/')[0]}/{name}".lstrip("/")
