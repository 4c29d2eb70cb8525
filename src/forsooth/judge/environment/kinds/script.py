"""Finding the test runner inside package.json scripts.

`npm test` is usually a chain of lint, types, tests and audit; only the runner's own step is taken.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

RUNNERS = {
    "vitest": "vitest",
    "jest": "jest",
    "mocha": "mocha",
    "_mocha": "mocha",
    "ava": "ava",
    "tap": "tap",
    "tape": "tape",
    "borp": "node",
    "jasmine": "jasmine",
    "uvu": "uvu",
    "lab": "lab",
    "qunit": "qunit",
    "xo": "",
    "react-scripts": "jest",
    "bats": "bats",
}
FIRST = ("tests-only", "unit", "test:unit", "test-unit", "unit-test", "test:node", "test")
WRAPPERS = {"npx", "c8", "nyc", "cross-env", "dotenv", "env", "exec", "tsx", "time", "pnpm", "yarn"}
SEQUENCE = {"run-s", "run-p", "npm-run-all", "npm-run-all2"}
VALUED = {"-r", "--reporter", "--temp-dir", "--report-dir", "--include", "--exclude", "-e", "-x"}
SHELL = re.compile(r"[*?$|<>`~]|\$\(")


class Script(NamedTuple):
    """The step that runs the tests, and where it was found."""

    runner: str
    argv: tuple[str, ...]
    where: str
    whole: bool


def chosen(scripts: Mapping[str, str]) -> Script | None:
    """The first script that calls a known runner: the usual names first, then any."""
    names = [name for name in FIRST if name in scripts]
    others = (name for name in scripts if name not in names and "test" in name)
    for name in (*names, *others):
        for where, step, whole in _steps(scripts, name, ()):
            if found := _runner(step):
                return Script(found, _argv(step), where, whole)
    return None


def _steps(
    scripts: Mapping[str, str], name: str, above: tuple[str, ...]
) -> Iterator[tuple[str, str, bool]]:
    """Every single command a script leads to, through `npm run` and its relatives."""
    if name in above or name not in scripts:
        return
    parts = [part.strip() for part in re.split(r"&&|\|\||;", scripts[name]) if part.strip()]
    for part in parts:
        follows = list(_called(part, scripts))
        for other in follows:
            yield from _steps(scripts, other, (*above, name))
        if not follows:
            yield name, part, len(parts) == 1 and not above


def _called(part: str, scripts: Mapping[str, str]) -> Iterator[str]:
    words = _words(part)
    if not words:
        return
    if words[0] in {"npm", "pnpm", "yarn", "bun"}:
        rest = [word for word in words[1:] if not word.startswith("-")]
        rest = rest[1:] if rest[:1] in (["run"], ["run-script"]) else rest
        yield from (word for word in rest[:1] if word in scripts)
    elif words[0] in SEQUENCE:
        for word in words[1:]:
            pattern = re.escape(word).replace(r"\*", "[^:]*")
            yield from (name for name in scripts if re.fullmatch(pattern, name))


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part)
    except ValueError:
        return []


def _runner(step: str) -> str:
    words = _words(step)
    while words:
        head = words[0].rpartition("/")[2]
        if head in RUNNERS:
            return RUNNERS[head]
        if head == "node":
            return _node(words[1:])
        if head not in WRAPPERS and not re.match(r"^[A-Za-z_]\w*=", head):
            return ""
        words = _unwrapped(words[1:])
    return ""


def _unwrapped(words: list[str]) -> list[str]:
    """What a wrapper runs: its own options are passed over."""
    while words and (words[0].startswith("-") or re.match(r"^[A-Za-z_]\w*=", words[0])):
        words = words[2:] if words[0] in VALUED else words[1:]
    return words


def _node(words: list[str]) -> str:
    if any(word == "--test" or word.startswith("--test-") for word in words):
        return "node"
    entry = next((word for word in words if not word.startswith("-")), "")
    name = entry.removesuffix(".js").rpartition("node_modules/")[2].split("/")[0]
    if "node_modules/" in entry and name in RUNNERS:
        return RUNNERS[name]
    return "script" if re.search(r"(^|[/._-])tests?\b|spec", entry) else ""


def _argv(step: str) -> tuple[str, ...]:
    """An argv when words suffice, else the shell npm itself would have used."""
    if SHELL.search(step) or re.match(r"^\s*[A-Za-z_]\w*=", step):
        return ("sh", "-c", step)
    return tuple(_words(step))
