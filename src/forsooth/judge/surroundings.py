"""Where the judge's view differs from the caller's shell, told from a failure and what is there.

The judge runs a clean copy with an environment of its own. A command that passes in a shell may
fail there for what only the shell has: exported variables, another program of the same name, a file
that is not delivered. None of it decides anything; it is what a person would otherwise search for.
Values of variables are never shown.

>>> exported_names("KeyError: 'API_URL'", {"API_URL": "x", "HOME": "/h", "EDITOR": "vi"})
('API_URL',)
>>> exported_names("1 failed", {"PYTEST_ADDOPTS": "-x", "CARGO_HOME": "/c"})
('PYTEST_ADDOPTS',)
>>> missing_files("ModuleNotFoundError: No module named 'shop.secrets'")
('shop/secrets.py', 'shop/secrets/__init__.py')
>>> missing_programs("check.sh: 1: protoc: not found")
('protoc',)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

_RUNNERS = re.compile(
    r"PYTEST_\w+|PYTHON(?:PATH|OPTIMIZE|WARNINGS|HASHSEED|DEVMODE|STARTUP|SAFEPATH)|DJANGO_\w+"
    r"|TOX_\w+|NOX_\w+|COVERAGE_\w+|HYPOTHESIS_\w+|NODE_(?:OPTIONS|PATH|ENV)|NODE_TEST_\w+|JEST_\w+"
    r"|VITEST\w*|MOCHA_\w+|GO(?:FLAGS|EXPERIMENT|OS|ARCH|DEBUG|MAXPROCS|TAGS)|CGO_\w+|CARGO_(?!HOME$)\w+"
    r"|RUST(?:FLAGS|DOCFLAGS|_\w+)|MAVEN_(?:OPTS|ARGS)|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS"
)
# What every shell has, and every judge too or for nobody's use.
_COMMON = frozenset(
    "PATH HOME USER LOGNAME SHELL PWD OLDPWD TERM LANG SHLVL EDITOR PAGER HOSTNAME MAIL DISPLAY"
    " TMPDIR RUST_BACKTRACE PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTEST_CURRENT_TEST"
    " PYTEST_VERSION PYTEST_XDIST_WORKER PYTEST_XDIST_WORKER_COUNT PYTEST_XDIST_TESTRUNUID".split()
)
_NAME = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|(?<=['\"$])[A-Z][A-Z0-9]{2,}\b")
_MODULE = re.compile(r"No module named ['\"]([\w.]+)['\"]")
_IMPORTED = re.compile(r"cannot import name ['\"](\w+)['\"] from ['\"]([\w.]+)['\"]")
_FILE = re.compile(
    r"(?:No such file or directory|ENOENT[^'\"\n]*|[Cc]annot find (?:module|package)"
    r"|[Ff]ailed to load url|couldn't read|pattern)[:,]? ?[`'\"]?(?P<path>[\w@./-]+\.?[\w/-]*)"
)
_NOWHERE = re.compile(
    r"(?P<shell>[\w.+-]+): (?:command )?not found|(?P<judge>[\w.+-]+) was not found in the sandbox"
    r"|(?P<tool>[\w.+-]+) is not installed|spawn (?P<node>[\w.+-]+) ENOENT"
    r"|exec: \"(?P<go>[\w.+-]+)\": executable file not found"
)
_SCRIPTS = ("", ".js", ".ts", ".mjs", ".cjs", ".json", "/index.js", "/index.ts")


def exported_names(
    output: str, environment: Mapping[str, str], *, given: Collection[str] = ()
) -> tuple[str, ...]:
    """Variables of a shell that runners read or a failure names, but for those that were given."""
    named = set(_NAME.findall(output))
    found = (one for one in environment if _RUNNERS.fullmatch(one) or one in named)
    return tuple(sorted(one for one in found if one not in _COMMON and one not in given))


def missing_files(output: str) -> tuple[str, ...]:
    """The ends of paths that a failing import or open asked for."""
    found: list[str] = []
    for name in _MODULE.findall(output):
        found += _module(name)
    for name, package in _IMPORTED.findall(output):
        found += _module(f"{package}.{name}")
    for one in _FILE.finditer(output):
        path = re.sub(r"^(?:\.{1,2}/)+", "", one["path"]).strip("/")
        found += [path + end for end in _SCRIPTS if path]
    return tuple(dict.fromkeys(found))


def _module(name: str) -> tuple[str, str]:
    path = name.replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"


def undelivered(wanted: Iterable[str], others: Iterable[str], *, root: str = "") -> tuple[str, ...]:
    """Those of the files that are not delivered which a failure asked for."""
    ends = tuple(one.removeprefix(f"{root.strip('/')}/") for one in wanted)
    return tuple(
        path for path in others if any(path == end or path.endswith(f"/{end}") for end in ends)
    )


def missing_programs(output: str) -> tuple[str, ...]:
    """The programs that a failure says are not there."""
    found = (next(filter(None, one.groups())) for one in _NOWHERE.finditer(output))
    return tuple(dict.fromkeys(found))
