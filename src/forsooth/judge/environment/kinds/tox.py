"""What tox and nox files name: dependencies and extras to install, commands only as hints.

Factors are stripped and substitutions followed one step; what stays unclear is left out and said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from forsooth.judge.environment.kinds.manifest import ini, listed
from forsooth.judge.environment.requirement import LOCAL, plain
from forsooth.judge.environment.tree import Table, at, table, text, toml, words

FACTOR = re.compile(r"^[A-Za-z0-9_.{},!-]+:\s+(.*)$")
PLACE = re.compile(r"\{(?:toxinidir|tox_root)\}/?")


class Tox(NamedTuple):
    """The environment tests run in, as tox describes it."""

    wants: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    where: str = ""
    unclear: tuple[str, ...] = ()


def tox(files: Mapping[str, bytes]) -> Tox:
    """Read tox's base environment from the first file that has one."""
    for path in ("tox.ini", "setup.cfg"):
        sections = ini(files, path)
        if "testenv" in sections:
            return _classic(sections["testenv"], sections, where=path)
    for path, data in (("tox.toml", toml(files, "tox.toml")), ("pyproject.toml", _inner(files))):
        legacy = data.get("legacy_tox_ini")
        if isinstance(legacy, str):
            sections = ini({"tox.ini": legacy.encode()}, "tox.ini")
            return _classic(sections.get("testenv", {}), sections, where=path)
        if "env_run_base" in data:
            return _modern(at(data, "env_run_base"), where=path)
    return Tox()


def _inner(files: Mapping[str, bytes]) -> Table:
    return at(toml(files, "pyproject.toml"), "tool", "tox")


def _modern(base: Table, *, where: str) -> Tox:
    return _sorted(
        words(base.get("deps")),
        extras=words(base.get("extras")),
        groups=words(base.get("dependency_groups")),
        commands=tuple(
            " ".join(words(command)) for command in base.get("commands", []) if words(command)
        ),
        where=where,
    )


def _classic(testenv: dict[str, str], sections: dict[str, dict[str, str]], *, where: str) -> Tox:
    return _sorted(
        tuple(_followed(testenv.get("deps", ""), sections)),
        extras=_split(testenv.get("extras", "")),
        groups=_split(testenv.get("dependency_groups", "")),
        commands=tuple(_unfactored(line) for line in listed(testenv.get("commands", ""))),
        where=where,
    )


def _split(value: str) -> tuple[str, ...]:
    lines = (_unfactored(line) for line in listed(value))
    return tuple(word for line in lines for word in re.split(r"[,\s]+", line) if word)


def _followed(value: str, sections: dict[str, dict[str, str]]) -> Iterator[str]:
    for line in map(_unfactored, listed(value)):
        other = re.fullmatch(r"\{\[([^\]]+)\](\w+)\}", line)
        if other:
            yield from map(_unfactored, listed(sections.get(other[1], {}).get(other[2], "")))
        else:
            yield line


def _unfactored(line: str) -> str:
    found = FACTOR.match(line)
    return found[1].strip() if found else line


def _sorted(
    deps: tuple[str, ...],
    *,
    extras: tuple[str, ...],
    groups: tuple[str, ...],
    commands: tuple[str, ...],
    where: str,
) -> Tox:
    wants: list[str] = []
    paths: list[str] = []
    own = list(extras)
    unclear: list[str] = []
    for raw in deps:
        line = PLACE.sub("", raw).strip()
        if found := re.match(r"^(?:-r|--requirement)[ =]?\s*(\S+)$", line):
            paths.append(found[1])
        elif found := LOCAL.match(line):
            own += found[2].split(",") if found[2] else []
        elif "{" in line or line.startswith("-"):
            unclear.append(f"{where}: not understood: {raw}")
        elif line:
            wants.append(line)
    return Tox(
        tuple(wants),
        tuple(paths),
        tuple(dict.fromkeys(extra.strip() for extra in own)),
        tuple(plain(name) for name in groups),
        commands,
        where,
        tuple(unclear),
    )


def hints(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Lines of tox, nox, Makefile and hatch that run a test runner; nothing is run from them."""
    found = [f"{tox(files).where}: {line}" for line in tox(files).commands]
    for path in ("noxfile.py", "Makefile", "justfile", "Justfile"):
        lines = (line.strip() for line in text(files, path).splitlines())
        found += [f"{path}: {line}" for line in lines if _is_runner(line)]
    envs = at(_hatch(files), "envs").values()
    found += [f"hatch: {line}" for env in envs for line in _scripts(table(env))]
    return tuple(found[:20])


def _is_runner(line: str) -> bool:
    return bool(re.search(r"\b(pytest|unittest|manage\.py test|trial|nose)\b", line))


def _hatch(files: Mapping[str, bytes]) -> Table:
    return toml(files, "hatch.toml") or at(toml(files, "pyproject.toml"), "tool", "hatch")


def _scripts(env: Table) -> Iterator[str]:
    for command in at(env, "scripts").values():
        yield from (line for line in words(command) if _is_runner(line))
