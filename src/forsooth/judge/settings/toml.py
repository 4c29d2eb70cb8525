"""TOML with some tables as sealed: whole tables are moved as text, and a parser has the word.

Nothing is moved that is not a table of its own: a runner's settings written inside another table
cannot be told from the rest, and then nothing is merged.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple, cast

Own = Callable[[tuple[str, ...]], bool]  # whether a dotted name is the runner's

_TOOLS = frozenset(
    "pytest pytest_env pytest-enabler coverage tox nox hatch-test bats unittest2 nose ward "
    "hypothesis mutmut cosmic-ray pytest-watcher pytest-xdist behave robot testmon "
    "ruff mypy pyright basedpyright flake8 pylint bandit isort black pydocstyle interrogate "
    "vulture importlinter quality lint check checks limits complexity thresholds".split()
)
_HATCH = ("tool", "hatch", "envs")
_PLUGINS = (("project", "entry-points", "pytest11"), ("tool", "poetry", "plugins", "pytest11"))
_CARGO = frozenset({("test",), ("profile", "test"), ("profile", "dev"), ("bench",)})
_LIB = frozenset({"test", "doctest", "harness"})
_HEADER = re.compile(r"^[ \t]*(\[\[?)([^\n]*?)(\]\]?)[ \t]*(?:#[^\n]*)?$")
_KEY = re.compile(r"""[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*(\.|$)""")


class _Block(NamedTuple):
    """One table of a file: its dotted name, and its text with the comments right above it."""

    name: tuple[str, ...]
    text: str


def pyproject(sealed: bytes, now: bytes, _: tuple[str, ...] = ()) -> bytes | None:
    """The tables of Python's test tools as sealed."""
    return _merged(sealed, now, _is_tool, _bare)


def cargo(sealed: bytes, now: bytes, _: tuple[str, ...] = ()) -> bytes | None:
    """The test targets and profiles of a crate as sealed; `[lib]` must say the same of tests."""
    return _merged(sealed, now, _is_target, _of_lib)


def has_settings(data: bytes) -> bool:
    """Whether any table is a test tool's."""
    found = _parsed(data)
    return found is None or any(_split(found, own)[0] for own in (_is_tool, _is_target))


def _is_tool(name: tuple[str, ...]) -> bool:
    if name[:1] == ("tool",) and len(name) > 1 and name[1] in _TOOLS:
        return True
    is_env = name[:3] == _HATCH and any("test" in part for part in name[3:])
    return is_env or any(name[: len(one)] == one for one in _PLUGINS)


def _is_target(name: tuple[str, ...]) -> bool:
    return name[:1] in _CARGO or name[:2] in _CARGO


def _bare(_: Mapping[str, Any]) -> Any:
    return None


def _of_lib(data: Mapping[str, Any]) -> Any:
    """What a manifest says about tests inside a table that is the product's."""
    lib = cast("dict[str, Any]", data.get("lib") or {})
    package = cast("dict[str, Any]", data.get("package") or {})
    flags = {key: lib[key] for key in sorted(_LIB & lib.keys())}
    bins = [
        {key: row[key] for key in sorted(_LIB & row.keys())} | {"name": row.get("name")}
        for row in cast("list[dict[str, Any]]", data.get("bin") or [])
        if _LIB & row.keys()
    ]
    return [flags, bins, package.get("autotests")]


def _merged(
    sealed: bytes, now: bytes, own: Own, beside: Callable[[Mapping[str, Any]], Any]
) -> bytes | None:
    """Delivered text with the sealed tables, when a parser finds exactly that in it.

    1. Equal settings need no change. 2. The runner's tables are cut out and the sealed ones put at
    the end. 3. What comes of it must mean the rest as delivered and the settings as sealed.
    """
    was, is_ = _parsed(sealed), _parsed(now)
    if was is None or is_ is None:
        return None
    if beside(was) != beside(is_):
        return None
    settings, rest = _split(was, own)[0], _split(is_, own)[1]
    if settings == _split(is_, own)[0]:
        return now  # 1
    text = _joined(sealed.decode(), now.decode(), own)  # 2
    found = _parsed(text.encode())
    if found is None or _split(found, own) != (settings, rest):
        return None
    return text.encode()  # 3


def _parsed(data: bytes) -> dict[str, Any] | None:
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return None


def _split(data: Mapping[str, Any], own: Own) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is the runner's, and everything else; a table left empty by it counts as none."""
    mine: dict[str, Any] = {}
    rest = deepcopy(dict(data))

    def walk(table: dict[str, Any], above: tuple[str, ...]) -> None:
        for key in list(table):
            name, value = (*above, key), table[key]
            if own(name):
                mine["\0".join(name)] = table.pop(key)
            elif isinstance(value, dict):
                below = cast("dict[str, Any]", value)
                walk(below, name)
                if not below:
                    del table[key]

    walk(rest, ())
    return mine, rest


def _joined(sealed: str, now: str, own: Own) -> str:
    kept = "".join(block.text for block in _blocks(now) if not own(block.name))
    put = "".join(block.text for block in _blocks(sealed) if own(block.name))
    if put and kept and not kept.endswith("\n"):
        kept += "\n"
    return kept + put


def _blocks(text: str) -> list[_Block]:
    """A file table by table; a line of a long string that looks like a header the parser tells."""
    blocks = [_Block((), "")]
    for line in text.splitlines(keepends=True):
        found = _HEADER.match(line.rstrip("\r\n"))
        name = _dotted(found[2]) if found and len(found[1]) == len(found[3]) else None
        if name:
            blocks.append(_Block(name, line))
        else:
            last = blocks[-1]
            blocks[-1] = last._replace(text=last.text + line)
    return blocks


def _dotted(text: str) -> tuple[str, ...] | None:
    """The parts of a header's name; none when it is no name."""
    parts: list[str] = []
    at = 0
    while found := _KEY.match(text, at):
        parts.append(next((part for part in found.groups()[:3] if part is not None), ""))
        at = found.end()
        if not found[4]:
            return tuple(parts)
    return None
